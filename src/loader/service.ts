import {writeSync} from 'node:fs';
import type * as loader from './run.ts';

/** Baked in by the build: the chunks of `src/main.ts` and `src/server/run/worker.ts`. */
declare const SERVICE_CHUNK: string;
declare const WORKER_CHUNK: string;
/** Baked in by the build. */
declare const SERVICE_VERSION: string;

const {argv, env} = process;

/** Answers `--version` alone without loading the program. Returns false for everything else, and if stdout doesn't take it. */
function answersVersion(): boolean {
	if (argv.length !== 3 || argv[2] !== '--version' || env['SERVICE_DEBUG']) {
		return false;
	}

	try {
		writeSync(1, `${SERVICE_VERSION}\n`);
		return true;
	} catch {
		return false;
	}
}

if (!answersVersion()) {
	// Not imported, because its builtins would be loaded for `--version`, too.
	const {cacheFolder, run, wayOf}: typeof loader = require('./run.ts');
	const way = wayOf(argv.slice(2));
	run(__filename, {chunk: SERVICE_CHUNK, thread: WORKER_CHUNK, cache: cacheFolder(env), way});
}
