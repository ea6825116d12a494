import {createRequire as createNodeRequire} from 'node:module';
import type * as os from 'node:os';
import {dirname, isAbsolute, join, resolve} from 'node:path';
import {pathToFileURL} from 'node:url';
import {createRequire, replaced} from './chunks.ts';
import {createOpenPack} from './open-pack.ts';

type Entry = {
	/** The chunk that runs. */
	readonly chunk: string;
	/** The chunk that the program expects in its place, if it started before. */
	readonly expected?: string | undefined;
	/** The chunk of the embedded server's thread, which the entry knows as the hash of its own address. */
	readonly thread?: string;
	/** Where compiled code is kept; nowhere if it is undefined. */
	readonly cache: string | undefined;
	/** How the program was started: each way uses other functions. */
	readonly way: string;
};

/**
 * Runs an entry of the program, `file`, whose chunks are in the folder beside it. Throws what the user reads if another build
 * took the place of the one that is running.
 */
export function run(file: string, {chunk, expected = chunk, thread = '', cache, way}: Entry): void {
	if (chunk !== expected) {
		throw replaced(expected);
	}

	const folder = join(dirname(file), 'chunks');
	const others = createNodeRequire(file);
	const entry = chunk.slice(1, chunk.indexOf('/'));
	const start = createRequire({
		openPack: createOpenPack({folder, built: join(dirname(file), 'compiled'), cache, way, others}),
		urlOf: pack =>
			pack === entry ? pathToFileURL(file).href + thread : pathToFileURL(join(folder, `${pack}.js`)).href,
		others,
		importOther: id => import(id),
	});
	start(chunk);
}

/** Returns the folder of compiled code in the state folder, as `openHome` names it; undefined for none. */
export function cacheFolder(env: NodeJS.ProcessEnv): string | undefined {
	try {
		return env['NODE_DISABLE_COMPILE_CACHE']
			? undefined
			: resolve(env['SERVICE_HOME'] || join(homeOfUser(env['HOME']), '.service'), 'cache');
	} catch {
		// The user has no home folder.
		return undefined;
	}
}

function homeOfUser(given = ''): string {
	if (isAbsolute(given)) {
		return given;
	}

	const {userInfo}: typeof os = require('node:os');
	return userInfo().homedir;
}

/**
 * Returns how the program was started: the app is what `attach` draws, too, and hosts and `acp` answer as `-p` does. A wrong guess
 * costs a little time, nothing else.
 */
export function wayOf(argv: readonly string[]): string {
	if (argv.some(word => /^(?:-\w*p|--print)\b/.test(word))) {
		return 'once';
	}

	const [first = '-'] = argv;
	return /^(?:acp|host)$/.test(first) ? 'once' : /^(?:-|attach$)/.test(first) ? 'app' : 'command';
}
