import {type CapName, caps} from '../../core/caps.ts';
import type {Json} from '../../core/json.ts';
import {modelIdFault} from '../../core/model.ts';
import {factsFault, readPrice, readWindow} from '../../core/own-model-facts.ts';
import {defaultTheme, themeNames} from '../../terminal/theme/theme-names.ts';

/** What the value of a setting may be. A `fault` is worded to follow the name of the setting: “must be …”. */
export type SettingType =
	| {readonly kind: 'switch'}
	| {readonly kind: 'choice'; readonly values: readonly string[]}
	| {readonly kind: 'number'; readonly minimum: number; readonly maximum: number; readonly unit?: string}
	| {readonly kind: 'text'; readonly fault?: (text: string) => string | undefined}
	/** A list or an object. */
	| {readonly kind: 'json'; readonly fault?: (value: Json) => string | undefined};

/** Where a setting is saved: in a file of the state folder, in the active profile, or nowhere. */
type SettingPlace = 'settings.json' | 'config.json' | 'profile' | 'environment';

/** An environment variable; `read` is for one whose values are written in another way. */
type SettingVariable = {
	readonly name: string;
	readonly read?: (text: string) => Json;
};

/** A setting, as schema, help and `config` read it. */
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

const scope = (what: string, variable: string, flag: string) =>
	({
		summary: `${what} to work in`,
		type: {kind: 'text'},
		place: 'profile',
		unset: 'none',
		variable: {name: variable},
		flag,
	}) as const;

const cap = (name: CapName) => {
	const {summary, limit, most} = caps[name];
	return {
		summary,
		type: {kind: 'number', minimum: 1, maximum: most},
		place: 'settings.json',
		default: limit,
		inProject: true,
		isLowered: true,
	} as const;
};

/**
 * All settings, in the order shown. A new one is a row here: schema, help and `config` follow. Read it with
 * `UserSettings.value`.
 */
const table = {
	model: {
		summary: 'Model of new sessions',
		type: {kind: 'text', fault: modelIdFault},
		place: 'config.json',
		field: 'model',
		unset: 'selected by your keys',
		flag: '--model',
	},
	efforts: {
		summary: 'How much models think, by model',
		type: {kind: 'json'},
		place: 'config.json',
		field: 'efforts',
		unset: 'left to the model',
		command: 'effort high',
	},
	budget_day: {
		summary: 'Daily spending limit in US dollars',
		type: {kind: 'number', minimum: 0.01, maximum: 1_000_000, unit: 'USD'},
		place: 'config.json',
		field: 'budgetDayUsd',
		unset: 'no limit',
	},
	windows: {
		summary: 'Context windows of models, in tokens',
		type: {kind: 'json', fault: factsFault(readWindow, 'tokens, such as 128000')},
		place: 'settings.json',
		unset: 'as known',
	},
	prices: {
		summary: 'Prices of models, per million tokens',
		type: {kind: 'json', fault: factsFault(readPrice, 'US dollars in and out, such as [3, 15]')},
		place: 'settings.json',
		unset: 'as known',
	},
	compact_at: {
		summary: 'Compact when the window is this full',
		type: {kind: 'number', minimum: 20, maximum: 95, unit: '%'},
		place: 'settings.json',
		default: 92,
		inProject: true,
	},
	max_turns: cap('turns'),
	max_tasks: cap('tasks'),
	max_tasks_at_once: cap('tasksAtOnce'),
	max_fetches: cap('fetches'),
	max_searches: cap('searches'),
	hooks: {
		summary: 'Commands to run around tools and runs',
		type: {kind: 'json'},
		place: 'settings.json',
		unset: 'none',
		inProject: true,
		isJoined: true,
	},
	deny: {
		summary: 'What the agent may never do',
		type: {kind: 'json'},
		place: 'settings.json',
		unset: 'none',
		inProject: true,
		isJoined: true,
	},
	enter_allows: {
		summary: 'Allow once with Enter when the agent asks',
		type: {kind: 'switch'},
		place: 'settings.json',
		default: false,
	},
	vim: {
		summary: 'Vim keys in the prompt',
		type: {kind: 'switch'},
		place: 'settings.json',
		default: false,
	},
	keys: {
		summary: 'Your own keys, by action',
		type: {kind: 'json', fault: value => (Array.isArray(value) ? 'must be an object of actions and keys' : undefined)},
		place: 'settings.json',
		unset: 'the default keys',
	},
	profile: {
		summary: 'Profile to use',
		type: {kind: 'text'},
		place: 'config.json',
		field: 'activeProfile',
		unset: 'the embedded server',
		variable: {name: 'SERVICE_PROFILE'},
		flag: '--profile',
		command: 'profile use',
	},
	server: {
		summary: 'Server to talk to',
		type: {kind: 'text'},
		place: 'profile',
		unset: 'the embedded server',
		variable: {name: 'SERVICE_SERVER'},
		flag: '--server',
		command: 'connect',
	},
	org: scope('Organization', 'SERVICE_ORG', '--org'),
	workspace: scope('Workspace', 'SERVICE_WORKSPACE', '--workspace'),
	project: scope('Project', 'SERVICE_PROJECT', '--project'),
	traces: {
		summary: 'Servers that get traces of runs',
		type: {kind: 'json'},
		place: 'config.json',
		field: 'traces',
		unset: 'none',
		variable: {
			name: 'SERVICE_TRACES',
			read: text => ({everywhere: text}),
		},
		command: 'trace on',
	},
	keychain: {
		summary: 'Keep keys in the keychain, not a file',
		type: {kind: 'switch'},
		place: 'environment',
		default: true,
		variable: {
			name: 'SERVICE_KEYCHAIN',
			read: text => text.toLowerCase() !== 'off',
		},
	},
	theme: {
		summary: 'Colour theme',
		type: {kind: 'choice', values: themeNames},
		place: 'settings.json',
		default: defaultTheme,
	},
	color: {
		summary: 'Use colour if the terminal has it',
		type: {kind: 'switch'},
		place: 'environment',
		default: true,
		variable: {name: 'NO_COLOR', read: () => false},
	},
	accessible: {
		summary: 'Plain lines for screen readers',
		type: {kind: 'switch'},
		place: 'settings.json',
		default: false,
		flag: '--accessible',
		variable: {
			name: 'ACCESSIBLE',
			read: text => text !== '0',
		},
	},
	motion: {
		summary: 'Animation; auto reduces it over SSH',
		type: {kind: 'choice', values: ['auto', 'full', 'reduced']},
		place: 'settings.json',
		default: 'auto',
	},
	notifications: {
		summary: 'How to notify you when you are away',
		type: {kind: 'choice', values: ['auto', 'bell', 'off']},
		place: 'settings.json',
		default: 'auto',
	},
	notify_after: {
		summary: 'Notify only after runs this long',
		type: {kind: 'number', minimum: 0, maximum: 86_400, unit: 's'},
		place: 'settings.json',
		default: 10,
	},
	title: {
		summary: 'Show the state in the window title',
		type: {kind: 'switch'},
		place: 'settings.json',
		default: true,
	},
	progress: {
		summary: 'Show progress in the tab or taskbar',
		type: {kind: 'switch'},
		place: 'settings.json',
		default: true,
	},
	pager: {
		summary: 'Program for long help pages',
		type: {kind: 'text'},
		place: 'environment',
		default: 'less -FRX',
		variable: {
			name: 'PAGER',
		},
	},
	debug_log: {
		summary: 'File for debug events, as JSON lines',
		type: {kind: 'text'},
		place: 'environment',
		unset: 'none',
		variable: {
			name: 'SERVICE_DEBUG',
		},
	},
} as const satisfies Readonly<Record<string, SettingRow>>;

export type SettingKey = keyof typeof table;

export const settingTable: Readonly<Record<SettingKey, SettingRow>> = table;

export const settingKeys = Object.keys(table) as readonly SettingKey[];

/** True for the key of a setting. */
export function isSettingKey(key: string): key is SettingKey {
	return Object.hasOwn(table, key);
}

type ValueOfType<T extends SettingType> = T extends {readonly kind: 'switch'}
	? boolean
	: T extends {readonly kind: 'choice'; readonly values: readonly (infer Value)[]}
		? Value
		: T extends {readonly kind: 'number'}
			? number
			: T extends {readonly kind: 'text'}
				? string
				: Json;

/** The value of a setting; undefined is possible if it has no default. */
export type SettingValue<Key extends SettingKey> =
	| ValueOfType<(typeof table)[Key]['type']>
	| ((typeof table)[Key] extends {readonly default: Json} ? never : undefined);
