import {settingTable} from '../../config/settings/setting-table.ts';
import {allowedValues, shownSetting} from '../../config/settings/setting-value.ts';
import {cutText} from '../../core/cut-text.ts';
import {type JsonObject, parseJson} from '../../core/json.ts';
import {redactKnown} from '../../core/secrets/redact.ts';
import type {Result} from '../result.ts';
import type {SettingState} from './setting-states.ts';

/**
 * Returns the settings as a table: values, where they come from, and what is allowed; below it what is wrong with their files.
 * Credentials are hidden.
 */
export function settingsTable(states: readonly SettingState[], faults: readonly string[]): Result {
	return {
		kind: 'table',
		columns: [{label: 'setting', whole: true}, {label: 'value'}, {label: 'from'}, {label: 'allowed', spare: true}],
		rows: states.map(state => [state.key, settingText(state), sourceText(state), allowedValues(state.key)]),
		empty: '',
		opens: {words: ['config', 'get'], ids: states.map(({key}) => key)},
		notes: faults,
		data: {settings: states.map(settingData), faults: [...faults]},
	};
}

/** Returns one setting, with everything that is known about it. */
export function settingRecord(state: SettingState): Result {
	const {key, overridden} = state;
	const {summary, flag, variable, default: fallback} = settingTable[key];
	return {
		kind: 'record',
		title: key,
		fields: [
			['value', settingText(state)],
			['from', sourceText(state)],
			...(overridden === undefined ? [] : ([['saved', shown(state, overridden)]] as const)),
			['meaning', summary],
			['allowed', allowedValues(key)],
			...(fallback === undefined ? [] : ([['default', shown(state, fallback)]] as const)),
			...(variable ? ([['variable', variable.name]] as const) : []),
			...(flag ? ([['flag', flag]] as const) : []),
		],
		data: settingData(state),
	};
}

/** Returns a value in words, at most 200 characters, without credentials. Not safe to draw. */
export function settingText(state: SettingState): string {
	return shown(state, state.value);
}

function shown({key}: SettingState, value: SettingState['value']): string {
	return cutText(redactKnown(shownSetting(key, value)), 200);
}

/** Returns where a value comes from, in a few words. */
export function sourceText({source, from}: SettingState): string {
	switch (source) {
		case 'flag':
		case 'environment':
			return from ?? source;
		case 'profile':
			return `profile ${from}`;
		default:
			return source;
	}
}

/** Returns the same as data. */
export function settingData({key, value, source, from, overridden}: SettingState): JsonObject {
	const {summary, default: fallback, type} = settingTable[key];
	const hidden = (of: SettingState['value']) => {
		const text = redactKnown(JSON.stringify(of ?? null));
		const value = parseJson(text);
		return value === undefined ? text : value;
	};
	return {
		key,
		value: hidden(value),
		source,
		from: from ?? null,
		...(overridden !== undefined && {overridden: hidden(overridden)}),
		default: fallback ?? null,
		type: type.kind,
		allowed: type.kind === 'choice' ? type.values : type.kind === 'switch' ? [true, false] : allowedValues(key),
		summary,
	};
}
