import {closeSync, constants, fstatSync, openSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import type {Environment} from '../../core/environment.ts';
import {AppError} from '../../core/error.ts';
import {isJsonObject, type Json, type JsonObject, parseJson} from '../../core/json.ts';
import {errnoOf} from '../../storage/file-error.ts';
import {homePath} from '../../storage/home.ts';
import {cacheByStamp, updateSmallFile} from '../../storage/kept-file.ts';
import {type SettingKey, type SettingRow, type SettingValue, settingKeys, settingTable} from './setting-table.ts';
import {parseSetting, settingFault} from './setting-value.ts';

/** The settings given on the command line. */
export type SettingFlags = {readonly [Key in SettingKey]?: Json | undefined};

/** Where a value comes from, if it doesn't come from a profile, a project or `config.json`. */
export type UserSource = 'flag' | 'environment' | 'user file' | 'default';

/** Returns the new value of a setting, given what its file holds. */
export type ChangeValue = (before: Json | undefined) => Json | undefined;

/** Applies a setting that was saved. */
type ChangeListener = (key: SettingKey) => unknown;

/** The settings that need nothing but flags, environment and the user's `settings.json`. */
export type UserSettings = {
	/** Absolute path of `settings.json`. */
	readonly file: string;
	/**
	 * Returns the value in effect: flag, then environment, then file, then default. An invalid one is left out. Synchronous
	 * and cheap, because the first frame and key presses wait for it; never throws.
	 */
	readonly value: <Key extends SettingKey>(key: Key) => SettingValue<Key>;
	/** Returns the same with where it comes from. */
	readonly find: (key: SettingKey) => {readonly value: Json | undefined; readonly source: UserSource};
	/** Returns what the file holds for a setting, valid or not; undefined if nothing. */
	readonly saved: (key: SettingKey) => Json | undefined;
	/** Returns true if there is a file that can't be used at all. */
	readonly isBroken: () => boolean;
	/** Returns a sentence for each value that is left out because it is invalid. */
	readonly faults: () => readonly string[];
	/**
	 * Saves a value in the file, or removes it, and keeps everything else in it; then calls the listeners and waits for them. A
	 * function makes the new value from what the file holds while no other process changes it. Throws AppError("usage") for an
	 * invalid value, AppError("failed") if the file isn't valid JSON or can't be written, AppError("conflict") if another
	 * process keeps its lock.
	 */
	readonly save: (key: SettingKey, value: Json | undefined | ChangeValue) => Promise<void>;
	/** Calls a listener after each `save`, which ends once the listener has; it must not throw. Returns what removes it. */
	readonly onChange: (listener: ChangeListener) => () => void;
};

/** Largest `settings.json` that is read. */
const maxBytes = 64 * 1024;

/** Opens `settings.json` of the state folder; neither need exist. */
export function openUserSettings(env: Environment, flags: SettingFlags = {}): UserSettings {
	const file = join(homePath(env), 'settings.json');
	const listeners = new Set<ChangeListener>();
	const content = cacheByStamp(file, () => readContent(file) ?? {});
	const saved = (key: SettingKey) => (settingTable[key].place === 'settings.json' ? content()[key] : undefined);
	const candidates = (key: SettingKey): ReadonlyArray<readonly [UserSource, Json | undefined]> => [
		['flag', flags[key]],
		['environment', fromEnvironment(key, env)],
		['user file', saved(key)],
	];
	const find: UserSettings['find'] = key => {
		const [source, value] = candidates(key).find(
			([, each]) => each !== undefined && settingFault(key, each) === undefined,
		) ?? ['default', settingTable[key].default];
		return {source, value};
	};

	return {
		file,
		saved,
		find,
		value: <Key extends SettingKey>(key: Key) => find(key).value as SettingValue<Key>,
		isBroken: () => !readContent(file),
		faults: () => settingKeys.flatMap(key => faultsOf(key, candidates(key), file)),
		async save(key, value) {
			const given = typeof value === 'function' ? undefined : valid(key, value);
			const change: ChangeValue = before => (typeof value === 'function' ? valid(key, value(before)) : given);
			await updateSmallFile(file, text => withField(text, key, change, file));
			await Promise.all([...listeners].map(listener => listener(key)));
		},
		onChange(listener) {
			listeners.add(listener);
			return () => listeners.delete(listener);
		},
	};
}

/** Returns the value if it can be saved. Throws AppError("usage") otherwise. */
function valid(key: SettingKey, value: Json | undefined): Json | undefined {
	const fault = value === undefined ? undefined : settingFault(key, value);
	if (fault) {
		throw new AppError('usage', `${key} ${fault}.`);
	}

	return value;
}

/** Returns what the variable of a setting says; undefined if it is not set or empty. */
export function fromEnvironment(key: SettingKey, env: Environment): Json | undefined {
	const {variable}: SettingRow = settingTable[key];
	const text = variable && env[variable.name]?.trim();
	return text ? (variable?.read?.(text) ?? parseSetting(key, text)) : undefined;
}

function faultsOf(
	key: SettingKey,
	candidates: ReadonlyArray<readonly [UserSource, Json | undefined]>,
	file: string,
): readonly string[] {
	// The agent itself checks what a project may set, too, and doesn't run until that is fixed.
	if (settingTable[key].place !== 'settings.json' || settingTable[key].inProject) {
		return [];
	}

	return candidates.flatMap(([source, value]) => {
		const fault = value === undefined ? undefined : settingFault(key, value);
		const named = source === 'environment' ? `${settingTable[key].variable?.name}` : `${key} in ${file}`;
		return fault ? [`${source === 'flag' ? `${settingTable[key].flag}` : named} ${fault}.`] : [];
	});
}

/** Returns the fields of the file; undefined if it can't be used. Follows a link, as people keep such files elsewhere. */
function readContent(file: string): JsonObject | undefined {
	let descriptor: number | undefined;
	try {
		// O_NONBLOCK: opening a pipe must not wait for its writer.
		descriptor = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
		const stats = fstatSync(descriptor);
		const value = stats.isFile() && stats.size <= maxBytes ? parseJson(readFileSync(descriptor, 'utf8')) : undefined;
		return isJsonObject(value) ? value : undefined;
	} catch (error) {
		// The agent reads the file, too, and reports what is wrong with it.
		return errnoOf(error) === 'ENOENT' ? {} : undefined;
	} finally {
		if (descriptor !== undefined) {
			closeSync(descriptor);
		}
	}
}

/** Returns the text of the file with one field changed, indented as before. */
function withField(text: string | undefined, key: SettingKey, change: ChangeValue, file: string): string | undefined {
	const before = text?.trim() ? parseJson(text) : {};
	if (!isJsonObject(before)) {
		throw new AppError('failed', `${file} is not valid JSON.`, {hint: 'Fix the file and try again.'});
	}

	const value = change(before[key]);
	const {[key]: _, ...others} = before;
	if (value === undefined && before[key] === undefined) {
		return undefined;
	}

	const after = value === undefined ? others : {...before, [key]: value};
	return `${JSON.stringify(after, undefined, /^[ \t]+(?=")/m.exec(text ?? '')?.[0] ?? '\t')}\n`;
}
