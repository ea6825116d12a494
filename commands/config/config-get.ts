import * as z from 'zod/mini';
import {command} from '../../src/command/command.ts';
import {settingKeys} from '../../src/config/settings/setting-table.ts';

export default command({
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
			import('../../src/command/settings/setting-states.ts'),
			import('../../src/command/settings/setting-views.ts'),
		]);
		const [state] = await settingStates(context, [parseSettingKey(setting)]);
		if (!state) {
			throw new Error(`The setting ${setting} has no state.`);
		}

		return settingRecord(state);
	},
});
