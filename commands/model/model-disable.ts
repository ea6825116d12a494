import * as z from 'zod/mini';
import {command} from '../../src/command/command.ts';
import {changeEnabledModels} from '../../src/command/views/enabled-models.ts';

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

	run: ({model}, context) => changeEnabledModels(model, false, context),
});
