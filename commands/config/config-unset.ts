import * as z from 'zod/mini';
import {command} from '../../src/command/command.ts';
import {settingKeys} from '../../src/config/settings/setting-table.ts';

export default command({
	name: 'unset',
	summary: 'Remove a saved setting and use its default',
	args: z.object({setting: z.string()}),
	positional: ['setting'],
	describe: {setting: 'its name in the list'},
	suggests: {setting: settingKeys},
	examples: ['config unset compact_at', 'config unset keys.prompt.undo'],
	whileRunning: true,

	async run({setting}, context) {
		const {saved} = await import('../../src/command/settings/saved-setting.ts');
		return saved(setting, undefined, context);
	},
});
