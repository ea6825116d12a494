import {writeBoundsOf} from '../bounds.ts';
import type {Places} from '../protected-places.ts';
import {findAct, type OptionValue, type RuleAct, readOption} from '../rules/acts.ts';
import {quoteWord, readCommandPattern} from '../rules/command-pattern.ts';
import {beginningOf, type CommandBeginning, hasHarmlessVariables} from '../rules/match-command.ts';
import {maxRuleLength, type Rule, ruleText} from '../rules/rule.ts';
import {isSecretFile} from '../secret-files.ts';
import type {SimpleCommand} from './parse-command.ts';
import {expandPattern, whyNotPath} from './paths.ts';
import {type PathPlace, readPaths, readsData} from './read-only.ts';
import {mayRunWords} from './runners.ts';
import type {Word} from './word.ts';

/** Where a command runs. `folder` and `workspace` are absolute real paths. */
type Where = {readonly folder: string; readonly workspace: string; readonly places: Places};

/** A word that no `*` covers: for what it says, or because it names a place that nobody thought of. */
type Gap = {readonly index: number; readonly by: 'word' | 'place'};

const takesOrders = 'may take orders from its input, so no rule covers it';

/**
 * Returns why a rule that begins like a command doesn't cover it, as a clause; undefined if it does. Rules without a
 * pattern cover everything.
 */
export async function whyNotCovered(
	rule: Rule,
	command: SimpleCommand,
	{fixed, rest}: CommandBeginning,
	where: Where,
): Promise<string | undefined> {
	if (rule.pattern === undefined) {
		return undefined;
	}

	if (takesInput(command)) {
		return takesOrders;
	}

	const place = await placeOf(where);
	const gaps = [
		...(await findHidden(rule.pattern, command, place)),
		...(rest === 'harmless' ? await findGaps(command, fixed, place) : []),
	];
	const [first] = gaps;
	if (gaps.some(({by}) => by === 'place')) {
		return 'names a place that its rule does not cover';
	}

	return first && `uses “${command.words[first.index]?.text}”, which ${ruleText(rule)} does not cover`;
}

/** Returns why no rule covers a command, as a clause; undefined if one may. */
export function whyNever(command: SimpleCommand): string | undefined {
	return takesInput(command) ? takesOrders : undefined;
}

function takesInput(command: SimpleCommand): boolean {
	return command.hasInput && !readsData(command);
}

async function placeOf({folder, workspace, places}: Where): Promise<PathPlace> {
	return {folder, bounds: await writeBoundsOf(workspace, places)};
}

/** Finds words that a wildcard of the rule stands for, and that name a place which it doesn't. */
async function findHidden(pattern: string, {words}: SimpleCommand, place: PathPlace): Promise<readonly Gap[]> {
	const read = readCommandPattern(pattern);
	const gaps: Gap[] = [];
	for (const [index, [start = '', ...others]] of 'fault' in read ? [] : read.words.entries()) {
		const word = words[index];
		if (word && index > 0 && others.length > 0 && !/^\.{0,2}\//.test(start) && (await isElsewhere(word, place))) {
			gaps.push({index, by: 'place'});
		}
	}

	return gaps;
}

/** Finds the words behind the fixed ones of a rule that its `*` doesn't cover. */
async function findGaps(command: SimpleCommand, fixed: number, place: PathPlace): Promise<readonly Gap[]> {
	const {words} = command;
	const values = words.map(({value}) => value);
	if (fixed === 0) {
		return [{index: 0, by: 'word'}];
	}

	const found = findAct(values.slice(0, fixed));
	return found ? findInAct(words, {...found, fixed}, place) : findInOthers(words, fixed, place);
}

/** For a program of no act: one that only reads may do that, and any other takes names of files, but no options. */
async function findInOthers(words: readonly Word[], fixed: number, place: PathPlace): Promise<readonly Gap[]> {
	const [name = '', ...values] = words.map(({value}) => value);
	const args = words.slice(fixed).map(({value, pattern}) => ({value, isFile: pattern !== undefined}));
	const paths = readPaths(name, args);
	if (typeof paths === 'object') {
		const gaps: Gap[] = [];
		for (const [index, word] of words.entries()) {
			const isPath = index >= fixed && paths.some(({value}) => value === word.value);
			if (isPath && (await isElsewhere(word, place))) {
				gaps.push({index, by: 'place'});
			}
		}

		return gaps;
	}

	if (paths !== undefined) {
		const index = words.findIndex(({value}, at) => at >= fixed && value === paths);
		return [{index: index < 0 ? Math.min(fixed, words.length - 1) : index, by: 'word'}];
	}

	const hasOperands = !mayRunWords([name, ...values.slice(0, fixed - 1)]);
	// A first word without a dot or a slash may say what the program does, as in `kubectl delete`.
	const saysWhat = !name.includes('/') && !values.slice(0, fixed - 1).some(value => /[./]/.test(value));
	const act: RuleAct = {options: new Map(), hasOperands, bundles: false, isSuggested: false};
	return findInAct(words, {act: saysWhat ? {...act, first: /[./]/} : act, length: 1, fixed}, place);
}

type Naming = {
	readonly act: RuleAct;
	/** The number of words of the act. */
	readonly length: number;
	/** The number of words that the rule names. */
	readonly fixed: number;
};

async function findInAct(
	words: readonly Word[],
	{act, length, fixed}: Naming,
	place: PathPlace,
): Promise<readonly Gap[]> {
	const gaps: Gap[] = [];
	let {options} = act;
	/** What the word after an option may be; `unknown` if it may be anything. */
	let pending: OptionValue | 'unknown' | undefined;
	let hasEnded = false;
	let isFirst = true;
	for (const [index, word] of words.entries()) {
		const {value, pattern} = word;
		if (index < length) {
			continue;
		}

		const isOption = !hasEnded && /^-./.test(value);
		const expected = pending;
		pending = undefined;
		let by: Gap['by'] | undefined;
		if (expected !== undefined && !(expected === 'unknown' && isOption)) {
			by = isOption || pattern !== undefined ? 'word' : await whyNotValue(word, expected, place);
		} else if (isOption && value === '--') {
			by = act.inner || (act.hasOperands && act.options.size > 0) ? undefined : 'word';
			hasEnded = act.inner === undefined;
			options = act.inner ?? options;
		} else if (isOption) {
			const read = pattern === undefined ? readOption(value, options, act.bundles) : undefined;
			const last = read?.at(-1);
			if (last === undefined) {
				by = 'word';
				pending = value.includes('=') ? undefined : 'unknown';
			} else if (last.attached !== undefined) {
				by = await whyNotValue({value: last.attached, text: last.attached}, last.option.value, place);
			} else if (last.option.takes === 'value') {
				pending = last.option.value;
			}
		} else {
			const isNamed = !isFirst || act.first === undefined || act.first.test(value);
			by = act.hasOperands && isNamed ? await whyNotOperand(word, act, place) : 'word';
			isFirst &&= index < fixed && act.first?.test(value) !== true;
		}

		if (by !== undefined && index >= fixed) {
			gaps.push({index, by: (await isElsewhere(word, place)) ? 'place' : by});
		}
	}

	return gaps;
}

async function whyNotValue(
	word: Word,
	kind: OptionValue | 'unknown',
	place: PathPlace,
): Promise<Gap['by'] | undefined> {
	if (kind === 'text') {
		return undefined;
	}

	if (kind === 'unknown') {
		return 'word';
	}

	return kind === 'path' ? whyNotName(word, place) : kind.test(word.value) ? undefined : 'word';
}

/** Checks an operand, and every file that a pattern matches: one may be named like an option. */
async function whyNotOperand(
	{value, text, pattern}: Word,
	{except}: RuleAct,
	place: PathPlace,
): Promise<Gap['by'] | undefined> {
	const names = pattern === undefined ? undefined : await expandPattern(pattern, place.folder);
	if (pattern !== undefined && (/^-/.test(value) || (names === undefined && /^[*?]/.test(pattern)))) {
		return 'word';
	}

	for (const name of new Set([value, ...(names ?? [])])) {
		const isWord = name === value;
		const by =
			except?.test(name) || (!isWord && name.startsWith('-'))
				? 'word'
				: await whyNotName({value: name, text, ...(isWord && pattern !== undefined && {pattern})}, place);
		if (by !== undefined) {
			return by;
		}
	}

	return undefined;
}

/**
 * What begins like an option, a setting, a file of words or an address is no name: also behind `--`, where pytest still loads
 * what `-p` says. `npm:x` is an address, `a.test.ts:12` and `b::c` are not.
 */
const noName = /^(?:[-@+:]|[a-z_][\w.]*[:+?!]*=|[a-z][a-z\d+-]*:(?![:\d\s])|[a-z][a-z\d+.-]*:\/\/)/i;

/** Checks a name of a file, a test or a target. */
async function whyNotName(word: Word, place: PathPlace): Promise<Gap['by'] | undefined> {
	return noName.test(word.value) ? 'word' : (await isElsewhere(word, place)) ? 'place' : undefined;
}

/** True for a place outside the working folder, for git's own files, and for files whose names suggest secrets. */
async function isElsewhere({value, pattern}: Word, place: PathPlace): Promise<boolean> {
	// Which files a pattern names is known only when the shell runs.
	if (pattern !== undefined && (/(?:^|\/)(?:\.[^/]|~)/.test(value) || isSecretFile(value))) {
		return true;
	}

	// Behind “:” may be a file of a revision, and a value behind “=” or directly behind the letter of its option.
	const named = [value, /=(.*)$/s.exec(value)?.[1], /:([^:]*)$/.exec(value)?.[1], /^-\w(.+)$/s.exec(value)?.[1]];
	for (const path of named) {
		if (path && (/(?:^|\/)\.git(?:\/|$)/i.test(path) || (await whyNotPath(path, 'content', place)) !== undefined)) {
			return true;
		}
	}

	return false;
}

/**
 * Returns the rule that would allow a command of this kind again, with the words that no `*` covers, or exactly this one.
 * Returns undefined if none can.
 */
export async function suggestRule(command: SimpleCommand, folder: string, where: Where): Promise<Rule | undefined> {
	const values = command.words.map(({value}) => value);
	const isBare = values.length === 1 && mayRunWords(values);
	if (!hasHarmlessVariables(command) || takesInput(command) || isBare) {
		return undefined;
	}

	const found = findAct(values);
	const gaps = found?.act.isSuggested ? await findGaps(command, found.length, await placeOf(where)) : [];
	const last = gaps.at(-1)?.index ?? (found?.length ?? 0) - 1;
	const open =
		found?.act.isSuggested && gaps.every(({by}) => by === 'word') ? ruleFor(command, folder, last + 1) : undefined;
	const beginning = open && beginningOf(open, command, folder);
	return beginning && (await whyNotCovered(open, command, beginning, where)) === undefined
		? open
		: ruleFor(command, folder);
}

/** Returns the rule with the first words and `*`, or with exactly all words. */
function ruleFor({words}: SimpleCommand, folder: string, count?: number): Rule | undefined {
	const named = words.slice(0, count);
	const place = folder === '.' ? [] : ['cd', quoteWord(folder), '&&'];
	const texts = named.map(({value}) => quoteWord(value));
	const pattern = [...place, ...texts, ...(count === undefined ? [] : ['*'])].join(' ');
	const isRule = named.every(word => word.pattern === undefined) && pattern.length <= maxRuleLength;
	return isRule && !/\p{Cc}/u.test(pattern) ? {tool: 'run_command', pattern, effect: 'allow'} : undefined;
}
