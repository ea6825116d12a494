import * as z from 'zod/mini';
import {command} from '../../src/command/command.ts';

export default command({
	name: 'vim',
	summary: 'Turn Vim keys in the prompt on or off',
	args: z.object({state: z.optional(z.enum(['on', 'off']))}),
	positional: ['state'],
	describe: {state: 'on or off; omit it to switch to the other'},
	examples: ['vim', 'vim off'],
	whileRunning: true,

	async run({state}, {settings}) {
		const isOn = state === undefined ? !settings.value('vim') : state === 'on';
		await settings.save('vim', isOn ? true : undefined);
		const text = isOn ? 'Vim mode is on. Press Esc for normal mode, and again to interrupt a run.' : 'Vim mode is off.';
		return {kind: 'text', text, data: {vim: isOn}};
	},
});
