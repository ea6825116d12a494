import * as z from 'zod/mini';
import {command} from '../src/command/command.ts';
import {isLineByLine} from '../src/command/line-by-line.ts';

export default command({
	name: 'vim',
	summary: 'Turn Vim keys in the prompt on or off',
	args: z.object({state: z.optional(z.enum(['on', 'off']))}),
	positional: ['state'],
	describe: {state: 'on or off; omit it to switch to the other'},
	examples: ['vim', 'vim off'],
	whileRunning: true,

	async run({state}, context) {
		const {
			program: {
				local: {settings},
			},
		} = context;
		const isOn = state === undefined ? !settings.value('vim') : state === 'on';
		await settings.save('vim', isOn ? true : undefined);
		const how = isLineByLine(context)
			? 'It works in the app with a screen.'
			: 'Press Esc for normal mode, and again to interrupt a run.';
		const text = isOn ? `Vim mode is on. ${how}` : 'Vim mode is off.';
		return {kind: 'text', text, data: {vim: isOn}};
	},
});
