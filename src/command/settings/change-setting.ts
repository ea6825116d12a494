import {saveScope} from '../../config/profiles.ts';
import {saveSettings} from '../../config/settings/saved-settings.ts';
import {type SettingKey, settingTable} from '../../config/settings/setting-table.ts';
import {allowedValues, parseSetting, settingFault, shownSetting} from '../../config/settings/setting-value.ts';
import {AppError} from '../../core/error.ts';
import type {Json} from '../../core/json.ts';
import {closest} from '../closest.ts';
import type {CommandContext} from '../context.ts';
import type {Result} from '../result.ts';
import {parseSettingPath, type SettingPath} from './setting-entry.ts';
import {resolvedProfile, type SettingState, settingStates} from './setting-states.ts';
import {settingData} from './setting-views.ts';

/**
 * Saves a setting as typed; undefined removes what is saved. Returns its state afterwards. Throws AppError("usage") for an
 * invalid value, and for a setting that isn't changed this way, with how it is; else as the files' `update`.
 */
export async function changeSetting(
	path: SettingPath,
	text: string | undefined,
	context: CommandContext,
): Promise<SettingState & {readonly notes?: readonly string[]}> {
	const {key} = path;
	const whyNot = unchangeable(key);
	if (whyNot) {
		throw new AppError('usage', `${key} isn't changed with config set.`, {hint: whyNot});
	}

	if (settingTable[key].type.kind === 'json') {
		const {changedJson} = await import('./setting-entry.ts');
		let notes: readonly string[] = [];
		// Another process may change another entry of the same object.
		await context.program.local.settings.save(key, before => {
			const changed = changedJson(path, text, before);
			notes = changed.notes;
			return changed.value;
		});
		const [state] = await settingStates(context, [key]);
		return {...(state as SettingState), notes};
	}

	const value = text === undefined ? undefined : parseSetting(key, text);
	const fault = value === undefined ? undefined : settingFault(key, value);
	if (fault) {
		const {summary, type} = settingTable[key];
		const why = type.kind === 'switch' ? 'must be on or off' : fault;
		const example = type.kind === 'switch' ? 'on' : type.kind === 'choice' && nearest(text, type.values);
		const hint = example
			? `Set it: \`config set ${key} ${example}\``
			: type.kind === 'number'
				? `${summary}: ${allowedValues(key)}`
				: summary;
		throw new AppError('usage', `Invalid value “${text}”: ${key} ${why}.`, {hint});
	}

	await save(key, value, context);
	const [state] = await settingStates(context, [key]);
	return state as SettingState;
}

/** Returns the value that was probably meant, else the first one. */
function nearest(text = '', values: readonly string[]): string | undefined {
	return closest(text.toLowerCase(), values) ?? values[0];
}

async function save(key: SettingKey, value: Json | undefined, context: CommandContext): Promise<void> {
	const {
		program: {
			local: {config, settings},
		},
	} = context;
	const {place, field = key} = settingTable[key];
	if (place === 'config.json') {
		await saveSettings(config, {[field]: value});
	} else if (place === 'profile') {
		const profile = resolvedProfile(context);
		if (!profile || !Object.hasOwn(config.read().profiles, profile.name)) {
			throw new AppError('usage', `${key} is saved in a profile, and none is active.`, {
				hint: 'Create one: `login --server <url>`',
			});
		}

		await saveScope(config, profile, {[key]: value});
	} else {
		await settings.save(key, value);
	}
}

/** Returns how a setting is changed, if `config set` doesn't; undefined if it does. */
export function unchangeable(key: SettingKey): string | undefined {
	const {place, command, variable} = settingTable[key];
	if (command !== undefined) {
		return `Change it: \`${command}\``;
	}

	return place === 'environment' ? `Set the environment variable ${variable?.name}.` : undefined;
}

/** Returns a sentence about a change, and what still overrides it. */
export function changeNotice({notes = [], ...state}: SettingState & {readonly notes?: readonly string[]}): {
	readonly text: string;
	readonly hint?: string;
} {
	const {key, value, source, from, overridden} = state;
	if (overridden === undefined) {
		return {
			text: `${key} is now ${shownSetting(key, value)}${source === 'default' ? ' (the default)' : ''}.`,
			...(notes.length > 0 && {hint: notes.join('\n')}),
		};
	}

	return {
		text: `Saved ${key} = ${shownSetting(key, overridden)}.`,
		hint: `${from} decides here: ${shownSetting(key, value)}.`,
	};
}

/** Saves a setting as typed, or removes it, and says what counts now. Throws as `changeSetting` does. */
export async function saved(key: string, text: string | undefined, context: CommandContext): Promise<Result> {
	const state = await changeSetting(parseSettingPath(key), text, context);
	return {kind: 'text', ...changeNotice(state), data: settingData(state)};
}
