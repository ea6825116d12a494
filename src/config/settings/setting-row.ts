import type {Json} from '../../core/json.ts';

/** What the value of a setting may be. A `fault` is worded to follow the name of the setting: “must be …”. */
export type SettingType =
	| {readonly kind: 'switch'}
	| {readonly kind: 'choice'; readonly values: readonly string[]}
	| {readonly kind: 'number'; readonly minimum: number; readonly maximum: number; readonly unit?: string}
	| {readonly kind: 'text'; readonly fault?: (text: string) => string | undefined}
	/** A list or an object. */
	| {readonly kind: 'json'; readonly fault?: (value: Json) => string | undefined};

/** Where a setting is saved: in a file of the state folder, in the active profile, or nowhere. */
export type SettingPlace = 'settings.json' | 'config.json' | 'profile' | 'environment';

/** An environment variable; `read` is for one whose values are written in another way. */
export type SettingVariable = {
	readonly name: string;
	readonly read?: (text: string) => Json;
};

/** A setting, as schema, help, `config` and `/settings` read it. */
export type SettingRow = {
	/** One line without a full stop. */
	readonly summary: string;
	readonly type: SettingType;
	readonly place: SettingPlace;
	/** The value if nothing sets it; without one, `unset` says what happens then. */
	readonly default?: Json;
	readonly unset?: string;
	/** The field of `config.json` with its value. */
	readonly field?: string;
	/** The variable that decides instead of what is saved. */
	readonly variable?: SettingVariable;
	/** The flag that decides instead of both. */
	readonly flag?: string;
	/** True if a project that the user trusts may set it, too. */
	readonly inProject?: true;
	/** True if the entries of a project and of the user count together. */
	readonly isJoined?: true;
	/** True if a project may only lower it: the lowest value counts. */
	readonly isLowered?: true;
	/** The command that changes it, as typed, if `config set` doesn't. */
	readonly command?: string;
};
