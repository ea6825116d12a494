import type {UserSettings} from '../../config/settings/user-settings.ts';
import {type Action, defaultKeys} from '../../editor/keymap/default-keys.ts';
import {keyLabel} from '../../editor/keymap/key-label.ts';
import type {Result} from '../result.ts';
import {actionSummaries, fixedKeys} from './action-summaries.ts';
import {readKeys} from './read-keys.ts';

type Row = {readonly action: Action; readonly keys: readonly string[]; readonly isOwn: boolean};

/** Keys of an action that are shown, so that its name fits a window of 80 columns beside them. */
const maxShown = 2;

function shortList(keys: readonly string[]): string {
	const more = keys.length > maxShown ? ' …' : '';
	return keys.length === 0 ? '–' : keys.slice(0, maxShown).map(keyLabel).join(', ') + more;
}

/** Returns the table of all actions with their keys, those of the user included, and a note for each that isn't used. */
export function keyTable(settings: Pick<UserSettings, 'file' | 'value'>): Extract<Result, {kind: 'table'}> {
	const {keymap, faults, notes: kept} = readKeys(settings.value('keys') ?? {});
	const rows = (Object.keys(defaultKeys) as Action[]).map((action): Row => {
		const keys = keymap.keys[action];
		const defaults: readonly string[] = defaultKeys[action];
		return {action, keys, isOwn: keys.join(',') !== defaults.join(',')};
	});
	const notes = [...faults, ...kept].map(text => `! ${text}`);
	return {
		kind: 'table',
		columns: [
			{label: 'keys', whole: true},
			{label: 'what they do'},
			{label: 'action', whole: true},
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
		empty: '',
		notes: [...notes, `Your own keys: {"keys": {"prompt.undo": "Alt+U"}} in ${settings.file}`],
		data: {
			actions: rows.map(({action, keys, isOwn}) => ({action, keys, own: isOwn, summary: actionSummaries[action]})),
			faults,
		},
	};
}
