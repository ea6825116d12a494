import {type AnyAction, actionsIn, allKeys, type Context, contexts} from '../../editor/keymap/contexts.ts';
import {keyLabel} from '../../editor/keymap/key-label.ts';
import {noOwnKeys, type OwnKeys} from '../../editor/keymap/keymap.ts';
import {closest} from '../closest.ts';
import {parseKey} from './parse-key.ts';
import {type Bound, resolveContext, type Wanted} from './resolve-keys.ts';

/** The keys of the user. */
export type UserKeys = {
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
