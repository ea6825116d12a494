import * as z from 'zod/mini';
import {command} from '../../src/command/command.ts';
import {describePlace, place} from '../../src/command/serve/serve-place.ts';

export default command({
	name: 'password',
	summary: 'Create a one-time code to set a password',
	args: z.object({email: z.string(), dropSecondFactor: z._default(z.boolean(), false), ...place}),
	positional: ['email'],
	describe: {
		email: 'of the user',
		dropSecondFactor: 'also turn off the second factor, if app and recovery codes are lost',
		...describePlace,
	},
	examples: ['serve password ada@acme.example'],
	where: 'shell',

	async run(
		{email, dropSecondFactor, ...where},
		{
			program: {
				local: {env},
			},
		},
	) {
		const {makePasswordCodeOf} = await import('../../src/server/run/serve.ts');
		const code = (await makePasswordCodeOf({env, ...where}, email, {dropSecondFactor})).reveal();
		return {
			kind: 'text',
			text: `One-time password code for ${email} (valid 3 days). Enter it at <server>/password: ${code}`,
			data: {password_code: code},
		};
	},
});
