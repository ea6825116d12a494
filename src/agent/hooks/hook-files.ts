import {createHash} from 'node:crypto';
import {readFileSync, type Stats, statSync} from 'node:fs';
import {dirname, join, resolve} from 'node:path';
import {isJsonObject, type JsonObject, parseJson} from '../../core/json.ts';
import {isWithin} from '../sandbox/existing.ts';
import {type NamedPaths, namedPaths} from './named-paths.ts';
import {importsOf} from './script-imports.ts';
import {runsPackageScripts, startedBy} from './started-files.ts';

/** A file that a hook runs or reads. */
export type HookFile = {
	/** Absolute, as the hook names it. */
	readonly path: string;
	/** Of its content; of the scripts only for a `package.json` that a package manager reads. */
	readonly hash: string;
	readonly sizeBytes: number;
};

export type HookFiles = {
	readonly files: readonly HookFile[];
	/** Absolute paths that may not be written while the hook is in effect: most exist. */
	readonly protectedPaths: readonly string[];
};

/** Where hooks run. Both are real paths, and the root contains the folder. */
export type HookPlace = {readonly folder: string; readonly root: string};

/** Names of files that an interpreter runs, whatever their mode is. */
const script = /\.(?:sh|bash|zsh|fish|[cm]?[jt]sx?|py|rb|pl|php|lua|mk|just|inc)$/i;
/** Names of files in which nothing is started. */
const data = /\.(?:json|ya?ml|toml|md|txt|css|html|lock|csv)$/i;

const maxFiles = 100;
const maxDepth = 4;
const maxWords = 3000;
/** Most bytes of a script that are searched for further files, and of a file that is hashed. */
const maxScriptBytes = 256 * 1024;
/** How far into a file a NUL character makes it binary. */
const sniffedBytes = 8000;
const maxHashedBytes = 32 * 1024 * 1024;

type Search = {
	readonly place: HookPlace;
	readonly files: Map<string, HookFile>;
	readonly protectedPaths: Set<string>;
	/** The scripts of packages that were read, each with the folder of its package. */
	readonly scripts: Set<string>;
};

/**
 * Returns the files of the project that the command of a hook names, and those that they name in turn: scripts, what they
 * source or import, the files of `make`, `npm` and the like. What a program finds without naming it is not among them.
 */
export function hookFiles(command: string, place: HookPlace): HookFiles {
	const search: Search = {place, files: new Map(), protectedPaths: new Set(), scripts: new Set()};
	addNamed(search, command, [place.folder, place.root], 0);
	return {files: [...search.files.values()], protectedPaths: [...search.protectedPaths]};
}

/** Adds what a shell text names, relative to the folders in which it may run. */
function addNamed(search: Search, text: string, folders: readonly string[], depth: number): void {
	const named = namedPaths(text);
	const inner = [...named.folders].flatMap(target => folders.map(base => resolve(base, target)));
	const bases = [...new Set([...folders, ...inner])].filter(base => isWithin(base, search.place.root));
	for (const word of [...named.words].filter(isPath).slice(0, maxWords)) {
		const isProgram = named.programs.has(word);
		const isNamed = (stats: Stats) => depth === 0 || isProgram || isScript(word, stats);
		for (const path of bases.map(base => resolve(base, word))) {
			const exists = addExisting(search, path, depth, isNamed);
			if (!exists && depth === 0 && (isProgram || /\w\.\w+$/.test(word))) {
				search.protectedPaths.add(path);
			}
		}
	}

	for (const program of named.programs) {
		for (const base of bases) {
			for (const name of startedBy(program)) {
				addExisting(search, join(base, name), depth);
			}

			if (runsPackageScripts(program)) {
				addPackage(search, base, named, depth);
			}
		}
	}
}

/** Adds a file if it is wanted. Returns true if there is anything of that name. */
function addExisting(search: Search, path: string, depth: number, isWanted = (_: Stats) => true): boolean {
	const stats = statOf(path);
	if (stats?.isFile() && isWanted(stats)) {
		addFile(search, path, stats, depth);
	}

	return stats !== undefined;
}

function addFile(search: Search, path: string, stats: Stats, depth: number): void {
	const {files, protectedPaths, place} = search;
	if (files.has(path) || files.size >= maxFiles || !isWithin(path, place.root)) {
		return;
	}

	const content = stats.size <= maxHashedBytes ? read(path) : undefined;
	const hash = content ? hashOf(content) : `${stats.size} ${stats.mtimeMs}`;
	files.set(path, {path, hash, sizeBytes: stats.size});
	protectedPaths.add(path);
	const text = content?.subarray(0, maxScriptBytes).toString('latin1') ?? '';
	if (depth < maxDepth && !text.slice(0, sniffedBytes).includes('\0')) {
		followFile(search, text, path, depth + 1);
	}
}

/** Adds what the text of a script names. */
function followFile(search: Search, text: string, path: string, depth: number): void {
	const imports = importsOf(text, path);
	if (imports) {
		for (const imported of imports.slice(0, maxWords)) {
			addExisting(search, resolve(dirname(path), imported), depth);
		}
	} else if (!data.test(path)) {
		addNamed(search, text, [search.place.folder, dirname(path)], depth);
	}
}

/** Adds the nearest `package.json`, the programs of its packages that are named, and what its scripts name. */
function addPackage(search: Search, base: string, named: NamedPaths, depth: number): void {
	const {files, scripts, place} = search;
	const parents = upwards(base, place.root);
	const folder = parents.find(parent => statOf(join(parent, 'package.json'))?.isFile());
	if (folder === undefined) {
		return;
	}

	const path = join(folder, 'package.json');
	const all = packageScripts(path);
	const text = JSON.stringify(all);
	if (!files.has(path)) {
		files.set(path, {path, hash: hashOf(Buffer.from(text)), sizeBytes: Buffer.byteLength(text)});
	}

	addPrograms(search, folder, named);
	const wanted = new Set([...named.words].flatMap(word => [`pre${word}`, word, `post${word}`]));
	for (const name of wanted) {
		const command = Object.hasOwn(all, name) ? all[name] : undefined;
		const key = `${folder}\0${name}`;
		if (typeof command === 'string' && !scripts.has(key)) {
			scripts.add(key);
			addPrograms(search, folder, namedPaths(command));
			addNamed(search, command, [folder], Math.max(1, depth));
		}
	}
}

function addPrograms(search: Search, folder: string, {words}: NamedPaths): void {
	for (const word of [...words].filter(each => /^[\w.@-]+$/.test(each) && isPath(each)).slice(0, maxWords)) {
		addExisting(search, join(folder, 'node_modules', '.bin', word), maxDepth);
	}
}

function packageScripts(path: string): JsonObject {
	const parsed = parseJson(read(path)?.toString('utf8') ?? '');
	const scripts = isJsonObject(parsed) ? parsed['scripts'] : undefined;
	return isJsonObject(scripts) ? scripts : {};
}

function isPath(word: string): boolean {
	return word.length < 400 && /^[^-\0\n][^\0\n]*$/.test(word) && word !== '.' && !/^\.{0,2}\/*$/.test(word);
}

function isScript(word: string, {mode}: Stats): boolean {
	return script.test(word) || (mode & 0o111) !== 0;
}

/** Returns a folder and its parents up to the root. */
function upwards(folder: string, root: string): readonly string[] {
	return folder === root || !isWithin(folder, root) ? [folder] : [folder, ...upwards(dirname(folder), root)];
}

function statOf(path: string): Stats | undefined {
	try {
		return statSync(path, {throwIfNoEntry: false});
	} catch {
		// A file in place of a folder, or links in a circle.
		return undefined;
	}
}

function read(path: string): Buffer | undefined {
	try {
		return readFileSync(path);
	} catch {
		return undefined;
	}
}

function hashOf(content: Buffer): string {
	return createHash('sha256').update(content).digest('hex');
}
