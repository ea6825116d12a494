import * as z from 'zod/mini';
import {check} from '../../contract/check.ts';
import {type Json, parseJson} from '../../core/json.ts';
import {type SettingKey, settingKeys, settingTable} from '../settings/setting-table.ts';
import {settingFault} from '../settings/setting-value.ts';

/** When a hook runs. */
const hookEvents = ['run-start', 'before-tool', 'after-tool', 'run-end'] as const;
export type HookEvent = (typeof hookEvents)[number];

const hook = z.strictObject({
	/** For the shell, in the working folder. */
	command: z.string().check(z.minLength(1), z.maxLength(4000)),
	/** Names of tools, separated by `|`; `*` stands for any characters. All tools by default. */
	tool: z.optional(z.string().check(z.minLength(1), z.maxLength(400))),
	timeout_sec: z.optional(z.number().check(z.positive(), z.maximum(600))),
	/** False to run it outside the sandbox, which counts only in the user's own settings. */
	sandbox: z.optional(z.boolean()),
});

const hooksOfEvent = z.optional(z.array(hook).check(z.maxLength(20)));

const settingsFile = z.looseObject({
	hooks: z.optional(
		z.strictObject({
			'run-start': hooksOfEvent,
			'before-tool': hooksOfEvent,
			'after-tool': hooksOfEvent,
			'run-end': hooksOfEvent,
		}),
	),
	/** Rules for what the agent may never do. */
	deny: z.optional(z.array(z.string().check(z.minLength(1), z.maxLength(4000))).check(z.maxLength(200))),
});

const projectKeys = settingKeys.filter(key => settingTable[key].inProject);

export type Hook = {
	readonly event: HookEvent;
	readonly command: string;
	readonly tool?: string;
	readonly timeoutSec?: number;
	/** Set if it asks to run outside the sandbox. */
	readonly sandbox?: false;
};

/** What a `settings.json` says: that of the user, or that of a project. Nothing in it allows anything. */
export type SettingsFile = {
	readonly hooks: readonly Hook[];
	readonly deny: readonly string[];
	/** The settings that a project may have, by their key; their values are valid. */
	readonly fields: Readonly<Partial<Record<SettingKey, Json>>>;
	/** Names of fields that have no meaning in a project, such as `allow`. */
	readonly ignored: readonly string[];
};

/** What a settings file says, or its first fault. */
export type SettingsReading =
	| {readonly settings: SettingsFile; readonly fault?: never}
	| {readonly settings?: never; readonly fault: string};

/** Parses the text of a `settings.json`. Returns the first fault if it is invalid, naming the field. */
export function parseSettingsFile(text: string): SettingsReading {
	const value = parseJson(text);
	if (value === undefined) {
		return {fault: 'it is not valid JSON'};
	}

	const {data, wrong} = check(settingsFile, value);
	const [first] = wrong;
	if (first) {
		return {fault: `${first.path.join('.') || 'it'} ${first.rule}`};
	}

	const {hooks = {}, deny = [], ...others} = data as z.infer<typeof settingsFile>;
	const fields = projectKeys
		.filter(key => Object.hasOwn(data as object, key))
		.map(key => [key, Reflect.get(data as object, key)] as const);
	for (const [key, field] of fields) {
		const fault = settingFault(key, field);
		if (fault) {
			return {fault: `${key} ${fault}`};
		}
	}

	return {
		settings: {
			hooks: hookEvents.flatMap(event =>
				(hooks[event] ?? []).map(({command, tool, timeout_sec: timeoutSec, sandbox}) => ({
					event,
					command,
					...(tool !== undefined && {tool}),
					...(timeoutSec !== undefined && {timeoutSec}),
					...(sandbox === false && {sandbox}),
				})),
			),
			deny,
			fields: Object.fromEntries(fields),
			ignored: Object.keys(others).filter(name => name !== '$schema' && !fields.some(([key]) => key === name)),
		},
	};
}
