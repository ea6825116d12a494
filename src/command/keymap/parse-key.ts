import {keyNamed} from '../../editor/keymap/keymap.ts';

/** Other names of keys and modifiers, as users write them. */
const otherNames: Readonly<Record<string, string>> = {
	control: 'ctrl',
	meta: 'alt',
	option: 'alt',
	esc: 'escape',
	return: 'enter',
	del: 'delete',
	ins: 'insert',
	pageup: 'page-up',
	pagedown: 'page-down',
	pgup: 'page-up',
	pgdn: 'page-down',
};

const names = new Set([
	...['enter', 'tab', 'backspace', 'delete', 'escape', 'space', 'up', 'down', 'left', 'right', 'home', 'end'],
	...['page-up', 'page-down', 'insert', ...Array.from({length: 12}, (_, index) => `f${index + 1}`)],
]);

/** Keys that terminals send as the same byte as another one. */
const sameByte: Readonly<Record<string, string>> = {'ctrl+i': 'Tab', 'ctrl+m': 'Enter', 'ctrl+[': 'Esc'};

/** Keys that must do the same everywhere. */
const reserved: ReadonlySet<string> = new Set(['ctrl+c', 'escape']);

type Parsed = {readonly key: string; readonly fault?: never} | {readonly key?: never; readonly fault: string};

/** What keys may be where they are used. */
type Place = {
	/** True if the user types text there. */
	readonly isTyping: boolean;
	/** True if two chords may be a sequence. */
	readonly joins?: true;
};

/**
 * Returns the name of a key in a keymap: `Ctrl+X Ctrl+E` is `ctrl+x ctrl+e`. A `fault` is worded to follow the key as
 * it was typed.
 */
export function parseKey(typed: string, {isTyping, joins}: Place): Parsed {
	const words = typed.trim().split(/\s+/);
	const chords = words.map(parseChord);
	const fault = chords.find(chord => chord.fault !== undefined);
	if (fault) {
		return fault;
	}

	const [first = '', second] = chords.map(({key = ''}) => key);
	if (chords.length > (joins ? 2 : 1)) {
		return {fault: joins ? 'has more than two chords' : 'has more than one chord, which only the prompt supports'};
	}

	const isReserved = [first, second].some(key => key !== undefined && reserved.has(key));
	return isTyping && isText(first)
		? {fault: 'types text'}
		: isReserved
			? {fault: 'always does what it does'}
			: {key: second === undefined ? first : `${first} ${second}`};
}

function parseChord(word: string): Parsed {
	const [, prefix = '', last = ''] = /^((?:[a-z]+\+)*)(.*)$/i.exec(word) ?? [];
	const modifiers = prefix.toLowerCase().split('+').filter(Boolean).map(canonical);
	const name = canonical(last.toLowerCase());
	const unknown = modifiers.find(modifier => !['ctrl', 'alt', 'shift'].includes(modifier));
	if (unknown !== undefined) {
		return {fault: `has an unknown modifier “${unknown}” (ctrl, alt and shift are known)`};
	}

	if (!names.has(name) && !/^[^\s\p{C}]$/u.test(name)) {
		return {fault: name === '' ? 'names no key' : `has an unknown key “${name}”`};
	}

	if ([...last].length === 1 && !modifiers.includes('ctrl') && !modifiers.includes('alt')) {
		return characterKey(last, modifiers.includes('shift'));
	}

	const chord = keyNamed(
		['ctrl', 'alt', 'shift']
			.filter(each => modifiers.includes(each))
			.concat(name)
			.join('+'),
	);
	const same = sameByte[chord];
	return same === undefined ? {key: chord} : {fault: `is ${same} in most terminals`};
}

/** Returns the key that types a character: `G` is Shift and `g`. */
function characterKey(character: string, isShifted: boolean): Parsed {
	const upper = character.toUpperCase();
	return isShifted && upper === character.toLowerCase()
		? {fault: 'types another character; bind that one'}
		: {key: isShifted ? upper : character};
}

function canonical(name: string): string {
	return otherNames[name] ?? name;
}

/** True for a chord that types a character. */
function isText(chord: string): boolean {
	return /^(?:shift\+)?space$/.test(chord) || [...chord].length === 1;
}
