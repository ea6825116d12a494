import {type AnyAction, actionsIn, allKeys, type Context, contexts} from '../../editor/keymap/contexts.ts';
import {defaultKeys, type KeyTable} from '../../editor/keymap/default-keys.ts';
import {keyLabel} from '../../editor/keymap/key-label.ts';
import {keyNamed, noOwnKeys, type OwnKeys} from '../../editor/keymap/keymap.ts';
import {closest} from '../closest.ts';

/** The keys of the user. */
type UserKeys = {
	readonly own: OwnKeys;
	/** A sentence for each that is not used, with what is used instead. */
	readonly faults: readonly string[];
	/** A sentence for each action that lost its keys to others. */
	readonly notes: readonly string[];
};

/** Keys of one action: more would only be a mistake. */
const maxKeys = 20;

const actions = Object.keys(allKeys) as readonly AnyAction[];
const contextOf: ReadonlyMap<string, Context> = new Map(
	contexts.flatMap(context => actionsIn(context).map(action => [action, context] as const)),
);

/**
 * Reads the setting `keys`: an object of actions, each with a key, or a list of keys that replaces the default ones. A key of
 * the user is taken from the action that has it by default. Never throws; what is invalid changes nothing. Faults say what is
 * used instead, unless the value is not saved yet.
 */
export function readKeys(value: unknown, isSaved = true): UserKeys {
	if (typeof value !== 'object' || value === null || Array.isArray(value)) {
		return {own: noOwnKeys, faults: ['keys must be an object: actions with their keys.'], notes: []};
	}

	const faults: string[] = [];
	const wanted: Wanted[] = [];
	/** The actions whose keys the user replaces. */
	const replaced = new Set<string>();
	for (const [name, given] of Object.entries(value)) {
		const context = contextOf.get(name);
		const list = typeof given === 'string' ? [given] : given;
		if (!context) {
			faults.push(`Unknown action “${name}”.${nearTo(name)}`);
		} else if (!Array.isArray(list) || list.length > maxKeys || !list.every(key => typeof key === 'string')) {
			faults.push(`${name} must be a key or a list of keys${isSaved ? `; ${usedInstead(name)}` : ''}.`);
		} else {
			const found = keysIn(name, {list, context, isSaved}, faults);
			wanted.push(...found);
			if (found.length > 0 || list.length === 0) {
				replaced.add(name);
			}
		}
	}

	return resolved({wanted, replaced}, faults);
}

type Given = {readonly list: readonly string[]; readonly context: Context; readonly isSaved: boolean};

function keysIn(action: string, {list, context, isSaved}: Given, faults: string[]): readonly Wanted[] {
	const read = list.map(typed => ({typed, ...parseKey(typed, context)}));
	const valid = read.flatMap(({key}) => (key === undefined ? [] : [{action, key}]));
	for (const {typed, fault} of read) {
		if (fault !== undefined) {
			const instead = valid.length > 0 ? 'its other keys are used' : usedInstead(action);
			faults.push(`${action}: “${typed}” ${fault}${isSaved ? `; ${instead}` : ''}.`);
		}
	}

	return valid;
}

/** Resolves each context after the prompt, whose keys are global in some of them. */
function resolved(bound: Bound, faults: readonly string[]): UserKeys {
	const found: {own: OwnKeys; faults: readonly string[]; notes: readonly string[]}[] = [];
	let own: OwnKeys = noOwnKeys;
	for (const context of contexts) {
		const next = resolveContext(context, bound, own);
		found.push(next);
		own = {...own, ...next.own};
	}

	return {
		own: Object.keys(own).length > 0 ? own : noOwnKeys,
		faults: [...faults, ...found.flatMap(each => each.faults)],
		notes: found.flatMap(each => each.notes),
	};
}

function usedInstead(action: string): string {
	const keys = allKeys[action] ?? [];
	return `${keys.map(keyLabel).join(', ') || 'none'} ${keys.length === 1 ? 'stays' : 'stay'}`;
}

/** Returns a question for the action with the most similar name. */
function nearTo(name: string): string {
	const near = actions.find(action => action.endsWith(`.${name}`)) ?? closest(name, actions);
	return near ? ` Did you mean “${near}”?` : '';
}

/** A key that the user wants for an action. */
type Wanted = {readonly action: string; readonly key: string};

/** What the user bound, and the actions whose default keys that replaces. */
type Bound = {readonly wanted: readonly Wanted[]; readonly replaced: ReadonlySet<string>};

/** Two actions that want the same key, or keys of which one begins the other. */
type Conflict = {readonly wanted: Wanted; readonly owner: string; readonly owned: string};

type Resolved = {readonly own: OwnKeys; readonly faults: readonly string[]; readonly notes: readonly string[]};

/**
 * Returns the keys of the actions of a context that differ from the default ones. A key that two actions want goes to the
 * first one, and one that is global in the context stays global; `before` has the keys of the contexts resolved so far.
 */
function resolveContext(context: Context, bound: Bound, before: OwnKeys): Resolved {
	const actions = actionsIn(context);
	const wanted = bound.wanted.filter(({action}) => actions.includes(action));
	const {owners, conflicts} = ownersOf(wanted, globalKeys(context, actions, before));
	const keys: KeyTable = Object.fromEntries(
		actions.map(action => [action, keysOf({action, defaults: context.keys[action] ?? []}, owners, {...bound, wanted})]),
	);
	const {needs} = context;
	if (needs !== undefined && keys[needs]?.length === 0) {
		return {own: {}, faults: [`${needs} needs a key; the default keys are used.`], notes: []};
	}

	const unbound = actions.filter(action => {
		const had = context.keys[action] ?? [];
		return had.length > 0 && keys[action]?.length === 0 && !bound.replaced.has(action);
	});
	return {
		own: Object.fromEntries(
			Object.entries(keys).filter(([action, now]) => now.join(',') !== context.keys[action]?.join(',')),
		),
		faults: conflicts.map(conflict => conflictText(conflict, keys)),
		notes: unbound.map(action => {
			const [first = ''] = context.keys[action] ?? [];
			const [owner, key] = ownerOf(first, owners);
			return `${action} has no key now: ${keyLabel(key)} is bound to ${owner}.`;
		}),
	};
}

/** Returns the keys that are global in a context. */
function globalKeys(
	{keys, isInPrompt}: Context,
	actions: readonly string[],
	own: OwnKeys,
): ReadonlyMap<string, string> {
	const others = Object.keys(keys).filter(action => !actions.includes(action));
	const pairs = others.flatMap(action => (own[action] ?? keys[action] ?? []).map(key => [key, action] as const));
	// A sequence works in the prompt only.
	const chords = pairs.filter(([key]) => !key.includes(' '));
	return new Map([...chords, ...(isInPrompt ? sequencesOf(own) : [])]);
}

/** Returns the sequences of the prompt. */
function sequencesOf(own: OwnKeys): ReadonlyArray<readonly [key: string, action: string]> {
	return Object.entries({...defaultKeys, ...own}).flatMap(([action, keys]) =>
		keys.filter(key => key.includes(' ')).map(key => [key, action] as const),
	);
}

/** Returns the action that each key of the user goes to, and the actions that wanted it, too. */
function ownersOf(wanted: readonly Wanted[], global: ReadonlyMap<string, string>) {
	const owners = new Map(global);
	const conflicts: Conflict[] = [];
	for (const each of wanted) {
		const [owner, owned] = ownerOf(each.key, owners);
		if (owner === undefined) {
			owners.set(each.key, each.action);
		} else if (owner !== each.action || owned !== each.key) {
			conflicts.push({wanted: each, owner, owned});
		}
	}

	return {owners, conflicts};
}

type Unbound = {readonly action: string; readonly defaults: readonly string[]};

/** Returns the keys that the user wants for an action, or those of its default keys that no other action got. */
function keysOf(
	{action, defaults}: Unbound,
	owners: ReadonlyMap<string, string>,
	{wanted, replaced}: Bound,
): readonly string[] {
	const own = [...owners].flatMap(([key, owner]) => (owner === action ? [key] : []));
	const isUnbound = replaced.has(action) && !wanted.some(each => each.action === action);
	return own.length > 0 || isUnbound ? own : defaults.filter(key => ownerOf(key, owners)[0] === undefined);
}

function conflictText({wanted: {action, key}, owner, owned}: Conflict, keys: KeyTable): string {
	const what =
		key === owned
			? `${keyLabel(key)} is bound to ${owner} and ${action}`
			: `${keyLabel(owned)} is bound to ${owner} and ${keyLabel(key)} to ${action}, but one begins the other`;
	const left = keys[action]?.map(keyLabel).join(', ') || 'no key';
	return `${what}; ${owner} has it, and ${action} has ${left}.`;
}

/** Returns the action that has a key, or a key that begins it or that it begins, with that key. */
function ownerOf(key: string, owners: ReadonlyMap<string, string>): readonly [string | undefined, string] {
	for (const [other, action] of owners) {
		if (other === key || other.startsWith(`${key} `) || key.startsWith(`${other} `)) {
			return [action, other];
		}
	}

	return [undefined, key];
}

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
	'enter',
	'tab',
	'backspace',
	'delete',
	'escape',
	'space',
	'up',
	'down',
	'left',
	'right',
	'home',
	'end',
	'page-up',
	'page-down',
	'insert',
	...Array.from({length: 12}, (_, index) => `f${index + 1}`),
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
