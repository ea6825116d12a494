import type {UserSettings} from '../../config/settings/user-settings.ts';
import {type AnyAction, actionsIn, contexts} from '../../editor/keymap/contexts.ts';
import {keyLabel} from '../../editor/keymap/key-label.ts';
import type {OwnKeys} from '../../editor/keymap/keymap.ts';
import type {Result} from '../result.ts';
import {actionSummaries, fixedKeys} from './action-summaries.ts';
import {readKeys} from './read-keys.ts';

/** The keys of an action that are in effect. */
export type KeyRow = {
	/** Where the action works. */
	readonly title: string;
	readonly action: AnyAction;
	readonly keys: readonly string[];
	readonly isOwn: boolean;
};

/** Most keys of an action that are shown, and most cells for them, so that what they do fits a window of 80 columns. */
const mostShown = {keys: 2, cells: 20};
const fixedTitle = 'Fixed';

/** Returns every action with its keys, those of the user included. */
export function keyRows(own: OwnKeys): readonly KeyRow[] {
	return contexts.flatMap(context =>
		actionsIn(context).map((action): KeyRow => {
			const keys = own[action] ?? context.keys[action] ?? [];
			return {title: context.title, action: action as AnyAction, keys, isOwn: own[action] !== undefined};
		}),
	);
}

function shortList(keys: readonly string[]): string {
	const labels = keys.map(keyLabel);
	const both = labels.slice(0, mostShown.keys).join(', ');
	const shown = both.length > mostShown.cells ? (labels[0] ?? '') : both;
	return labels.length === 0 ? '–' : shown + (shown === labels.join(', ') ? '' : ' …');
}

/** Returns the table of all actions with their keys, those of the user included, and a note for each that isn't used. */
export function keyTable(settings: Pick<UserSettings, 'value'>): Extract<Result, {kind: 'table'}> {
	const {own, faults, notes} = readKeys(settings.value('keys') ?? {});
	const rows = keyRows(own);
	return {
		kind: 'table',
		columns: [
			{label: 'keys', whole: true},
			{label: 'what they do', whole: 'beside spare'},
			{label: 'action', whole: true, spare: true},
			{label: 'from', spare: true},
		],
		rows: [
			...fixedKeys.map(([key, summary]) => [key, summary, '', 'fixed']),
			...rows.map(({action, keys, isOwn}) => [
				shortList(keys),
				actionSummaries[action],
				action,
				isOwn ? 'yours' : 'default',
			]),
		],
		groups: [...fixedKeys.map(() => fixedTitle), ...rows.map(({title}) => title)],
		empty: '',
		notes: [
			...[...faults, ...notes].map(text => `! ${text}`),
			'Set your own: `config set keys.<action> <key>`',
			'Names of actions: `help keys`',
		],
		data: {
			actions: rows.map(({action, keys, isOwn}) => ({action, keys, own: isOwn, summary: actionSummaries[action]})),
			faults: [...faults, ...notes],
		},
	};
}
