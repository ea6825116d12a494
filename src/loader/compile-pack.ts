import {isAscii} from 'node:buffer';
import process from 'node:process';
import vm from 'node:vm';
import type {CachedCode, CodeCache} from './code-cache.ts';
import type {TierUp} from './tier-up.ts';

type Options = {
	readonly built: Pick<CodeCache, 'read'>;
	readonly cache: CodeCache;
	/** How the program was started. */
	readonly way: string;
	readonly tierUp: TierUp;
};

/** When the app has settled, so that everything that a start uses was compiled. */
const settledMs = 5000;

type Compiled = {
	readonly name: string;
	readonly source: Buffer;
	readonly script: vm.Script;
	readonly kept?: CachedCode;
};

/**
 * Returns a function that compiles packs with the code that the build kept, or else an earlier start. What neither has is
 * added to the cache once the app has settled.
 */
export function createCompile({built, cache, way, tierUp}: Options): (name: string, source: Buffer) => vm.Script {
	let missing: Compiled[] = [];
	let isBuiltRefused = false;

	const save = () => {
		const saved = missing;
		missing = [];
		for (const {name, source, script, kept} of saved) {
			const data = tierUp.asAtStart(() => script.createCachedData());
			cache.write(name, source, {data, ways: [...new Set([...(kept?.ways ?? []), way])]});
		}
	};

	const keep = (compiled: Compiled) => {
		if (missing.length === 0) {
			setTimeout(save, settledMs).unref();
			process.once('exit', save);
		}

		missing.push(compiled);
	};

	const scriptOf = (name: string, source: Buffer, kept: CachedCode | undefined) => {
		const code = `(function(exports){${source.toString(isAscii(source) ? 'latin1' : 'utf8')}\n})`;
		// The same name in every installation: kept code has it, too.
		const options = {filename: `dist/chunks/${name}.js`, ...(kept && {cachedData: kept.data})};
		return tierUp.asAtStart(() => new vm.Script(code, options));
	};

	const fromBuild = (name: string, source: Buffer) => {
		const kept = isBuiltRefused ? undefined : built.read(name, source);
		const script = kept?.ways.includes(way) ? scriptOf(name, source, kept) : undefined;
		// Settings of V8 that differ from those of the build refuse all of it.
		isBuiltRefused ||= script?.cachedDataRejected === true;
		return isBuiltRefused ? undefined : script;
	};

	const fromCache = (name: string, source: Buffer) => {
		const kept = cache.read(name, source);
		const script = scriptOf(name, source, kept);
		const accepted = script.cachedDataRejected === false ? kept : undefined;
		if (!accepted?.ways.includes(way)) {
			keep({name, source, script, ...(accepted && {kept: accepted})});
		}

		return script;
	};

	return (name, source) => fromBuild(name, source) ?? fromCache(name, source);
}
