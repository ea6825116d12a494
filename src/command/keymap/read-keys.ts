import {type Action, defaultKeys} from '../../editor/keymap/default-keys.ts';
import {keyLabel} from '../../editor/keymap/key-label.ts';
import {defaultKeymap, type KeyBindings, type Keymap, keymapOf} from '../../editor/keymap/keymap.ts';
import {closest} from '../closest.ts';
import {parseKey} from './parse-key.ts';

/** The keys of the user. */
export type UserKeys = {
	readonly keymap: Keymap;
	/** A sentence for each that is not used, with what is used instead. */
	readonly faults: readonly string[];
	/** A sentence for each action that lost its keys to others. */
	readonly notes: readonly string[];
};

/** A key that the user wants for an action. */
type Wanted = {readonly action: Action; readonly key: string};

/** Keys of one action: more would only be a mistake. */
const maxKeys = 20;

const actions = Object.keys(defaultKeys) as readonly Action[];

/**
 * Reads the setting `keys`: an object of actions, each with a key, or a list of keys that replaces the default ones. A key of
 * the user is taken from the action that has it by default. Never throws; what is invalid changes nothing.
 */
export function readKeys(value: unknown): UserKeys {
	if (typeof value !== 'object' || value === null || Array.isArray(value)) {
		return {keymap: defaultKeymap, faults: ['keys must be an object: actions with their keys.'], notes: []};
	}

	const faults: string[] = [];
	const wanted: Wanted[] = [];
	/** The actions whose keys the user replaces. */
	const replaced = new Set<Action>();
	for (const [name, given] of Object.entries(value)) {
		const action = actions.find(each => each === name);
		const list = typeof given === 'string' ? [given] : given;
		if (!action) {
			faults.push(`Unknown action “${name}”.${nearTo(name)} /keys-help lists all.`);
		} else if (!Array.isArray(list) || list.length > maxKeys || !list.every(key => typeof key === 'string')) {
			faults.push(`${action} must be a key or a list of keys; ${usedInstead(action)}.`);
		} else {
			const found = keysIn(action, list, faults);
			wanted.push(...found);
			if (found.length > 0 || list.length === 0) {
				replaced.add(action);
			}
		}
	}

	const {keys, conflicts, notes} = resolved(wanted, replaced);
	return keys['prompt.send'].length > 0
		? {keymap: keymapOf(keys), faults: [...faults, ...conflicts], notes}
		: {keymap: defaultKeymap, faults: ['prompt.send needs a key; the default keys are used.'], notes: []};
}

function keysIn(action: Action, list: readonly string[], faults: string[]): readonly Wanted[] {
	const read = list.map(typed => ({typed, ...parseKey(typed)}));
	const valid = read.flatMap(({key}) => (key === undefined ? [] : [{action, key}]));
	for (const {typed, fault} of read) {
		if (fault !== undefined) {
			const instead = valid.length > 0 ? 'its other keys are used' : usedInstead(action);
			faults.push(`${action}: “${typed}” ${fault}; ${instead}.`);
		}
	}

	return valid;
}

/** Two actions that want the same key, or keys of which one begins the other. */
type Conflict = {readonly wanted: Wanted; readonly owner: Action; readonly owned: string};

/** Returns the keys of every action: a key that two actions want goes to the first one. */
function resolved(wanted: readonly Wanted[], replaced: ReadonlySet<Action>) {
	const owners = new Map<string, Action>();
	const conflicts: Conflict[] = [];
	for (const each of wanted) {
		const [owner, owned] = ownerOf(each.key, owners);
		if (owner === undefined) {
			owners.set(each.key, each.action);
		} else if (owner !== each.action || owned !== each.key) {
			conflicts.push({wanted: each, owner, owned});
		}
	}

	const keys = Object.fromEntries(actions.map(action => [action, keysOf(action, owners, replaced, wanted)])) as Record<
		Action,
		readonly string[]
	>;
	const unbound = actions.filter(action => keys[action].length === 0 && !replaced.has(action));
	const notes = unbound.map(action => {
		const [first = ''] = defaultKeys[action];
		return `${action} has no key now: ${keyLabel(first)} is bound to ${ownerOf(first, owners)[0]}.`;
	});
	return {keys, conflicts: conflicts.map(conflict => conflictText(conflict, keys)), notes};
}

/** Returns the keys that the user wants for an action, or those of its default keys that no other action got. */
function keysOf(
	action: Action,
	owners: ReadonlyMap<string, Action>,
	replaced: ReadonlySet<Action>,
	wanted: readonly Wanted[],
): readonly string[] {
	const own = [...owners].flatMap(([key, owner]) => (owner === action ? [key] : []));
	const isUnbound = replaced.has(action) && !wanted.some(each => each.action === action);
	return own.length > 0 || isUnbound ? own : defaultKeys[action].filter(key => ownerOf(key, owners)[0] === undefined);
}

function conflictText({wanted: {action, key}, owner, owned}: Conflict, keys: KeyBindings): string {
	const what =
		key === owned
			? `${keyLabel(key)} is bound to ${owner} and ${action}`
			: `${keyLabel(owned)} is bound to ${owner} and ${keyLabel(key)} to ${action}, but one begins the other`;
	const left = keys[action].map(keyLabel).join(', ') || 'no key';
	return `${what}; ${owner} has it, and ${action} has ${left}.`;
}

/** Returns the action that has a key, or a key that begins it or that it begins, with that key. */
function ownerOf(key: string, owners: ReadonlyMap<string, Action>): readonly [Action | undefined, string] {
	for (const [other, action] of owners) {
		if (other === key || other.startsWith(`${key} `) || key.startsWith(`${other} `)) {
			return [action, other];
		}
	}

	return [undefined, key];
}

function usedInstead(action: Action): string {
	return `${defaultKeys[action].map(keyLabel).join(', ')} ${defaultKeys[action].length === 1 ? 'stays' : 'stay'}`;
}

/** Returns a question for the action with the most similar name. */
function nearTo(name: string): string {
	const near = actions.find(action => action.endsWith(`.${name}`)) ?? closest(name, actions);
	return near ? ` Did you mean “${near}”?` : '';
}
