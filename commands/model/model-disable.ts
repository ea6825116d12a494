import * as z from 'zod/mini';
import {command} from '../../src/command/command.ts';

export default command({
	name: 'disable',
	summary: 'Disable models in your preferences on the server',
	args: z.object({model: z.array(z.string())}),
	positional: ['model'],
	completes: {model: 'model'},
	rest: true,
	describe: {model: 'provider/model-name, one or more'},
	examples: ['model disable openai/gpt-5'],
	whileRunning: true,

	async run({model}, context) {
		const {changeEnabledModels} = await import('../../src/command/views/enabled-models.ts');
		return await changeEnabledModels(model, false, context);
	},
});
