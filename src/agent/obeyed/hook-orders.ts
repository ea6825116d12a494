import {lstat, readdir, readFile} from 'node:fs/promises';
import {basename, dirname, extname, join, relative} from 'node:path';
import {isJsonObject, parseJson} from '../../core/json.ts';
import {isWithin} from '../paths/existing.ts';
import {beginningOf, pathsOf, physical, wordsOf} from './git-orders.ts';

/** What hooks run in a working folder, as far as words say it. All paths are absolute. */
export type HookOrders = {
	/** Files that commands of hooks name, and those that such files name, also missing ones: a change asks. */
	readonly named: ReadonlySet<string>;
	/** Those of them that no sandboxed command may change or create. */
	readonly programs: ReadonlySet<string>;
	/** The folders of missing files that don't exist either. */
	readonly folders: ReadonlySet<string>;
	/** The words of commands, among them the names of scripts. */
	readonly words: ReadonlySet<string>;
};

type Place = {
	/** A real path. */
	readonly workspace: string;
	readonly homeFolder: string;
};

const maxFiles = 100;
const maxDepth = 3;
/** A larger file is no script that somebody wrote. */
const maxBytes = 1024 * 1024;

/** Files that installs, builds and other daily commands write. */
const isDaily =
	/(?:^|\/)(?:node_modules|\.?venv|vendor|dist|out|target|coverage|\.cache|\.next)\/|(?:^|\/)(?:(?:package|composer|deno)\.json|(?:cargo|pyproject)\.toml|go\.(?:mod|sum)|[^/]*lock(?:\.json|\.ya?ml|file)?|[^/]*\.(?:lock|log|md))$/i;
/** Files that no program runs. They count only where a command of a hook names them. */
const isData = /\.(?:jsonc?|jsonl|lock|log|md|txt|toml|ya?ml|xml|csv)$/i;
const isScript = /[^/]\.(?:[cm]?[jt]sx?|py|rb|pl|php|lua|(?:ba|z|da|k)?sh)$/i;
/** Commands whose words are what they write. */
const isWriter = /^\s*(?:mkdir|rmdir|touch|tee|rm|mktemp)\b/;

/** Returns what the commands of hooks name, and what the files name that they run. */
export async function hookOrders(commands: readonly string[], place: Place): Promise<HookOrders> {
	const {workspace} = place;
	const {scripts, words} = await scriptsOf(commands, place);
	// Of a script that also builds, only what it starts: the rest may be what it writes.
	const started = scripts.flatMap(text => pathsIn(text, place, word => startsIn(text).has(word)));
	const direct = [...commands.flatMap(text => pathsIn(text, place)), ...started];
	const files = await filesIn([...direct, ...(await besideFolders(commands, place))]);
	const next = await Promise.all([...files].map(path => pathsNamedBy(path, place)));
	const called = next.flatMap(({paths}) => paths).filter(path => !isData.test(path));
	const calledFiles = await filesIn(called);
	const isProgram = (path: string) =>
		path !== workspace && isWithin(path, workspace) && !isDaily.test(relative(workspace, path));
	const awaited = commands.flatMap(text =>
		pathsIn(text, place, word => isScript.test(word) || startsIn(text).has(word)),
	);
	const [{missing}, {missing: missingCalled}] = await Promise.all([
		sorted(awaited.filter(isProgram)),
		sorted(next.flatMap(({started: paths}) => paths).filter(isProgram)),
	]);
	const {missing: folders} = await sorted(missing.map(path => dirname(path)));
	const isInside = (path: string) => path !== workspace && isWithin(path, workspace);
	const programs = [...files, ...calledFiles, ...missing, ...missingCalled];
	const named = [...direct, ...files, ...calledFiles, ...missingCalled].filter(isInside);
	return {
		named: new Set([...named, ...(await Promise.all(named.map(physical)))]),
		programs: new Set(programs.filter(isProgram)),
		folders: new Set(folders.filter(isInside)),
		words,
	};
}

/** Returns the files of a working folder that a hook names, and those that they name in turn. */
export async function filesOfHook(command: string, place: Place): Promise<ReadonlySet<string>> {
	const {scripts} = await scriptsOf([command], place);
	const texts = [command, ...scripts];
	const direct = [...texts.flatMap(text => pathsIn(text, place)), ...(await besideFolders(texts, place))];
	const manifest = scripts.length > 0 ? [join(place.workspace, 'package.json')] : [];
	const found = new Set(await filesIn([...direct, ...manifest]));
	let last: Iterable<string> = found;
	for (let depth = 0; depth < maxDepth && found.size < maxFiles; depth++) {
		const named = await Promise.all([...last].map(path => pathsNamedBy(path, place)));
		const more = [...(await filesIn(named.flatMap(({paths}) => paths)))].filter(
			path => !found.has(path) && !isData.test(path),
		);
		last = more.slice(0, maxFiles - found.size);
		for (const path of last) {
			found.add(path);
		}
	}

	return found;
}

/** Returns the scripts of `package.json` that commands name, and the words of the commands. */
async function scriptsOf(commands: readonly string[], {workspace}: Place) {
	const words = new Set(commands.flatMap(command => wordsOf(command)));
	const text = words.size === 0 ? '' : await readFile(join(workspace, 'package.json'), 'utf8').catch(() => '');
	const manifest = parseJson(text);
	const scripts = isJsonObject(manifest) && isJsonObject(manifest['scripts']) ? manifest['scripts'] : {};
	const isNamed = (name: string) => words.has(name) || words.has(name.replace(/^(?:pre|post)/, ''));
	const called = Object.entries(scripts).filter(([name]) => isNamed(name));
	return {scripts: called.map(([, script]) => script).filter(script => typeof script === 'string'), words};
}

/** Returns a text without what its commands write: targets of redirections, options that name an output, and new files. */
function withoutWritten(text: string): string {
	const kept = text
		.replace(/(?<![=-])>{1,2}\|?\s*["']?[\w./~-]+|(?<!\S)(?:-o|--out[\w-]*)(?:=|\s+)\S+/g, ' ')
		.split(/[;&|\n`]+/);
	return kept.filter(part => !isWriter.test(part)).join('\n');
}

/** Returns the paths that a command may mean, among them the files of a module of Python. */
function pathsIn(
	command: string,
	{workspace, homeFolder}: Place,
	isWanted: (word: string) => boolean = () => true,
): readonly string[] {
	const modules = [...command.matchAll(/\s-m\s+([\w.]+)/g)].flatMap(([, name = '']) => {
		const path = name.replaceAll('.', '/');
		return [`./${path}.py`, `./${path}/__main__.py`];
	});
	const words = wordsOf(withoutWritten(command));
	return pathsOf([...words.filter(isWanted), ...modules], [workspace], homeFolder);
}

/** Returns the words that a command starts or has interpreted: not others, such as a path that it writes. */
function startsIn(command: string): ReadonlySet<string> {
	return new Set([...command.matchAll(start)].flatMap(([, word = '', other = word]) => wordsOf(other)));
}

const start =
	/(?:^|[;&|(\n]|\b(?:exec|env|time|nice|timeout\s+\S+)\s)\s*["']?([^\s"';&|()]*\/[^\s"';&|()]+)|(?:(?<![\w.-])(?:(?:ba|da|z|k)?sh|node|python3?|perl|ruby|php|source)|(?<!\S)\.)(?:\s+-[\w-]+(?:=\S+)?)*\s+["']?([^\s"';&|()]+)/g;

/**
 * Returns what the words of commands may mean beside their own paths: in the folders that they name, as in `cd scripts && sh
 * check.sh`, and what an interpreter takes for them, as in `node tools/guard`.
 */
async function besideFolders(commands: readonly string[], {workspace, homeFolder}: Place): Promise<readonly string[]> {
	const found = commands.map(async command => {
		const words = wordsOf(withoutWritten(command));
		const paths = pathsOf(words, [workspace], homeFolder);
		const stats = await Promise.all(paths.map(path => lstat(path).catch(() => undefined)));
		const folders = paths.filter((path, index) => path !== workspace && stats[index]?.isDirectory());
		const taken = [...startsIn(command)].flatMap(word => interpreted.map(end => `${word}${end}`));
		return [...pathsOf(words, folders, homeFolder), ...pathsOf(taken, [workspace], homeFolder)];
	});
	return (await Promise.all(found)).flat();
}

const interpreted = ['.js', '/index.js', '/__main__.py'];

/** Returns the paths that a file may name, also without the extension of its own, and those that it starts or imports. */
async function pathsNamedBy(path: string, {workspace, homeFolder}: Place) {
	const isSmall = ((await lstat(path).catch(() => undefined))?.size ?? 0) <= maxBytes;
	const beginning = isSmall ? await beginningOf(path) : '';
	const text = beginning.includes('\0') ? '' : beginning;
	const words = wordsOf(withoutWritten(text));
	const extension = extname(path);
	const names = isScript.test(path) ? [...words, ...words.map(word => `${word}${extension}`)] : words;
	const starts = startsIn(text);
	const started = words.filter(word => isScript.test(word) && (starts.has(word) || /^\.{1,2}\//.test(word)));
	const bases = [workspace, dirname(path)];
	return {paths: pathsOf(names, bases, homeFolder), started: pathsOf(started, bases, homeFolder)};
}

/** Returns those that are files with anything in them, with what links among them name. */
async function filesIn(paths: readonly string[]): Promise<ReadonlySet<string>> {
	const {there} = await sorted(paths);
	const found = await Promise.all(
		there.map(async path => {
			const real = await physical(path);
			const stats = await lstat(real).catch(() => undefined);
			return stats?.isFile() && stats.size > 0 ? [path, real] : [];
		}),
	);
	return new Set(found.flat());
}

/** Returns which paths are there and which are missing. A script has thousands of words, so that whole folders are read. */
async function sorted(paths: readonly string[]) {
	const unique = [...new Set(paths)];
	const folders = [...new Set(unique.map(path => dirname(path)))];
	const lists = await Promise.all(folders.map(folder => readdir(folder).catch(() => [])));
	const names = new Map(folders.map((folder, index) => [folder, new Set(lists[index])]));
	const isThere = (path: string) => names.get(dirname(path))?.has(basename(path)) === true;
	return {there: unique.filter(isThere), missing: unique.filter(path => !isThere(path))};
}
