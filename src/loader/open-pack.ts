import {isAscii} from 'node:buffer';
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import process from 'node:process';
import vm from 'node:vm';
import type {Pack} from './chunks.ts';
import {type CachedCode, type CodeCache, openCodeCache} from './code-cache.ts';
import {makeInPrivateFolder} from './private-place.ts';
import {createTierUp, type TierUp} from './tier-up.ts';

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
/** When the first frame is drawn. Before, Node loads modules of its own, which it keeps as compiled with V8's own settings. */
const drawnMs = 500;

/**
 * Returns a function that reads packs. Their compiled code is kept in `cache`, by Node where it can. No fault of the cache
 * stops the program. Except for a command, optimizations of V8 are delayed once the first frame is drawn.
 */
export function createOpenPack({folder, cache, way, others, nodeCache}: Options): (name: string) => Pack {
	const tierUp = createTierUp(flags => others('node:v8').setFlagsFromString(flags), way);
	if (way === 'worker') {
		tierUp.delay();
	} else {
		setTimeout(tierUp.delay, drawnMs).unref();
	}

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

	const compile = createCompile(openCodeCache(cache), way, tierUp);
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
function createCompile(cache: CodeCache, way: string, tierUp: TierUp) {
	let missing: Compiled[] = [];

	const save = () => {
		const saved = missing;
		missing = [];
		for (const {name, source, script, kept} of saved) {
			const data = tierUp.asAtStart(() => script.createCachedData());
			cache.write(name, source, {data, ways: [...new Set([...(kept?.ways ?? []), way])]});
		}
	};

	return (name: string, path: string, source: Buffer): vm.Script => {
		const kept = cache.read(name, source);
		const code = `(function(exports){${source.toString(isAscii(source) ? 'latin1' : 'utf8')}\n})`;
		const options = {filename: path, ...(kept && {cachedData: kept.data})};
		const script = tierUp.asAtStart(() => new vm.Script(code, options));
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
