import {posix} from 'node:path';
import type {SimpleCommand} from '../command/parse-command.ts';
import {type CommandPattern, matchesWord, type PatternWord, quoteWord, readCommandPattern} from './command-pattern.ts';
import {maxRuleLength, type Rule} from './rule.ts';

/** Variables that change how much a program prints, never what it does. */
const harmlessVariables = /^(?:CI|NO_COLOR|FORCE_COLOR|CLICOLOR|LANG|LC_[A-Z]+)$/;

/**
 * True if an allowing rule covers a simple command, strictly: word by word, in the folder that it names. `folder` is
 * relative to the working folder, with `/`; `.` for the folder itself.
 */
export function allowsCommand({tool, pattern}: Rule, command: SimpleCommand, folder: string): boolean {
	if (tool !== 'run_command' || !hasHarmlessVariables(command)) {
		return false;
	}

	const read: CommandPattern | {fault: string} =
		pattern === undefined ? {words: [], open: true} : readCommandPattern(pattern);
	if (
		'fault' in read ||
		(pattern !== undefined && posix.normalize(read.folder ?? '.').replace(/(?!^)\/$/, '') !== folder)
	) {
		return false;
	}

	const {words, open} = read;
	const isLong = command.words.length >= words.length;
	return (
		isLong &&
		(open || command.words.length === words.length) &&
		// File names are known only when the shell runs: they fit where any words do.
		command.words.every(({value, pattern: fileNames}, index) => {
			const expected = words[index];
			return expected ? fileNames === undefined && matchesWord(expected, value) : open;
		})
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

/** Programs whose first words say what they do, with the number of those words. Others are suggested word by word. */
const leadingWords: Readonly<Record<string, number>> = {
	...{'npm test': 2, 'npm ci': 2, 'npm run': 3, 'pnpm run': 3, 'pnpm test': 2, 'yarn run': 3, 'yarn test': 2},
	...{'bun test': 2, 'bun run': 3, 'node --test': 2, 'deno test': 2, 'npx tsc': 2, 'npx eslint': 2, 'npx vitest': 2},
	...{'npx jest': 2, tsc: 1, eslint: 1, vitest: 1, jest: 1, pytest: 1, ruff: 1, mypy: 1, tox: 1},
	...{'cargo build': 2, 'cargo test': 2, 'cargo check': 2, 'cargo clippy': 2, 'cargo fmt': 2},
	...{'go build': 2, 'go test': 2, 'go vet': 2, gofmt: 1, 'git add': 2, 'git commit': 2, 'git stash': 2},
	...{'dotnet build': 2, 'dotnet test': 2, mkdir: 1, touch: 1},
	...{'bundle exec rspec': 3, rspec: 1, rubocop: 1, 'mix test': 2, 'swift test': 2, 'zig build': 2, phpunit: 1},
};

/** True for a command of a kind that a rule is suggested for by its first words. */
export function beginsAsSuggested({words}: SimpleCommand): boolean {
	return leadingCount(words.map(({value}) => value)) !== undefined;
}

/** Returns the number of words that a rule for commands names before its `*`; undefined if it has none, or names none. */
export function fixedWords({pattern}: Rule): number | undefined {
	const read = pattern === undefined ? undefined : readCommandPattern(pattern);
	return read && !('fault' in read) && read.open ? read.words.length : undefined;
}

function leadingCount(values: readonly string[]): number | undefined {
	return [3, 2, 1].map(length => leadingWords[values.slice(0, length).join(' ')]).find(Boolean);
}

/** Returns the rule that would allow a command of this kind again, or exactly this one; undefined if none can. */
export function suggestRule(command: SimpleCommand, folder: string, isExact = false): Rule | undefined {
	if (!hasHarmlessVariables(command) || command.words.some(({pattern}) => pattern !== undefined)) {
		return undefined;
	}

	const values = command.words.map(({value}) => value);
	const count = isExact ? undefined : leadingCount(values);
	const words = (count === undefined ? values : values.slice(0, count)).map(quoteWord);
	const place = folder === '.' ? [] : ['cd', quoteWord(folder), '&&'];
	const pattern = [...place, ...words, ...(count === undefined ? [] : ['*'])].join(' ');
	const isRule = pattern.length <= maxRuleLength && !/\p{Cc}/u.test(pattern);
	return isRule ? {tool: 'run_command', pattern} : undefined;
}
