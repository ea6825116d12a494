import * as z from 'zod/mini';
import {command} from '../../src/command/command.ts';
import {describePlace, place} from '../../src/command/serve/serve-place.ts';

export default command({
	name: 'key',
	summary: 'Create a new API key for a locked-out user',
	args: z.object({email: z.string(), ...place}),
	positional: ['email'],
	describe: {email: 'of the user', ...describePlace},
	examples: ['serve key ada@acme.example'],
	where: 'shell',

	async run(
		{email, ...where},
		{
			program: {
				local: {env},
			},
		},
	) {
		const {makeKeyOf} = await import('../../src/server/run/serve.ts');
		const made = await makeKeyOf({env, ...where}, email);
		return {
			kind: 'text',
			text: `A new API key for ${email}: ${made.reveal()}\nCopy it now; it won't be shown again.`,
			data: {api_key: made.reveal()},
		};
	},
});
