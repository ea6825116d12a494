import * as z from 'zod/mini';
import {command} from '../../src/command/command.ts';
import {settingKeys} from '../../src/config/settings/setting-table.ts';

export default command({
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
		const {saved} = await import('../../src/command/settings/saved-setting.ts');
		return saved(setting, value, context);
	},
});
