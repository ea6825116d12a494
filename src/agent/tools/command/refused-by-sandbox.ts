import {accessSync, constants, existsSync} from 'node:fs';
import {readFile} from 'node:fs/promises';
import {homedir} from 'node:os';
import {basename, isAbsolute, join, resolve} from 'node:path';
import process from 'node:process';
import {isWithin} from '../../paths/existing.ts';
import {protectedPlaces} from '../../policy/protected-places.ts';
import {isSecretFile} from '../../policy/secret-files.ts';

/** What a command lacks in the sandbox. */
export type Refusal = 'network' | 'path' | 'hidden';

/** The end of an output says what went wrong. */
const maxSearched = 20_000;
const maxPaths = 50;

const maxVariablesLength = 64 * 1024;
const common = new Set(['NODE_ENV', 'DEBUG', 'LOG_LEVEL', 'RAILS_ENV', 'APP_ENV', 'FLASK_ENV']);

const network =
	/EAI_AGAIN|ENETUNREACH|ENETDOWN|Could not resolve host|Temporary failure in name resolution|Name or service not known|network is unreachable|no such host|getaddrinfo|Failed to establish a new connection|Could not resolve hostname|failed to lookup address|Network unavailable|unable to resolve host address/i;
const path = /EROFS|Read-only file system/i;
const missing = /ENOENT|No such file or directory|not found|does not exist|cannot open|can't open/i;
const denied = /EACCES|EPERM|Permission denied|Operation not permitted/i;

/**
 * Returns what a failed command seems to lack because of the sandbox; undefined for any other failure. A heuristic, but a
 * path counts only if this program can do outside what the command could not do inside.
 */
export function refusedBySandbox(
	output: string,
	{
		status,
		workspace,
		home = homedir(),
	}: {readonly status: number | null; readonly workspace: string; readonly home?: string},
): Refusal | undefined {
	if (status === 0) {
		return undefined;
	}

	const end = output.slice(-maxSearched);
	if (network.test(end)) {
		return 'network';
	}

	if (path.test(end)) {
		return 'path';
	}

	const lines = end.split('\n').filter(line => missing.test(line) || denied.test(line));
	const named = lines.flatMap(line => pathsIn(line, home).map(each => ({path: each, isMissing: missing.test(line)})));
	const isHere = isKept(home);
	const refused = named
		.filter(each => !isWithin(each.path, workspace) && !isHere(each.path))
		.slice(0, maxPaths)
		.find(each => (each.isMissing ? isCovered(each.path, home) && existsSync(each.path) : isUsable(each.path)));
	return refused && (refused.isMissing ? 'hidden' : 'path');
}

/**
 * Returns the secret files that a failed command seems to lack: its output names them, or a variable that they set.
 */
export async function lackedSecrets(output: string, secrets: readonly string[]): Promise<readonly string[]> {
	const end = output.slice(-maxSearched);
	const isNamed = (word: string) =>
		new RegExp(`(?<![\\w.-])${word.replace(/[^\w]/g, '\\$&')}(?![\\w-]|\\.\\w)`).test(end);
	const lacked = await Promise.all(
		secrets.map(async path => isNamed(basename(path)) || (await variablesOf(path)).some(isNamed)),
	);
	return secrets.filter((_, index) => lacked[index]);
}

/** Returns the variables that a file such as `.env` sets. Short and common names say nothing. */
async function variablesOf(path: string): Promise<readonly string[]> {
	if (!/\benv|vars\b/i.test(basename(path))) {
		return [];
	}

	const text = await readFile(path, 'utf8').catch(() => '');
	const names = [...text.slice(0, maxVariablesLength).matchAll(/^[ \t]*(?:export[ \t]+)?([A-Za-z_]\w*)[ \t]*=/gm)];
	return [...new Set(names.map(([, name = '']) => name))]
		.filter(name => name.length > 4 && !common.has(name) && process.env[name] === undefined)
		.slice(0, maxPaths);
}

/** True for what the sandbox shows nowhere but outside: homes, sockets, other temporary files. */
function isCovered(file: string, home: string): boolean {
	return [home, '/home', '/root', '/run', '/var/run', '/tmp'].some(folder => isWithin(file, folder));
}

/** Returns what says whether a place holds secrets, which the user isn't asked to open for a command. */
function isKept(home: string): (file: string) => boolean {
	const places = protectedPlaces({stateFolder: join(home, '.service'), homeFolder: home});
	return file => isSecretFile(file) || places.some(place => isWithin(file, place));
}

/** Returns the absolute paths in a line, and those that begin with `~/`. */
function pathsIn(line: string, home: string): readonly string[] {
	const words = line.match(/(?:~\/|\/)[^\s'"`:,;()[\]<>|]+/g) ?? [];
	return words
		.map(word => (word.startsWith('~/') ? join(home, word.slice(2)) : word).replace(/\.+$/, ''))
		.filter(isAbsolute)
		.map(word => resolve(word));
}

/** True if this program may read and write a file. */
function isUsable(file: string): boolean {
	try {
		accessSync(file, constants.R_OK | constants.W_OK);
		return true;
	} catch {
		return false;
	}
}
