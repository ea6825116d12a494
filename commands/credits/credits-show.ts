import * as z from 'zod/mini';
import {command} from '../../src/command/command.ts';
import {originalOf} from '../../src/contract/lenient.ts';
import {formatAmount, formatNumber} from '../../src/core/format.ts';

export default command({
	name: 'show',
	summary: 'Show when and how the organization’s credits refill',
	args: z.object({}),
	examples: ['credits show --org acme'],
	whileRunning: true,

	async run(
		_,
		{
			program: {
				servers: {platform},
			},
			signal,
		},
	) {
		const {client, scope} = await platform.open();
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
