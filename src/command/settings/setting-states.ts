import {faultText, inEffect} from '../../agent/project/project.ts';
import type {ConfigData} from '../../config/config-data.ts';
import {type ResolvedProfile, resolveProfile} from '../../config/resolve-profile.ts';
import {isSettingKey, type SettingKey, settingKeys, settingTable} from '../../config/settings/setting-table.ts';
import {settingFault} from '../../config/settings/setting-value.ts';
import {fromEnvironment} from '../../config/settings/user-settings.ts';
import {entryOf} from '../../core/entry-of.ts';
import {AppError} from '../../core/error.ts';
import {isJsonObject, type Json} from '../../core/json.ts';
import {closest} from '../closest.ts';
import type {CommandContext} from '../context.ts';

const settingSources = ['flag', 'environment', 'profile', 'project file', 'user file', 'default'] as const;
export type SettingSource = (typeof settingSources)[number];

/** A setting with the value in effect. */
export type SettingState = {
	readonly key: SettingKey;
	/** Undefined if nothing sets it and it has no default. */
	readonly value: Json | undefined;
	readonly source: SettingSource;
	/** The flag, the variable, the profile or the file that the value comes from; undefined for a default. */
	readonly from?: string;
	/** A saved value that `from` overrides. */
	readonly overridden?: Json;
};

type Found = Pick<SettingState, 'source' | 'from'> & {readonly value: Json | undefined};

/** Returns the key of a setting as typed. Throws AppError("usage") with the nearest one if there is none. */
export function parseSettingKey(typed: string): SettingKey {
	const key = typed.trim().toLowerCase().replaceAll('-', '_');
	if (isSettingKey(key)) {
		return key;
	}

	const near = closest(key, settingKeys);
	throw new AppError('usage', `Unknown setting “${typed}”.${near ? ` Did you mean ${near}?` : ''}`, {
		hint: 'See them all: `config list`',
	});
}

/** Returns all settings, in the order of their table. Throws what `Project.state` and `Config.read` throw. */
export async function settingStates(
	context: CommandContext,
	keys: readonly SettingKey[] = settingKeys,
): Promise<readonly SettingState[]> {
	const files = inEffect(await context.program.project.files.state());
	const projectFiles = files.filter(({standing, settings}) => standing !== 'user' && settings);
	const profile = resolvedProfile(context);
	return keys.map((key): SettingState => {
		const ofProject = projectFiles.flatMap(({path, settings}): readonly Found[] => {
			const value = settings?.fields[key];
			return value === undefined || !settingTable[key].inProject ? [] : [{source: 'project file', from: path, value}];
		});
		const inFiles = settingTable[key].isLowered ? ofProject.toSorted(byValue).slice(0, 1) : ofProject.slice(-1);
		return stateOf(key, [...decided(key, context), ...saved(key, context, inFiles[0], profile)]);
	});
}

/** Returns a sentence for each value and each file of settings that can't be used. */
export async function settingFaults({program}: CommandContext): Promise<readonly string[]> {
	const {ownFaults, faults} = await program.project.files.state();
	const ofFiles = [...ownFaults, ...faults].filter(({path}) => path.endsWith('settings.json'));
	return [...program.local.settings.faults(), ...ofFiles.map(faultText)];
}

/** The first one that has a value is in effect, or all of them together. */
function stateOf(key: SettingKey, found: readonly Found[]): SettingState {
	const all = found.filter(({value}) => value !== undefined && !settingFault(key, value));
	const [first, second] = all;
	if (!first) {
		return {key, value: settingTable[key].default, source: 'default'};
	}

	if (settingTable[key].isJoined) {
		const from = all.flatMap(each => each.from ?? []).join(', ');
		return {key, source: first.source, from, value: all.map(({value = null}) => value).reduce(joined)};
	}

	if (settingTable[key].isLowered && first.source === 'project file') {
		const own: Found = second ?? {source: 'default', value: settingTable[key].default};
		return byValue(first, own) < 0 ? {key, ...first, ...(second && {overridden: second.value ?? null})} : {key, ...own};
	}

	return {key, ...first, ...(second?.value !== undefined && {overridden: second.value})};
}

/** Orders numbers, the lowest first. */
function byValue(one: Found, other: Found): number {
	return Number(one.value) - Number(other.value);
}

/** Returns the entries of two lists, or of the lists in two objects. */
function joined(one: Json, other: Json): Json {
	if (Array.isArray(one) && Array.isArray(other)) {
		return [...one, ...other];
	}

	if (!isJsonObject(one) || !isJsonObject(other)) {
		return one;
	}

	const names = new Set([...Object.keys(one), ...Object.keys(other)]);
	return Object.fromEntries([...names].map(name => [name, joined(one[name] ?? [], other[name] ?? [])]));
}

/** Returns what this run was started with. */
function decided(key: SettingKey, {program, flags}: CommandContext): readonly Found[] {
	const {flag, variable, place} = settingTable[key];
	const {value, source} = program.local.settings.find(key);
	const given = source === 'flag' ? value : entryOf<Json | undefined>(flags, key);
	const set =
		place === 'settings.json'
			? source === 'environment'
				? value
				: undefined
			: fromEnvironment(key, program.local.env);
	return [
		{source: 'flag', value: given, ...(flag && {from: flag})},
		{source: 'environment', value: set, ...(variable && {from: variable.name})},
	];
}

/** Returns what is saved: in the profile, in a file of the project or in one of the user. */
function saved(
	key: SettingKey,
	{program}: CommandContext,
	ofProject: Found | undefined,
	profile: ResolvedProfile | undefined,
): readonly Found[] {
	const {place} = settingTable[key];
	switch (place) {
		case 'profile':
			return profile
				? [{source: 'profile', from: profile.name, value: ofProfile(key, profile, program.local.config.read())}]
				: [];
		case 'config.json':
			return [
				{source: 'user file', from: program.local.config.file, value: ofConfig(key, program.local.config.read())},
			];
		case 'settings.json':
			return [
				...(ofProject ? [ofProject] : []),
				{source: 'user file', from: program.local.settings.file, value: program.local.settings.saved(key)},
			];
		case 'environment':
			return [];
		default:
			return place satisfies never;
	}
}

function ofConfig(key: SettingKey, data: ConfigData): Json | undefined {
	const {field = ''} = settingTable[key];
	const stored: Readonly<Record<string, unknown>> = {...data.settings, activeProfile: data.activeProfile};
	const value = entryOf(stored, field) as Json | undefined;
	return isJsonObject(value) && Object.keys(value).length === 0 ? undefined : value;
}

function ofProfile(key: SettingKey, {name, server}: ResolvedProfile, {profiles}: ConfigData): string | undefined {
	const stored = entryOf(profiles, name);
	return key === 'server' ? (stored?.server ?? server) : stored?.[key as 'org' | 'workspace' | 'project'];
}

/** Returns the profile that commands work with; undefined without one, and if a flag or a variable names an unknown one. */
export function resolvedProfile({program, flags}: CommandContext): ResolvedProfile | undefined {
	try {
		return resolveProfile({
			data: program.local.config.read(),
			env: program.local.env,
			flags,
			connected: program.store.getState().connection.profile,
		});
	} catch (error) {
		if (error instanceof AppError && (error.code === 'not-found' || error.code === 'usage')) {
			return undefined;
		}

		throw error;
	}
}
