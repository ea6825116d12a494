import {isAscii} from 'node:buffer';
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import process from 'node:process';
import vm from 'node:vm';
import type {Pack} from './chunks.ts';
import {type CachedCode, type CodeCache, openCodeCache} from './code-cache.ts';
import {makeInPrivateFolder} from './private-place.ts';

type Options = {
	/** The folder of the packs. */
	readonly folder: string;
	/** Where compiled code is kept, which need not exist; nowhere if it is undefined. */
	readonly cache: string | undefined;
	/** How the program was started: each way uses other functions. */
	readonly way: string;
	readonly others: NodeJS.Require;
	/** Node's own cache of compiled code, which versions before 22.1 lack. */
	readonly nodeCache: ((folder: string) => unknown) | undefined;
};

/** When the app has settled, so that everything that a start uses was compiled. */
const settledMs = 5000;

/**
 * Returns a function that reads packs. Their compiled code is kept in `cache`, by Node where it can. No fault of the cache
 * stops the program.
 */
export function createOpenPack({folder, cache, way, others, nodeCache}: Options): (name: string) => Pack {
	const plain = (name: string): Pack => others(join(folder, `${name}.js`)).chunks;
	if (cache === undefined) {
		return plain;
	}

	if (nodeCache) {
		if (makeInPrivateFolder(cache)) {
			nodeCache(cache);
		}

		return plain;
	}

	const compile = createCompile(openCodeCache(cache), way);
	return name => {
		const path = join(folder, `${name}.js`);
		const script = compile(name, path, readFileSync(path));
		const exports: {chunks?: Pack} = {};
		script.runInThisContext()(exports);
		return exports.chunks ?? plain(name);
	};
}

type Compiled = {
	readonly name: string;
	readonly source: Buffer;
	readonly script: vm.Script;
	readonly kept?: CachedCode;
};

/** Returns a function that compiles packs with the code in the cache. What is missing there is added once the app has settled. */
function createCompile(cache: CodeCache, way: string) {
	let missing: Compiled[] = [];

	const save = () => {
		const saved = missing;
		missing = [];
		for (const {name, source, script, kept} of saved) {
			cache.write(name, source, {data: script.createCachedData(), ways: [...new Set([...(kept?.ways ?? []), way])]});
		}
	};

	return (name: string, path: string, source: Buffer): vm.Script => {
		const kept = cache.read(name, source);
		const script = new vm.Script(`(function(exports){${source.toString(isAscii(source) ? 'latin1' : 'utf8')}\n})`, {
			filename: path,
			...(kept && {cachedData: kept.data}),
		});
		const accepted = script.cachedDataRejected === false ? kept : undefined;
		if (!accepted?.ways.includes(way)) {
			if (missing.length === 0) {
				setTimeout(save, settledMs).unref();
				process.once('exit', save);
			}

			missing.push({name, source, script, ...(accepted && {kept: accepted})});
		}

		return script;
	};
}
