import * as z from 'zod/mini';
import {command, noun} from '../src/command/command.ts';
import {settingKeys} from '../src/config/settings/setting-table.ts';

const list = command({
	name: 'list',
	summary: 'Show every setting with its value and its source',
	args: z.object({}),
	examples: ['config list', 'config list --json'],
	whileRunning: true,

	async run(_, context) {
		const [{settingFaults, settingStates}, {settingsTable}] = await Promise.all([
			import('../src/command/settings/setting-states.ts'),
			import('../src/command/settings/setting-views.ts'),
		]);
		return settingsTable(await settingStates(context), await settingFaults(context));
	},
});

const get = command({
	name: 'get',
	summary: 'Show one setting: value, source, allowed values',
	args: z.object({setting: z.string()}),
	positional: ['setting'],
	describe: {setting: 'its name in the list'},
	suggests: {setting: settingKeys},
	examples: ['config get compact_at', 'config get model --json'],
	whileRunning: true,

	async run({setting}, context) {
		const [{parseSettingKey, settingStates}, {settingRecord}] = await Promise.all([
			import('../src/command/settings/setting-states.ts'),
			import('../src/command/settings/setting-views.ts'),
		]);
		const [state] = await settingStates(context, [parseSettingKey(setting)]);
		if (!state) {
			throw new Error(`The setting ${setting} has no state.`);
		}

		return settingRecord(state);
	},
});

const set = command({
	name: 'set',
	summary: 'Save a setting',
	args: z.object({setting: z.string(), value: z.string()}),
	positional: ['setting', 'value'],
	rest: true,
	describe: {
		setting: 'its name in the list; name.entry for an entry of an object',
		value: 'on or off, a number, a word, a,b or JSON: what the list names as allowed',
	},
	suggests: {setting: settingKeys},
	examples: [
		'config set compact_at 80',
		'config set model anthropic/claude-sonnet-4-5',
		'config set keys.prompt.undo alt+u',
	],
	whileRunning: true,

	async run({setting, value}, context) {
		const {saved} = await import('../src/command/settings/change-setting.ts');
		return saved(setting, value, context);
	},
});

const unset = command({
	name: 'unset',
	summary: 'Remove a saved setting and use its default',
	args: z.object({setting: z.string()}),
	positional: ['setting'],
	describe: {setting: 'its name in the list'},
	suggests: {setting: settingKeys},
	examples: ['config unset compact_at', 'config unset keys.prompt.undo'],
	whileRunning: true,

	async run({setting}, context) {
		const {saved} = await import('../src/command/settings/change-setting.ts');
		return saved(setting, undefined, context);
	},
});

const edit = command({
	name: 'edit',
	summary: 'Show and change settings',
	args: z.object({}),
	where: 'app',
	whileRunning: true,

	async run(_, context) {
		const {editSettings} = await import('../src/command/settings/edit-settings.ts');
		return editSettings(context);
	},
});

export default noun({
	name: 'config',
	aliases: ['settings'],
	summary: 'Settings, and where they come from',
	verbs: [list, get, set, unset, edit],
	fallback: 'list',
	aliasFallback: 'edit',
});
