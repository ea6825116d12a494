import * as z from 'zod/mini';
import {idArgument} from '../../src/command/argument-types.ts';
import {command} from '../../src/command/command.ts';

export default command({
	name: 'unlimit',
	summary: 'Remove a member’s monthly credit limit (deprecated)',
	args: z.object({user: idArgument, yes: z.optional(z.boolean())}),
	positional: ['user'],
	completes: {user: 'user'},
	describe: {user: 'id of the member, or a unique prefix of one seen here', yes: 'skip the confirmation'},
	examples: ['credits unlimit 6f1c0b0e-8f5e-4d5c-9c53-0a5f0c8f2b11 --yes'],

	async run(
		{user: typed, yes},
		{
			program: {
				servers: {platform},
			},
			ui: {interact},
			signal,
		},
	) {
		const {client, scope, find} = await platform.open();
		const {org} = await scope('org');
		const user = await find('user', typed, {org}, signal);
		interact.say('This operation is deprecated; the server may drop it.');
		if (!yes && !(await interact.confirm(`Let ${user} use credits of ${org} without a monthly limit?`))) {
			return {kind: 'text', text: 'Nothing changed.'};
		}

		await client.removeMemberLimit({params: {org, userId: user}}, signal);
		return {kind: 'text', text: `${user} has no monthly limit any more.`, data: {user_id: user, limited: false}};
	},
});
