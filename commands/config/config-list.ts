import * as z from 'zod/mini';
import {command} from '../../src/command/command.ts';

export default command({
	name: 'list',
	summary: 'Show every setting with its value and its source',
	args: z.object({}),
	examples: ['config list', 'config list --json'],
	whileRunning: true,

	async run(_, context) {
		const [{settingFaults, settingStates}, {settingsTable}] = await Promise.all([
			import('../../src/command/settings/setting-states.ts'),
			import('../../src/command/settings/setting-views.ts'),
		]);
		return settingsTable(await settingStates(context), await settingFaults(context));
	},
});
