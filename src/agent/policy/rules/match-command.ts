import {posix} from 'node:path';
import type {SimpleCommand} from '../command/parse-command.ts';
import {type CommandPattern, matchesWord, type PatternWord, readCommandPattern} from './command-pattern.ts';
import type {Rule} from './rule.ts';

/** Variables that change how much a program prints, never what it does. */
const harmlessVariables = /^(?:CI|NO_COLOR|FORCE_COLOR|CLICOLOR|LANG|LC_[A-Z]+)$/;

/** How a rule that allows begins like a command: the number of words that it names, and which may follow. */
export type CommandBeginning = {readonly fixed: number; readonly rest: CommandPattern['rest']};

/**
 * Compares a rule that allows with a simple command, strictly: word by word, in the folder that it names. Returns undefined
 * if it is about other commands. `folder` is relative to the working folder, with `/`; `.` for the folder itself.
 */
export function beginningOf(
	{tool, pattern}: Rule,
	command: SimpleCommand,
	folder: string,
): CommandBeginning | undefined {
	if (tool !== 'run_command' || !hasHarmlessVariables(command)) {
		return undefined;
	}

	if (pattern === undefined) {
		return {fixed: 0, rest: 'any'};
	}

	const read = readCommandPattern(pattern);
	if ('fault' in read || posix.normalize(read.folder ?? '.').replace(/(?!^)\/$/, '') !== folder) {
		return undefined;
	}

	const {words, rest} = read;
	const isLong = rest === 'none' ? command.words.length === words.length : command.words.length >= words.length;
	// File names are known only when the shell runs.
	const isSame = words.every((expected, index) => {
		const word = command.words[index];
		return word?.pattern === undefined && fitsWord(expected, word?.value ?? '');
	});
	return isLong && isSame ? {fixed: words.length, rest} : undefined;
}

/** True if a word fits, and its wildcards stand neither for the name of an option nor for a way out of a folder. */
function fitsWord(expected: PatternWord, value: string): boolean {
	const [start = ''] = expected;
	const isExact = expected.length === 1;
	const isNamed = /^-/.test(value) ? start.includes('=') : !/^[@+]/.test(value) || start !== '';
	const climbs = /(?:^|\/)\.\.(?:\/|$)/;
	return (
		matchesWord(expected, value) &&
		(isExact || (isNamed && (!climbs.test(value) || expected.some(piece => climbs.test(piece)))))
	);
}

export function hasHarmlessVariables({variables}: SimpleCommand): boolean {
	return variables.every(([name]) => harmlessVariables.test(name));
}

/** A word that a rule may deny: with `start`, its known beginning, if the shell makes the rest of it. */
export type GivenWord = {readonly value: string; readonly start?: string};

/**
 * True if a denying rule covers these words, generously: the program by its name in any folder and case, then the other
 * words in this order, with any words between and after them.
 */
export function deniesWords({words: expected}: CommandPattern, [name, ...words]: readonly GivenWord[]): boolean {
	const [program, ...rest] = expected;
	if (program === undefined) {
		return true;
	}

	let at = 0;
	return (
		isProgram(name, program) &&
		rest.every(word => {
			const found = words.findIndex(({value}, index) => index >= at && matchesWord(word, value));
			at = found + 1;
			return found >= 0;
		})
	);
}

function isProgram(name: GivenWord | undefined, program: PatternWord): boolean {
	const value = name?.value.toLowerCase() ?? '';
	const plain = program.map(piece => piece.toLowerCase());
	return name !== undefined && [value, value.slice(value.lastIndexOf('/') + 1)].some(each => matchesWord(plain, each));
}

/**
 * True if a denying rule could cover these words once the shell has made those whose rest is unknown. A plain word that
 * isn't expected rules that out, unless it may be the value of an option: it says what the program does instead.
 */
export function mayDenyWords(
	{words: [program = [], ...expected]}: CommandPattern,
	given: readonly GivenWord[],
): boolean {
	let at = 1;
	return (
		isProgram(given[0], program) &&
		expected.some(word => {
			for (; at < given.length; at++) {
				const {value, start} = given[at] ?? {value: ''};
				if (start !== undefined ? mayBecome(start, word) : matchesWord(word, value)) {
					at++;
					return start !== undefined;
				}

				const isPlain = start === undefined && !value.startsWith('-') && !given[at - 1]?.value.startsWith('-');
				if (isPlain && !word[0]?.startsWith('-')) {
					at = given.length;
				}
			}

			return false;
		})
	);
}

/** True if a word that begins with `start` may fit. */
function mayBecome(start: string, [first = '', ...others]: PatternWord): boolean {
	return first.startsWith(start) || (others.length > 0 && start.startsWith(first));
}
