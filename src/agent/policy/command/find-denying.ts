import {forEachChild, parse, type SyntaxNode} from 'unbash';
import {type CommandPattern, readCommandPattern} from '../rules/command-pattern.ts';
import {deniesWords, type GivenWord, mayDenyWords} from '../rules/match-command.ts';
import type {Rule} from '../rules/rule.ts';
import {readPaths} from './read-only.ts';
import {baseName, hasAliases, isFed, readsUnknown, runsOthers, shellTexts, wordsOf} from './runners.ts';

/** The deepest command inside a command that is looked into. */
const maxDepth = 6;
const maxWords = 5000;

type Found = {
	/** The words of each command, at any place. */
	readonly commands: (readonly GivenWord[])[];
	/** The words that a program is given which may run them, for all that is known of it. */
	readonly passed: (readonly GivenWord[])[];
	/** True if a part is known only when it runs. */
	hidden: boolean;
};

/**
 * Finds a rule that denies a command or any part of it: in lists, loops, functions and substitutions, after `sudo`,
 * `xargs` and the like, in texts for another shell, by any path of the program. `mayBeDenied` is true if there are such
 * rules and a part that can't be compared with them, or what they deny stands behind a program that may run it.
 */
export function findDenying(
	command: string,
	rules: readonly Rule[],
): {readonly denying?: Rule; readonly mayBeDenied: boolean} {
	const denying = rules.filter(({tool, effect}) => effect === 'deny' && tool === 'run_command');
	if (denying.length === 0) {
		return {mayBeDenied: false};
	}

	const found: Found = {commands: [], passed: [], hidden: false};
	try {
		collect(command, found, 0);
	} catch (error) {
		// The parser reads parts when they are visited, and too many inside each other overflow the stack.
		if (!(error instanceof RangeError)) {
			throw error;
		}

		found.hidden = true;
	}

	const patternOf = ({pattern}: Rule) => {
		const read = pattern === undefined ? undefined : readCommandPattern(pattern);
		return read && !('fault' in read) ? read : undefined;
	};
	const first = denying.find(entry => {
		const pattern = patternOf(entry);
		return !pattern || found.commands.some(words => deniesWords(pattern, words));
	});
	if (first) {
		return {denying: first, mayBeDenied: true};
	}

	const patterns = denying.flatMap(entry => patternOf(entry) ?? []);
	const mayDeny = (pattern: CommandPattern) =>
		found.commands.some(words => mayDenyWords(pattern, words)) ||
		found.passed.some(words => words.some((_, start) => deniesWords(pattern, words.slice(start))));
	return {mayBeDenied: found.hidden || patterns.some(mayDeny)};
}

function collect(text: string, found: Found, depth: number): void {
	if (depth > maxDepth || found.commands.length > maxWords) {
		found.hidden = true;
		return;
	}

	const script = parse(text);
	if (script.errors?.length) {
		found.hidden = true;
		// What can't be parsed is compared word by word.
		const words = text.split(/[\s;|&()<>`'"$]+/).filter(Boolean);
		found.commands.push(words.map(value => ({value})));
	}

	const visit = (node: SyntaxNode): void => {
		if (node.type === 'Command') {
			const words = wordsOf(node);
			found.hidden ||= (node.name !== undefined && isUnknown(node.name.text)) || hasAliases(words);
			addCommand(words, textsIn(node), found);
			for (const inner of shellTexts(node)) {
				collect(inner, found, depth + 1);
			}
		} else if (node.type === 'Pipeline') {
			found.hidden ||= readsUnknown(node);
		}

		if (runsTexts(node)) {
			const texts = textsIn(node).filter(inner => /[\s;|&]/.test(inner) && inner !== text);
			for (const inner of texts.flatMap(withValue)) {
				collect(inner, found, depth + 1);
			}

			addPrinted(node, found);
		}

		forEachChild(node, visit);
	};
	visit(script);
}

/** True for a program that may run a text which it is given, and for a pipeline that ends in one. */
function runsTexts(node: SyntaxNode): boolean {
	if (node.type === 'Pipeline') {
		return node.commands.some(runsTexts);
	}

	return node.type === 'Command' && runsOthers(wordsOf(node));
}

/** Returns a text, and the value behind an option in it: `--exec=rm x`, `-Srm x`. */
function withValue(text: string): readonly string[] {
	const value = /^(?:--[\w-]+=|-\w)(.+)$/s.exec(text)?.[1];
	return value === undefined ? [text] : [text, value];
}

/** Returns the words and here-documents of a command or a pipeline. */
function textsIn(node: SyntaxNode): readonly string[] {
	const texts: string[] = [];
	const visit = (child: SyntaxNode): void => {
		if (child.type === 'Word') {
			texts.push(child.value);
		} else if (child.type === 'HereDocBody') {
			texts.push(child.text);
		} else {
			forEachChild(child, visit);
		}
	};
	forEachChild(node, visit);
	return texts;
}

/** Adds a command, and for a program that runs others, every command that its words may be. */
function addCommand(words: readonly GivenWord[], texts: readonly string[], found: Found): void {
	found.commands.push(words);
	if (runsOthers(words)) {
		// What it reads follows the words that it is given.
		addEnds(isFed(words) ? [...words, {value: '', start: ''}] : words, found);
		found.hidden ||= words.some(({value}) => isUnknown(value));
	}

	addPassed(words, texts, found);
}

/** Adds what a program may run, listed or not: its words, and those in its texts. Nothing if it is known to take them for data. */
function addPassed([name, ...words]: readonly GivenWord[], texts: readonly string[], found: Found): void {
	const program = baseName(name?.value ?? '');
	const args = words.map(({value}) => ({value, isFile: false}));
	if (typeof readPaths(name?.value ?? '', args) === 'object') {
		return;
	}

	// The name of a script of `npm run` is none of a program.
	const given =
		program === 'git'
			? words.filter((_, index) => mayRunInGit(words, index))
			: words.slice(program === 'npm' && words[0]?.value === 'run' ? 2 : 0);
	const others = program === 'git' ? [] : texts.filter(text => ![name, ...words].some(word => word?.value === text));
	const parts = [...given.map(({value}) => value), ...others]
		.flatMap(withValue)
		.flatMap(text => text.split(/[^\w./+@%-]+/).filter(Boolean));
	found.hidden ||= parts.length > maxWords;
	found.passed.push(
		given,
		parts.slice(0, maxWords).map(value => ({value})),
	);
}

/** True for a value of a setting or an option of git that is no message, and for an address; not for its own commands. */
function mayRunInGit(words: readonly GivenWord[], index: number): boolean {
	const value = words[index]?.value ?? '';
	const before = words[index - 1]?.value ?? '';
	const isMessage = /^(?:-\w*m|--message)$/.test(before) || /^(?:-m.|--message=)/.test(value);
	return !isMessage && (before.startsWith('-') || /=|::/.test(value));
}

/** Adds the words that a pipeline prints for a program that runs them. */
function addPrinted(node: SyntaxNode, found: Found): void {
	for (const part of node.type === 'Pipeline' ? node.commands : []) {
		const words = part.type === 'Command' ? wordsOf(part) : [];
		if (/^(?:echo|printf)$/.test(baseName(words[0]?.value ?? ''))) {
			addEnds(words, found);
		}
	}
}

/** Adds every command that the words after the first one may be. */
function addEnds(words: readonly GivenWord[], found: Found): void {
	for (let start = 1; start < words.length && found.commands.length <= maxWords; start++) {
		found.commands.push(words.slice(start));
	}
}

function isUnknown(text: string): boolean {
	return /[$`*?[{]|[<>]\(|^~/.test(text);
}
