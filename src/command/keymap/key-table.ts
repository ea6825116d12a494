import type {UserSettings} from '../../config/settings/user-settings.ts';
import type {Environment} from '../../core/environment.ts';
import {keyLabel} from '../../editor/keymap/key-label.ts';
import type {Result} from '../result.ts';
import {fixedKeys, keyRows} from './key-list.ts';
import {pressedLabel} from './pressed-label.ts';
import {readKeys} from './read-keys.ts';

/** Most keys of an action that are shown, and most cells for them, so that what they do fits a window of 80 columns. */
const mostShown = {keys: 2, cells: 20};
const fixedTitle = 'Fixed';

function shortList(keys: readonly string[], env: Environment): string {
	const labels = keys.map(key => pressedLabel(keyLabel(key), env));
	const both = labels.slice(0, mostShown.keys).join(', ');
	const shown = both.length > mostShown.cells ? (labels[0] ?? '') : both;
	return labels.length === 0 ? '–' : shown + (shown === labels.join(', ') ? '' : ' …');
}

/** Returns the table of all actions with their keys, those of the user included, and a note for each that isn't used. */
export function keyTable(settings: Pick<UserSettings, 'value'>, env: Environment): Extract<Result, {kind: 'table'}> {
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
			...fixedKeys.map(({key, summary}) => [key, summary, '', 'fixed']),
			...rows.map(({action, keys, isOwn, summary}) => [
				shortList(keys, env),
				summary,
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
			actions: rows.map(({action, keys, isOwn, summary}) => ({action, keys, own: isOwn, summary})),
			faults: [...faults, ...notes],
		},
	};
}
