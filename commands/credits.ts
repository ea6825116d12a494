import * as z from 'zod/mini';
import {uuidArgument} from '../src/command/argument-types.ts';
import {command, noun} from '../src/command/command.ts';
import {originalOf} from '../src/contract/lenient.ts';
import {formatNumber} from '../src/core/format.ts';

const show = command({
	name: 'show',
	summary: 'Show how the credits of the organization refill',
	args: z.object({}),
	examples: ['credits show --org acme'],
	whileRunning: true,

	async run(_, {platform, signal}) {
		const {client, scope} = await platform.open();
		const refill = await client.getAutoRefill({params: scope('org')}, signal);
		const count = (value: number | null | undefined) => (typeof value === 'number' ? formatNumber(value) : 'not set');
		const month =
			typeof refill.monthly_cap === 'number'
				? `${count(refill.month_count)} of ${count(refill.monthly_cap)} refills`
				: `${count(refill.month_count)} refills, no cap`;
		return {
			kind: 'record',
			fields: [
				['auto-refill', refill.enabled ? 'on' : 'off'],
				['payment method', refill.has_payment_method ? 'on file' : 'none'],
				['refills below', count(refill.threshold)],
				['refills by', count(refill.quantity)],
				['this month', month],
				['month begins anew', refill.month_reset ?? 'not set'],
			],
			data: originalOf(refill),
		};
	},
});

const unlimit = command({
	name: 'unlimit',
	summary: 'Remove a member’s monthly credit limit (deprecated)',
	args: z.object({user: uuidArgument, yes: z.optional(z.boolean())}),
	positional: ['user'],
	completes: {user: 'user'},
	describe: {user: 'UUID of the member', yes: 'do not ask'},
	examples: ['credits unlimit 6f1c0b0e-8f5e-4d5c-9c53-0a5f0c8f2b11 --yes'],

	async run({user, yes}, {platform, interact, signal}) {
		const {client, scope} = await platform.open();
		const {org} = scope('org');
		interact.say('This operation is deprecated; the server may drop it.');
		if (!yes && !(await interact.confirm(`Let ${user} use credits of ${org} without a monthly limit?`))) {
			return {kind: 'text', text: 'Nothing changed.'};
		}

		await client.removeMemberLimit({params: {org, userId: user}}, signal);
		return {kind: 'text', text: `${user} has no monthly limit any more.`, data: {user_id: user, limited: false}};
	},
});

export default noun({name: 'credits', summary: 'Credits of the organization', verbs: [show, unlimit]});
