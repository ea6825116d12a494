import * as z from 'zod/mini';
import {idArgument} from '../src/command/argument-types.ts';
import {command, noun} from '../src/command/command.ts';
import {unchanged} from '../src/command/result.ts';
import {originalOf} from '../src/contract/lenient.ts';
import {formatAmount, formatNumber} from '../src/core/format.ts';

const show = command({
	name: 'show',
	summary: 'Show when and how the organization’s credits refill',
	args: z.object({}),
	examples: ['credits show --org acme'],
	whileRunning: true,

	async run(_, {program, signal}) {
		const {client, scope} = await program.servers.open();
		const refill = await client.getAutoRefill({params: await scope('org')}, signal);
		return {
			kind: 'record',
			fields: [
				['auto-refill', told(refill.enabled, on => (on ? 'on' : 'off'))],
				['payment method', told(refill.has_payment_method, has => (has ? 'on file' : 'none'))],
				['refills below', told(refill.threshold, formatNumber)],
				['refills by', told(refill.quantity, formatNumber)],
				['refills this month', told(refill.month_count, count => monthText(count, refill.monthly_cap))],
				['month resets', told(refill.month_reset, String)],
			],
			data: originalOf(refill),
		};
	},
});

/** Returns a value as text: null is not set, and a field that the server left out is unknown. */
function told<T>(value: T | null | undefined, inWords: (value: T) => string): string {
	return value === undefined ? 'unknown' : value === null ? 'not set' : inWords(value);
}

function monthText(count: number, cap: number | null | undefined): string {
	const refills = formatAmount(count, 'refill');
	return typeof cap === 'number'
		? `${formatNumber(count)} of ${formatAmount(cap, 'refill')}`
		: `${refills}${cap === null ? ', no cap' : ''}`;
}

const unlimit = command({
	name: 'unlimit',
	summary: 'Remove a member’s monthly credit limit (deprecated)',
	args: z.object({user: idArgument, yes: z.optional(z.boolean())}),
	positional: ['user'],
	completes: {user: 'user'},
	describe: {user: 'id of the member, or a unique prefix of one seen here', yes: 'skip the confirmation'},
	examples: ['credits unlimit 6f1c0b0e-8f5e-4d5c-9c53-0a5f0c8f2b11 --yes'],

	async run({user: typed, yes}, {program, ui: {interact}, signal}) {
		const {client, scope, find} = await program.servers.open();
		const {org} = await scope('org');
		const user = await find('user', typed, {org}, signal);
		interact.say('This operation is deprecated; the server may drop it.');
		if (!yes && !(await interact.confirm(`Let ${user} use credits of ${org} without a monthly limit?`))) {
			return unchanged;
		}

		await client.removeMemberLimit({params: {org, userId: user}}, signal);
		return {kind: 'text', text: `${user} has no monthly limit any more.`, data: {user_id: user, limited: false}};
	},
});

export default noun({name: 'credits', summary: 'Credits of the organization', verbs: [show, unlimit]});
