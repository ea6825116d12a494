import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import type {Pack} from './chunks.ts';
import {openBuiltCode, openCodeCache} from './code-cache.ts';
import {compilePack, createCompile} from './compile-pack.ts';
import {createTierUp} from './tier-up.ts';

type Options = {
	/** The folder of the packs. */
	readonly folder: string;
	/** Where the build keeps compiled code; the folder need not exist. */
	readonly built: string;
	/** Where compiled code is kept, which need not exist; none is used or kept if it is undefined. */
	readonly cache: string | undefined;
	/** How the program was started: each way uses other functions. */
	readonly way: string;
	readonly others: NodeJS.Require;
};

/** When the first frame is drawn. Before, Node loads modules of its own, which it keeps as compiled with V8's own settings. */
const drawnMs = 500;

/**
 * Returns a function that reads packs. Their compiled code comes from the build, or else from an earlier start. No fault of
 * either stops the program. Except for a command, optimizations of V8 are delayed once the first frame is drawn.
 */
export function createOpenPack({folder, built, cache, way, others}: Options): (name: string) => Pack {
	const tierUp = createTierUp(flags => others('node:v8').setFlagsFromString(flags), way);
	if (way === 'worker') {
		tierUp.delay();
	} else {
		setTimeout(tierUp.delay, drawnMs).unref();
	}

	const compile =
		cache === undefined
			? compilePack
			: createCompile({built: openBuiltCode(built), cache: openCodeCache(cache), way, tierUp});
	return name => compile(name, readFileSync(join(folder, `${name}.js`))).runInThisContext();
}
