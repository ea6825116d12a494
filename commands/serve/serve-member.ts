import * as z from 'zod/mini';
import {command} from '../../src/command/command.ts';
import {describePlace, place} from '../../src/command/serve/serve-place.ts';

export default command({
	name: 'member',
	summary: 'Add a member to an organization, or change the role',
	args: z.object({email: z.string(), role: z._default(z.enum(['member', 'admin', 'owner']), 'member'), ...place}),
	positional: ['email'],
	describe: {email: 'e-mail address to log in with', role: 'member by default', ...describePlace},
	examples: ['serve member grace@acme.example --role admin --org acme'],
	where: 'shell',

	async run({email, role, ...where}, {env, flags}) {
		const {addToOrganization, organizationOf} = await import('../../src/server/run/serve.ts');
		const organization = await organizationOf({env, ...where}, flags.org);
		const {userId, apiKey} = await addToOrganization({env, ...where}, {organization, email, role});
		const key = apiKey?.reveal();
		return {
			kind: 'text',
			text: `${email} is ${role === 'member' ? 'a member' : `an ${role}`} of ${organization}.${key ? ` API key (copy it now; it won't be shown again): ${key}` : ''}`,
			data: {user_id: userId, role, ...(key && {api_key: key})},
		};
	},
});
