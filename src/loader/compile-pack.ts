import {isAscii} from 'node:buffer';
import {Script} from 'node:vm';
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
	readonly script: Script;
	readonly kept?: CachedCode;
};

/** Compiles a pack, with kept code if there is some. Its name is the same in every installation, because kept code has it, too. */
export function compilePack(name: string, source: Buffer, cachedData?: Buffer): Script {
	const code = source.toString(isAscii(source) ? 'latin1' : 'utf8');
	return new Script(code, {filename: `dist/chunks/${name}.js`, ...(cachedData && {cachedData})});
}

/**
 * Returns a function that compiles packs with the code that the build kept, or else an earlier start. What neither has is
 * added to the cache once the app has settled.
 */
export function createCompile({built, cache, way, tierUp}: Options): (name: string, source: Buffer) => Script {
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

	const scriptOf = (name: string, source: Buffer, kept: CachedCode | undefined) =>
		tierUp.asAtStart(() => compilePack(name, source, kept?.data));

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
