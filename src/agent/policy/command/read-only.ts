import {existsSync} from 'node:fs';
import {join, posix} from 'node:path';
import {searchFolders} from '../../../core/search-path.ts';
import {compileGlob} from '../../paths/glob.ts';
import {foldersOutside} from '../../tools/child/find-program.ts';
import type {Bounds} from '../bounds.ts';
import {hasHarmlessVariables} from '../rules/match-command.ts';
import {whyNotGit} from './git/why-not-git.ts';
import {type Argument, type Arguments, readArguments} from './options.ts';
import type {SimpleCommand} from './parse-command.ts';
import {expandPattern, physicalPath, type Use, whyNotPath} from './paths.ts';
import {type ProgramRule, programs} from './programs.ts';
import {type Revealing, whyNotBelow} from './revealed-files.ts';

/** Where a command runs: an absolute real path inside the bounds. */
export type PathPlace = {readonly folder: string; readonly bounds: Bounds};

/**
 * Returns why a simple command may not run unasked, as a clause; undefined if it only reads, and only inside the working
 * folder. `''` says nothing more than that it isn't known to.
 */
export async function whyNotReadOnly(command: SimpleCommand, place: PathPlace): Promise<string | undefined> {
	if (!hasHarmlessVariables(command)) {
		return 'sets variables';
	}

	for (const {operator, target} of command.redirections) {
		const why =
			operator === '<' && !target.pattern ? await whyNotPath(target.value, 'content', place) : 'writes to a file';
		if (why !== undefined) {
			return why;
		}
	}

	const [name, ...words] = command.words;
	const args: Argument[] = [];
	for (const {value, pattern} of words) {
		const names = pattern === undefined ? undefined : await expandPattern(pattern, place.folder);
		if (pattern !== undefined && names === undefined) {
			return 'has a pattern that matches too much';
		}

		// Also a program that only prints its words shows the names that the shell finds.
		for (const folder of new Set((names ?? []).map(path => posix.dirname(path)))) {
			const why = await whyNotPath(folder, 'names', place);
			if (why !== undefined) {
				return why;
			}
		}

		// A pattern that matches nothing stays as it is.
		const isFile = pattern !== undefined && names?.[0] !== value;
		args.push(...(names ?? [value]).map(text => ({value: text, isFile})));
	}

	return whyNotProgram(name.value, args, place);
}

async function whyNotProgram(name: string, args: readonly Argument[], place: PathPlace): Promise<string | undefined> {
	if (isPlanted(name, place)) {
		return `starts the “${name}” of this folder`;
	}

	const texts = args.map(({value}) => value);
	switch (name) {
		case 'echo':
		case ':':
			return undefined;
		case 'test': {
			const [operator = '', path = ''] = texts;
			return texts.length === 2 && !args.some(({isFile}) => isFile) && /^-[defrswxhLnz]$/.test(operator)
				? whyNotPath(path, 'names', place)
				: '';
		}
		case 'find': {
			const folders = readFind(args);
			return typeof folders === 'string' ? `uses “${folders}”` : whyNotPaths(folders, 'names', place);
		}
		case 'git':
			return whyNotGit(args, place);
		default: {
			const program = Object.hasOwn(programs, name) ? programs[name] : undefined;
			return program ? whyNotListed(program, args, place) : '';
		}
	}
}

/** True if `PATH` has a folder of the working folder with a program of this name. */
function isPlanted(name: string, {bounds}: PathPlace): boolean {
	const outside = foldersOutside(bounds.workspace, process.env);
	const inside = searchFolders(process.env['PATH'] ?? '').filter(folder => !outside.includes(folder));
	return inside.some(folder => existsSync(join(folder, name)));
}

/** Reads the arguments of a program that only reads. Returns the one that isn't known to, `''` for their order or number. */
function readListed(program: ProgramRule, args: readonly Argument[]): Arguments | string {
	const joined = program.aloneOnly && args.find(({value}) => /^-[^-]./.test(value))?.value;
	const read = joined || readArguments(args, program.options);
	if (typeof read === 'string') {
		return read;
	}

	const {operands: use, accepts, mostOperands = Number.POSITIVE_INFINITY} = program;
	const isAccepted =
		(!accepts || accepts(read)) &&
		read.operands.length <= (use === undefined ? 0 : mostOperands) &&
		!(program.optionsFirst && hasLateOption(args, read.operands));
	return isAccepted ? read : '';
}

/**
 * Returns the paths that a program is given that only reads, wherever they are; as a string the argument that isn't known to,
 * and undefined for a program that does something else.
 */
export function readPaths(name: string, args: readonly Argument[]): readonly Argument[] | string | undefined {
	if (name === 'echo' || name === ':') {
		return [];
	}

	if (name === 'find') {
		return readFind(args);
	}

	const program = Object.hasOwn(programs, name) ? programs[name] : undefined;
	if (program?.operands === undefined) {
		return undefined;
	}

	const read = readListed(program, args);
	if (typeof read === 'string') {
		return read;
	}

	return program.operands === 'text' ? [] : read.operands.slice(textsBefore(program, read));
}

/** True for a program that takes what it reads from its input for data, whatever is in it. */
export function readsData({words: [name, ...words]}: SimpleCommand): boolean {
	const args = words.map(({value, pattern}) => ({value, isFile: pattern !== undefined}));
	return name.value !== 'find' && typeof readPaths(name.value, args) === 'object';
}

async function whyNotListed(
	program: ProgramRule,
	args: readonly Argument[],
	place: PathPlace,
): Promise<string | undefined> {
	const read = readListed(program, args);
	if (typeof read === 'string') {
		return program.operands === undefined || read === '' ? '' : `uses “${read}”`;
	}

	const {operands: use} = program;
	const {operands} = read;
	if (use === undefined || use === 'text') {
		return undefined;
	}

	const skips = textsBefore(program, read);
	const [text] = operands;
	// A file that a pattern matched would be taken for the text, and another for the file.
	if (skips === 1 && text?.isFile) {
		return 'has a pattern where a text is expected';
	}

	const paths = operands.slice(skips);
	const isNamesOnly = has(program.namesOnly, read);
	return (
		(await whyNotPaths(paths, isNamesOnly ? 'names' : use, place)) ??
		(has(program.recursive, read) && !isNamesOnly ? whyNotFolders(program, read, paths, place) : undefined)
	);
}

/** Returns the number of operands that are no paths but a text. */
function textsBefore({firstIsText}: ProgramRule, {options}: Arguments): number {
	return firstIsText && !firstIsText.some(option => options.has(option)) ? 1 : 0;
}

async function whyNotPaths(paths: readonly Argument[], use: Use, place: PathPlace): Promise<string | undefined> {
	for (const {value} of paths) {
		const why = value === '-' ? undefined : await whyNotPath(value, use, place);
		if (why !== undefined) {
			return why;
		}
	}

	return undefined;
}

async function whyNotFolders(
	program: ProgramRule,
	read: Arguments,
	paths: readonly Argument[],
	{folder, bounds}: PathPlace,
): Promise<string | undefined> {
	const included = read.options.get('--include') ?? [];
	// With `--exclude`, grep also reads what no `--include` names.
	const isLimited = included.length > 0 && included.every(isSimpleGlob) && !read.options.has('--exclude');
	const includes = included.map(compileGlob);
	const excludes = (read.options.get('--exclude-dir') ?? []).filter(isSimpleGlob).map(compileGlob);
	for (const {value} of paths.length > 0 ? paths : [{value: '.'}]) {
		const root = await physicalPath(value, folder);
		const why =
			root &&
			(await whyNotBelow(root, {
				bounds,
				hidden: has(program.hidden, read) || (program.reveals === true && revealingOf(read)),
				followsLinks: program.followsLinks ?? false,
				excludes: name => excludes.some(matches => matches(name)),
				includes: name => !isLimited || includes.some(matches => matches(name)),
			}));
		if (why) {
			return why;
		}
	}

	return undefined;
}

/** Returns the patterns and types of a call of ripgrep, which find hidden files as well. */
function revealingOf({options}: Arguments): Revealing {
	const patterns = ['-g', '--glob', '--iglob'].flatMap(option => options.get(option) ?? []);
	const hasTypes = ['-t', '--type'].some(option => options.has(option));
	return {patterns: patterns.filter(pattern => !pattern.startsWith('!')), hasTypes};
}

/** True for a pattern that all programs read the same way. */
function isSimpleGlob(pattern: string): boolean {
	return /^[\w.*-]+$/.test(pattern);
}

function hasLateOption(args: readonly Argument[], [first]: readonly Argument[]): boolean {
	const start = args.findIndex(({value}) => value === first?.value);
	return start >= 0 && args.slice(start).some(({value}) => /^-./.test(value));
}

function has(names: readonly string[] | undefined, {options}: Arguments): boolean {
	return names?.some(name => name === 'always' || options.has(name)) ?? false;
}

/** The tests and actions of `find` that only print, with the number of their values. */
const expressions: Readonly<Record<string, number>> = {
	'-name': 1,
	'-iname': 1,
	'-path': 1,
	'-ipath': 1,
	'-wholename': 1,
	'-regex': 1,
	'-iregex': 1,
	'-regextype': 1,
	'-type': 1,
	'-maxdepth': 1,
	'-mindepth': 1,
	'-size': 1,
	'-mtime': 1,
	'-mmin': 1,
	'-atime': 1,
	'-amin': 1,
	'-ctime': 1,
	'-cmin': 1,
	'-perm': 1,
	'-user': 1,
	'-group': 1,
	'-links': 1,
	'-printf': 1,
	'-empty': 0,
	'-print': 0,
	'-print0': 0,
	'-prune': 0,
	'-o': 0,
	'-or': 0,
	'-a': 0,
	'-and': 0,
	'-not': 0,
	'!': 0,
	'(': 0,
	')': 0,
	'-depth': 0,
	'-mount': 0,
	'-xdev': 0,
	'-daystart': 0,
	'-readable': 0,
	'-writable': 0,
	'-executable': 0,
	'-true': 0,
	'-false': 0,
	'-quit': 0,
	'-ls': 0,
};

/** Returns the folders that `find` lists. Returns a string, the first argument that isn't known to only print, if any. */
function readFind(args: readonly Argument[]): readonly Argument[] | string {
	const isExpression = ({value}: Argument) => /^[-!(),]/.test(value);
	const first = args.findIndex(isExpression);
	const folders = first < 0 ? args : args.slice(0, first);
	for (let index = folders.length; index < args.length; index++) {
		const {value, isFile} = args[index] ?? {value: '', isFile: true};
		const values = Object.hasOwn(expressions, value) ? expressions[value] : undefined;
		if (values === undefined || isFile || args.slice(index + 1, index + 1 + values).some(next => next.isFile)) {
			return value;
		}

		index += values;
	}

	return folders;
}
