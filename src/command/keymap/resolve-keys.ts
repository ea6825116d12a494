import {actionsIn, type Context} from '../../editor/keymap/contexts.ts';
import {defaultKeys, type KeyTable} from '../../editor/keymap/default-keys.ts';
import {keyLabel} from '../../editor/keymap/key-label.ts';
import type {OwnKeys} from '../../editor/keymap/keymap.ts';

/** A key that the user wants for an action. */
export type Wanted = {readonly action: string; readonly key: string};

/** What the user bound, and the actions whose default keys that replaces. */
export type Bound = {readonly wanted: readonly Wanted[]; readonly replaced: ReadonlySet<string>};

/** Two actions that want the same key, or keys of which one begins the other. */
type Conflict = {readonly wanted: Wanted; readonly owner: string; readonly owned: string};

type Resolved = {readonly own: OwnKeys; readonly faults: readonly string[]; readonly notes: readonly string[]};

/**
 * Returns the keys of the actions of a context that differ from the default ones. A key that two actions want goes to the
 * first one, and one that is global in the context stays global; `before` has the keys of the contexts resolved so far.
 */
export function resolveContext(context: Context, bound: Bound, before: OwnKeys): Resolved {
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
