import {
	type AndOr,
	type CommandNode,
	type Command as CommandSyntax,
	type ParsedScript,
	type Pipeline,
	parse,
	type Redirection as RedirectionSyntax,
	type Statement,
} from 'unbash';
import {unseenCharacters} from '../../../core/json.ts';
import {readWord, type Word} from './word.ts';

type Redirection = {
	readonly operator: '<' | '>' | '>>' | '>|' | '&>' | '&>>';
	readonly target: Word;
};

/** One program with its arguments, all known before it runs. */
export type SimpleCommand = {
	readonly words: readonly [Word, ...Word[]];
	readonly variables: ReadonlyArray<readonly [name: string, value: string]>;
	/** Redirections to and from files, without those between descriptors. */
	readonly redirections: readonly Redirection[];
	/** True if it runs, in the shell itself, only after all before it succeeded: a `cd` there holds for all that follow. */
	readonly inSequence: boolean;
	/** True if its input comes from another command or a file. */
	readonly hasInput: boolean;
};

/** The simple commands of a command, or why it isn't fully understood: a clause. */
type ParsedCommand = {readonly commands: readonly SimpleCommand[]} | {readonly why: string};

const maxLength = 20_000;
const maxCommands = 50;

/** Line feeds and tabs aside, no control characters, and nothing that the eye can't see. */
const unseen = new RegExp(`[^\\P{C}\\n\\t]|(?![\\n\\t])[${unseenCharacters}]|[^\\P{Zs} ]`, 'u');

/**
 * Splits a command for bash into simple commands (SAFETY 14). Understands lists, pipelines, subshells and groups of
 * programs with plain arguments; anything else has a `why`, and a person must decide.
 */
export function parseCommand(text: string): ParsedCommand {
	if (text.length > maxLength) {
		return {why: 'is too long to check'};
	}

	if (unseen.test(text)) {
		return {why: 'has invisible or unusual characters'};
	}

	const script = parseBash(text);
	if (!script || script.errors?.length) {
		return {why: "isn't valid bash"};
	}

	const commands: SimpleCommand[] = [];
	const seen: (readonly [start: number, end: number])[] = [];
	const why = readScript(script, {text, commands, seen});
	if (why !== undefined) {
		return {why};
	}

	if (commands.length === 0) {
		return {why: 'contains no command'};
	}

	if (commands.length > maxCommands) {
		return {why: `contains more than ${maxCommands} commands`};
	}

	return coversAll(text, seen) ? {commands} : {why: "isn't fully understood"};
}

/** Returns the syntax of a text; undefined if it is nested too deeply. */
function parseBash(text: string): ParsedScript | undefined {
	try {
		return parse(text);
	} catch (error) {
		if (error instanceof RangeError) {
			return undefined;
		}

		throw error;
	}
}

/** Returns whether a command starts something with `&` and doesn't wait for it, as far as its text tells. */
export function leavesRunning(text: string): boolean {
	return text.length <= maxLength && !/\bwait\b/.test(text) && hasBackground(parseBash(text));
}

function hasBackground(node: unknown): boolean {
	return (
		typeof node === 'object' &&
		node !== null &&
		(('background' in node && node.background === true) || Object.values(node).some(hasBackground))
	);
}

type Reading = {
	readonly text: string;
	readonly commands: SimpleCommand[];
	/** The ranges of all words and redirections. */
	readonly seen: (readonly [start: number, end: number])[];
};

type Position = Pick<SimpleCommand, 'inSequence' | 'hasInput'>;

/** Collects the simple commands. Returns why one isn't understood. */
function readScript({commands}: ParsedScript, reading: Reading): string | undefined {
	return firstOf(commands, statement =>
		readStatement(statement, reading, {inSequence: commands.length === 1, hasInput: false}),
	);
}

function readStatement({command, background}: Statement, reading: Reading, at: Position): string | undefined {
	if (background) {
		return 'leaves a program running in the background';
	}

	if (command.type !== 'AndOr') {
		return readPipeline(command, reading, at);
	}

	const inSequence = at.inSequence && command.operators.every(operator => operator === '&&');
	return firstOf(command.commands, part => readPipeline(part, reading, {...at, inSequence}));
}

function readPipeline(node: AndOr['commands'][number], reading: Reading, at: Position): string | undefined {
	if (node.type !== 'Pipeline') {
		return readNode(node, reading, at);
	}

	const {prefixes, commands}: Pipeline = node;
	for (const {pos, end} of prefixes) {
		if (!['!', 'time'].includes(reading.text.slice(pos, end))) {
			return "isn't fully understood";
		}

		reading.seen.push([pos, end]);
	}

	return firstOf(commands, (part, index) =>
		readNode(part, reading, {inSequence: false, hasInput: at.hasInput || index > 0}),
	);
}

function readNode(node: CommandNode, reading: Reading, at: Position): string | undefined {
	switch (node.type) {
		case 'Command':
			return readSimple(node, reading, at);
		case 'Subshell':
		case 'BraceGroup': {
			const {pos, end} = node;
			reading.seen.push([pos, pos + 1], [end - 1, end]);
			return firstOf(node.body.commands, statement => readStatement(statement, reading, {...at, inSequence: false}));
		}
		case 'Function':
			return 'defines a function';
		case 'Coproc':
			return 'leaves a program running in the background';
		case 'Redirected':
			return 'redirects the output of several commands';
		case 'TestCommand':
		case 'ArithmeticCommand':
			return 'evaluates an expression';
		default:
			return 'contains a loop or a condition';
	}
}

function readSimple(node: CommandSyntax, reading: Reading, at: Position): string | undefined {
	const variables: [string, string][] = [];
	const redirections: Redirection[] = [];
	const words: Word[] = [];
	for (const item of [...node.prefix, ...(node.name ? [node.name] : []), ...node.suffix]) {
		reading.seen.push([item.pos, item.end]);
		const text = reading.text.slice(item.pos, item.end);
		if (item.type === 'Word') {
			const word = readWord(text);
			if (word?.value !== item.value) {
				return whyNot(text);
			}

			words.push(word);
		} else if (item.type === 'Assignment') {
			const [, name, value] = /^(\w+)=([\w.,@%+-]*)$/.exec(text) ?? [];
			if (name === undefined || value === undefined || node.suffix.includes(item)) {
				return 'sets variables';
			}

			variables.push([name, value]);
		} else {
			const read = readRedirection(item, text);
			if (typeof read === 'string') {
				return read;
			}

			redirections.push(...read);
		}
	}

	const [name, ...rest] = words;
	if (!name || name.pattern !== undefined) {
		return name ? 'starts a program whose name is a pattern' : 'sets variables or redirects without a command';
	}

	const hasInput = at.hasInput || redirections.some(({operator}) => operator === '<');
	reading.commands.push({words: [name, ...rest], variables, redirections, ...at, hasInput});
	return undefined;
}

/** Returns the redirection, nothing if it is only between descriptors, or why it isn't understood. */
function readRedirection(node: RedirectionSyntax, text: string): readonly Redirection[] | string {
	if (node.type !== 'Redirect') {
		return 'has a here-document';
	}

	if (/^\d?>&(?:\d|-)$|^\d?<&-$|^(?:\d?>>?|&>>?|\d?<)\s*\/dev\/null$/.test(text)) {
		return [];
	}

	const [, operator, targetText = ''] = /^\d?(<|>|>>|>\||&>|&>>)[ \t]*([^<>&|\s].*)$/s.exec(text) ?? [];
	const target = readWord(targetText);
	if (operator !== node.operator || !target || target.value !== node.target?.value) {
		return 'has a redirection that needs a look';
	}

	return [{operator: operator as Redirection['operator'], target}];
}

/** Returns what makes a word unknown before it runs. */
function whyNot(text: string): string {
	if (/`|\$\(|[<>]\(/.test(text)) {
		return 'runs a command inside another';
	}

	return text.includes('$') ? 'uses variables' : 'has words that the shell changes';
}

function firstOf<Item>(
	items: readonly Item[],
	read: (item: Item, index: number) => string | undefined,
): string | undefined {
	for (const [index, item] of items.entries()) {
		const why = read(item, index);
		if (why !== undefined) {
			return why;
		}
	}

	return undefined;
}

/** What may stand between words and redirections: blanks, list and pipe operators, and comments. */
const between = /^(?:[ \t\n;|]|&&|\\\n)*$/;
const comment = /(?<=[ \t\n;])#[^\n]*/g;

/**
 * True if nothing but operators that `parseCommand` understands stands outside of the ranges: a check of the parser, so
 * that a part which it overlooks is never taken for nothing.
 */
function coversAll(text: string, ranges: ReadonlyArray<readonly [start: number, end: number]>): boolean {
	let at = 0;
	for (const [start, end] of [...ranges.toSorted(([a], [b]) => a - b), [text.length, text.length] as const]) {
		// A comment begins after a blank, never in a word: the character before the gap counts.
		const gap = `${at === 0 ? '\n' : text.charAt(at - 1)}${text.slice(at, start)}`;
		if (start < at || !between.test(gap.replace(comment, '').slice(1))) {
			return false;
		}

		at = end;
	}

	return true;
}
