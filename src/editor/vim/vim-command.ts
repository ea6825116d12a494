import {type Motion, motionNames} from './vim-motions.ts';
import {objectNames} from './vim-objects.ts';
import type {Find} from './vim-state.ts';

export type Operator = 'd' | 'c' | 'y';

/** A command of normal or visual mode. */
export type VimCommand =
	| {readonly kind: 'move'; readonly motion: Motion}
	| {readonly kind: 'object'; readonly name: string; readonly isAround: boolean}
	| {readonly kind: 'operator'; readonly operator: Operator; readonly target: Target}
	/** One letter, with its count and the character behind it. */
	| {readonly kind: 'single'; readonly name: string; readonly count: number; readonly character?: string};

/** What an operator acts on. */
export type Target =
	| {readonly kind: 'lines'; readonly count: number}
	| {readonly kind: 'motion'; readonly motion: Motion}
	| {readonly kind: 'object'; readonly name: string; readonly isAround: boolean};

/** The result of reading keys: a command, more keys to come, or keys that mean nothing. */
export type Read = VimCommand | 'more' | 'invalid';

const operators: readonly string[] = ['d', 'c', 'y'];
const finds: readonly string[] = ['f', 'F', 't', 'T'];
const singles: readonly string[] = [...'xXrsSCDYpPuJ~.vVoOaAiI', 'ctrl+r'];
const inVisual: readonly string[] = [...'xXdcysSDCYpPuJ~vVor', 'escape'];
const maxCount = 9999;

/** Names of keys that move like letters. */
const asLetter: Readonly<Record<string, string>> = {
	left: 'h',
	right: 'l',
	up: 'k',
	down: 'j',
	home: '0',
	end: '$',
	space: 'l',
	' ': 'l',
	backspace: 'h',
};

/** Reads the keys of a command. `lastFind` is what `;` and `,` repeat; in visual mode, operators act on the selection. */
export function readCommand(keys: readonly string[], lastFind: Find | undefined, isVisual: boolean): Read {
	const [count, afterCount] = readCount(keys);
	const [first] = afterCount;
	if (first === undefined) {
		return 'more';
	}

	if (isVisual && (first === 'i' || first === 'a')) {
		const object = readObject(afterCount);
		return typeof object === 'string' ? object : object;
	}

	if (!isVisual && operators.includes(first)) {
		return readOperator(first as Operator, count, afterCount.slice(1), lastFind);
	}

	if ((isVisual ? inVisual : singles).includes(first)) {
		const character = afterCount[1];
		return first === 'r'
			? character === undefined
				? 'more'
				: {kind: 'single', name: 'r', count: count ?? 1, character}
			: {kind: 'single', name: first, count: count ?? 1};
	}

	const motion = readMotion(count, afterCount, lastFind);
	return typeof motion === 'string' ? motion : {kind: 'move', motion};
}

function readOperator(
	operator: Operator,
	count: number | undefined,
	keys: readonly string[],
	lastFind: Find | undefined,
): Read {
	const [second, rest] = readCount(keys);
	const total =
		count === undefined && second === undefined ? undefined : Math.min(maxCount, (count ?? 1) * (second ?? 1));
	const [first] = rest;
	if (first === undefined) {
		return 'more';
	}

	if (first === operator) {
		return {kind: 'operator', operator, target: {kind: 'lines', count: total ?? 1}};
	}

	const target = first === 'i' || first === 'a' ? readObject(rest) : readMotion(total, rest, lastFind);
	return typeof target === 'string'
		? target
		: {
				kind: 'operator',
				operator,
				target: 'kind' in target ? target : {kind: 'motion', motion: {...target, isOperand: true}},
			};
}

function readObject([kind, name]: readonly string[]): Extract<Target, {kind: 'object'}> | 'more' | 'invalid' {
	if (name === undefined) {
		return 'more';
	}

	return objectNames.includes(name) ? {kind: 'object', name, isAround: kind === 'a'} : 'invalid';
}

function readMotion(
	count: number | undefined,
	[first = '', second]: readonly string[],
	lastFind: Find | undefined,
): Motion | 'more' | 'invalid' {
	const letter = asLetter[first] ?? first;
	if (finds.includes(letter)) {
		return second === undefined
			? 'more'
			: {name: letter, count, find: {kind: letter as Find['kind'], character: second}};
	}

	if (letter === ';' || letter === ',') {
		return lastFind ? {name: letter, count, find: letter === ';' ? lastFind : reversed(lastFind)} : 'invalid';
	}

	if (letter === 'g') {
		return second === undefined ? 'more' : second === 'g' ? {name: 'gg', count} : 'invalid';
	}

	return motionNames.includes(letter) ? {name: letter, count} : 'invalid';
}

function reversed({kind, character}: Find): Find {
	const isUpper = kind === kind.toUpperCase();
	return {kind: (isUpper ? kind.toLowerCase() : kind.toUpperCase()) as Find['kind'], character};
}

/** Returns the count that the keys begin with, and the rest. */
function readCount(keys: readonly string[]): readonly [number | undefined, readonly string[]] {
	const digits = keys.findIndex((key, index) => !(index === 0 ? /^[1-9]$/ : /^\d$/).test(key));
	const length = digits === -1 ? keys.length : digits;
	return length === 0
		? [undefined, keys]
		: [Math.min(maxCount, Number(keys.slice(0, length).join(''))), keys.slice(length)];
}
