import * as z from 'zod/mini';
import {command} from '../src/command/command.ts';

export default command({
	name: 'settings',
	summary: 'Show and change settings',
	args: z.object({}),
	examples: ['settings'],
	where: 'app',
	whileRunning: true,

	async run(_, context) {
		const {editSettings} = await import('../src/command/settings/edit-settings.ts');
		return editSettings(context);
	},
});
