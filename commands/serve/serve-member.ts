import * as z from 'zod/mini';
import {command} from '../../src/command/command.ts';
import type {Result} from '../../src/command/result.ts';
import {describePlace, place} from '../../src/command/serve/serve-place.ts';
import {AppError} from '../../src/core/error.ts';

export default command({
	name: 'member',
	summary: 'Add or remove a member of an organization, set the role',
	args: z.object({
		email: z.string(),
		role: z.optional(z.enum(['member', 'admin', 'owner'])),
		remove: z.optional(z.boolean()),
		...place,
	}),
	positional: ['email'],
	describe: {
		email: 'e-mail address to log in with',
		role: 'of a new member, member by default; without it, others keep theirs',
		remove: 'end their access to the organization; what they made stays',
		...describePlace,
	},
	examples: ['serve member grace@acme.example --role admin --org acme', 'serve member grace@acme.example --remove'],
	where: 'shell',

	async run(
		{email, role: given, remove, ...where},
		{
			program: {
				local: {env},
			},
			flags,
		},
	): Promise<Result> {
		if (remove && given) {
			throw new AppError('usage', '--remove takes no --role.', {hint: 'Leave out one of them.'});
		}

		const {addToOrganization, organizationOf, removeFromOrganization} = await import('../../src/server/run/serve.ts');
		const organization = await organizationOf({env, ...where}, flags.org);
		if (remove) {
			const {userId, sandboxes} = await removeFromOrganization({env, ...where}, {organization, email});
			const left =
				sandboxes > 0 ? ` Their sandboxes still running or paused: ${sandboxes}. An admin can stop them.` : '';
			return {
				kind: 'text',
				text: `${email} is no longer a member of ${organization}.${left}`,
				data: {user_id: userId, removed: true, sandboxes},
			};
		}

		const {userId, role, apiKey} = await addToOrganization({env, ...where}, {organization, email, role: given});
		const key = apiKey?.reveal();
		return {
			kind: 'text',
			text: `${email} is ${role === 'member' ? 'a member' : `an ${role}`} of ${organization}.${key ? ` API key (copy it now; it won't be shown again): ${key}` : ''}`,
			data: {user_id: userId, role, ...(key && {api_key: key})},
		};
	},
});
