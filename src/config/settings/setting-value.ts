import {entryOf} from '../../core/entry-of.ts';
import {formatUsd} from '../../core/format.ts';
import {isJsonObject, type Json, parseJson} from '../../core/json.ts';
import {type SettingKey, type SettingRow, type SettingType, settingTable} from './setting-table.ts';

/** Longest text of a setting. */
const maxLength = 4000;

const words: Readonly<Record<string, boolean>> = {
	on: true,
	true: true,
	yes: true,
	'1': true,
	off: false,
	false: false,
	no: false,
	'0': false,
};

/** Returns what is wrong with a value, worded to follow the name of its setting: “must be …”. Undefined if it is valid. */
export function settingFault(key: SettingKey, value: unknown): string | undefined {
	const {type}: SettingRow = settingTable[key];
	switch (type.kind) {
		case 'switch':
			return typeof value === 'boolean' ? undefined : 'must be true or false';
		case 'choice':
			return type.values.some(each => each === value) ? undefined : `must be one of ${type.values.join(', ')}`;
		case 'number':
			return numberFault(type, value);
		case 'text':
			return typeof value !== 'string'
				? 'must be text'
				: value.length > maxLength
					? `must have at most ${maxLength} characters`
					: type.fault?.(value);
		case 'json':
			return typeof value !== 'object' || value === null ? 'must be a list or an object' : type.fault?.(value as Json);
		default:
			return type satisfies never;
	}
}

function numberFault({minimum, maximum}: SettingType & {readonly kind: 'number'}, value: unknown): string | undefined {
	if (typeof value !== 'number' || Number.isNaN(value)) {
		return 'must be a number';
	}

	return value < minimum ? `must be at least ${minimum}` : value > maximum ? `must be at most ${maximum}` : undefined;
}

/** Reads a value as users type it; a value of another type than that of its setting is returned as it is. */
export function parseSetting(key: SettingKey, text: string): Json {
	const {type}: SettingRow = settingTable[key];
	const trimmed = text.trim();
	switch (type.kind) {
		case 'switch':
			return entryOf(words, trimmed.toLowerCase()) ?? trimmed;
		case 'number':
			return trimmed !== '' && Number.isFinite(Number(trimmed)) ? Number(trimmed) : trimmed;
		case 'choice':
			return type.values.find(each => each === trimmed.toLowerCase()) ?? trimmed;
		case 'json':
			return parseJson(trimmed) ?? trimmed;
		case 'text':
			return trimmed;
		default:
			return type satisfies never;
	}
}

/** Returns the values that a setting may have, in a few words. */
export function allowedValues(key: SettingKey): string {
	const {type}: SettingRow = settingTable[key];
	switch (type.kind) {
		case 'switch':
			return 'on, off';
		case 'choice':
			return type.values.join(', ');
		case 'number':
			return `${type.minimum} to ${type.maximum}`;
		case 'text':
			return 'text';
		case 'json':
			return 'JSON';
		default:
			return type satisfies never;
	}
}

/** Returns a value as a table shows it; what happens without one if it is undefined. Not safe to draw. */
export function shownSetting(key: SettingKey, value: Json | undefined): string {
	const {type, unset = 'none'}: SettingRow = settingTable[key];
	if (value === undefined) {
		return unset;
	}

	if (typeof value === 'boolean') {
		return value ? 'on' : 'off';
	}

	if (typeof value === 'number') {
		const unit = type.kind === 'number' ? type.unit : undefined;
		return unit === 'USD' ? formatUsd(value) : unit === '%' ? `${value}%` : unit ? `${value} ${unit}` : String(value);
	}

	return typeof value === 'string' ? value : shownJson(value);
}

/** Returns entries in words, such as `some-model: 3, 15`, and what is nested deeper as JSON. */
function shownJson(value: Json): string {
	const rows = isJsonObject(value)
		? Object.entries(value).map(([name, entry]) => [name, Array.isArray(entry) ? entry : [entry]] as const)
		: [];
	return rows.length > 0 && rows.every(([, entry]) => entry.every(each => typeof each !== 'object'))
		? rows.map(([name, entry]) => `${name}: ${entry.join(', ')}`).join('; ')
		: JSON.stringify(value);
}
