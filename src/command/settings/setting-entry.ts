import {parseSettingsText} from '../../agent/project/project-files.ts';
import {type SettingKey, settingTable} from '../../config/settings/setting-table.ts';
import {AppError} from '../../core/error.ts';
import {isJsonObject, type Json, type JsonObject, parseJson} from '../../core/json.ts';
import {readKeys} from '../keymap/read-keys.ts';
import {parseSettingKey} from './setting-states.ts';

/** A setting, or an entry of one that is an object: `keys.prompt.undo` is the entry `prompt.undo` of `keys`. */
export type SettingPath = {readonly key: SettingKey; readonly entry: string | undefined};

/** Reads a setting as typed. Throws AppError("usage") for an unknown one, and for an entry of one that has none. */
export function parseSettingPath(typed: string): SettingPath {
	const [name = '', ...rest] = typed.trim().split('.');
	const key = parseSettingKey(name);
	if (rest.length === 0) {
		return {key, entry: undefined};
	}

	const entry = rest.join('.');
	if (settingTable[key].type.kind !== 'json' || key === 'deny' || entry === '') {
		throw new AppError('usage', `${key} has no entry “${entry}”.`, {hint: `See its value: \`config get ${key}\``});
	}

	return {key, entry};
}

/** The new value of a list or an object, and what it changes elsewhere; undefined removes the setting. */
type Changed = {readonly value: Json | undefined; readonly notes: readonly string[]};

/**
 * Returns a list or an object after a change as typed: JSON, or words with commas between them. Without `text`, an entry is
 * removed, or all of it. Throws AppError("usage") for what the app could not use.
 */
export function changedJson({key, entry}: SettingPath, text: string | undefined, before: Json | undefined): Changed {
	const object = isJsonObject(before) ? before : {};
	if (text === undefined) {
		const {[entry ?? '']: removed, ...others} = object;
		return {value: entry === undefined || Object.keys(others).length === 0 ? undefined : others, notes: []};
	}

	const given = jsonOf(text);
	const value =
		entry === undefined ? (key === 'deny' && typeof given === 'string' ? [given] : given) : {...object, [entry]: given};
	const {fault, notes} = key === 'keys' ? faultOfKeys(value, object) : {fault: faultInFile(key, value), notes: []};
	if (fault !== undefined && key === 'keys') {
		throw new AppError('usage', fault, {hint: 'Keys and actions are listed by `help keys`.'});
	}

	if (fault !== undefined) {
		throw new AppError('usage', `Invalid value “${text}”: ${fault}`, {hint: settingTable[key].summary});
	}

	return {value, notes};
}

/** Returns JSON as it is, words with commas between them as a list, and anything else as text. */
function jsonOf(text: string): Json {
	const trimmed = text.trim();
	const json = /^[[{"]/.test(trimmed) ? parseJson(trimmed) : undefined;
	// The key of a comma may end in one.
	const words = trimmed.split(/(?<!\+),\s*(?=\S)/);
	return json ?? (words.length > 1 ? words : trimmed);
}

/** Returns the first new fault of the keys. An action that loses its key to another one is only a note. */
function faultOfKeys(
	value: Json,
	before: JsonObject,
): {readonly fault?: string | undefined; readonly notes: readonly string[]} {
	const {faults, notes} = readKeys(before, false);
	const known = new Set([...faults, ...notes]);
	const now = readKeys(value, false);
	const isNew = (text: string) => !known.has(text);
	return {fault: now.faults.find(isNew), notes: now.notes.filter(isNew)};
}

/** Returns why the file could not be read with this value, as the agent reads it. */
function faultInFile(key: SettingKey, value: Json): string | undefined {
	const read = parseSettingsText(JSON.stringify({[key]: value}));
	return 'fault' in read ? `${read.fault}.` : undefined;
}
