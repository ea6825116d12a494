import {accessSync, constants, realpathSync, statSync} from 'node:fs';
import {basename, dirname, isAbsolute, join, relative, sep} from 'node:path';
import type {Environment} from '../core/environment.ts';
import {searchFolders} from '../core/search-path.ts';
import {shellWord} from '../core/shell-word.ts';

const ownNames = ['service', 'svc'] as const;

type Call = {
	/** The path of the script as in `argv[1]`: absolute, with symbolic links. */
	readonly script: string;
	readonly env: Environment;
	/** The working folder. */
	readonly folder: string;
};

/**
 * Returns what the user types to run the program again as it was started: the words of a package manager, a name that
 * their shell finds, or a path. A name only if the shell finds this very program: Debian has another `service`.
 */
export function calledAs({script, env, folder}: Call): string {
	const real = realPath(script);
	const manager = managerWords(real, env);
	if (manager) {
		return manager;
	}

	const names = [basename(script), ...ownNames].filter(name => ownNames.some(own => own === name));
	const name = real && names.find(candidate => firstOnPath(candidate, env['PATH'] ?? '') === real);
	if (name) {
		return name;
	}

	const path = pathFrom(folder, script);
	const isCommand = !script.endsWith('.js') || (real && realPath(absolute(env['_'] ?? '', folder)) === real);
	return isCommand ? shellWord(path.includes(sep) ? path : `.${sep}${path}`) : `node ${shellWord(path)}`;
}

/** Returns `npm start --`, `npx service` and the like if a script of our own package was run so. */
function managerWords(script: string | undefined, env: Environment): string | undefined {
	const event = env['npm_lifecycle_event'];
	const manager = /^(npm|pnpm|yarn|bun)\//.exec(env['npm_config_user_agent'] ?? '')?.[1] ?? 'npm';
	if (event === 'npx') {
		return manager === 'npm' ? 'npx service' : `${manager} exec service`;
	}

	const manifest = env['npm_package_json'];
	const isOwn =
		script !== undefined && manifest !== undefined && realPath(dirname(manifest)) === dirname(dirname(script));
	return event === 'start' && isOwn ? (manager === 'npm' ? 'npm start --' : `${manager} start`) : undefined;
}

/** Returns the real path of the first program with that name that a shell finds. */
function firstOnPath(name: string, path: string): string | undefined {
	for (const folder of searchFolders(path)) {
		const candidate = join(folder, name);
		if (isProgram(candidate)) {
			return realPath(candidate);
		}
	}

	return undefined;
}

/** Returns true for a file that may be started. */
export function isProgram(path: string): boolean {
	try {
		accessSync(path, constants.X_OK);
		return statSync(path).isFile();
	} catch {
		return false;
	}
}

/** Returns the shorter path: relative to the working folder if the script is below it. */
function pathFrom(folder: string, script: string): string {
	const path = relative(folder, script);
	return path.startsWith('..') || isAbsolute(path) ? script : path;
}

function absolute(path: string, folder: string): string {
	return isAbsolute(path) ? path : join(folder, path);
}

function realPath(path: string): string | undefined {
	try {
		return realpathSync(path);
	} catch {
		return undefined;
	}
}
