import {formatNumber, formatUsd} from '../../../core/format.ts';
import {costOfMessage, type MessageUsage, type PriceOf} from '../../../core/session/usage.ts';
import {safeLine} from '../../../terminal/text/safe-text.ts';
import type {Result} from '../../result.ts';

/** Returns the requests of a session, the newest last, with what each one was for and where its cost is from. */
export function requestTable(messages: ReadonlyMap<string, MessageUsage>, priceOf: PriceOf): Result {
	const right = 'right';
	const rows = [...messages].map(([id, message]) => ({
		id,
		message,
		usd: costOfMessage(message, priceOf),
		source: sourceOf(message, priceOf),
	}));
	return {
		kind: 'table',
		title: 'Requests of this session',
		columns: [
			{label: 'at'},
			{label: 'for'},
			{label: 'model', spare: true, cut: 'middle'},
			{label: 'input', align: right},
			{label: 'cache read', align: right},
			{label: 'write', align: right, spare: true},
			{label: 'output', align: right},
			{label: 'cost', align: right},
			{label: 'price', spare: true},
		],
		rows: rows.map(({message: {at, cause, model, usage}, usd, source}) => [
			{at},
			cause ?? 'turn',
			safeLine(model),
			formatNumber(usage.input),
			formatNumber(usage.cacheRead),
			formatNumber(usage.cacheWrite),
			`${formatNumber(usage.output)}${usage.estimated ? ' est.' : ''}`,
			formatUsd(usd),
			source,
		]),
		empty: 'No requests yet. Send a message first.',
		data: rows.map(({id, message: {at, cause, model, usage, prefix}, usd, source}) => ({
			message_id: id,
			at,
			cause: cause ?? 'turn',
			model,
			input_tokens: usage.input,
			cache_read_input_tokens: usage.cacheRead,
			cache_creation_input_tokens: usage.cacheWrite,
			output_tokens: usage.output,
			reasoning_tokens: usage.reasoning,
			estimated: usage.estimated ?? false,
			cost_usd: usd,
			price: source,
			prefix: prefix ? {...prefix} : null,
		})),
	};
}

/** Returns where the cost of a request is from: the provider, a dated price table, the server, or nowhere. */
function sourceOf({model, usage, price}: MessageUsage, priceOf: PriceOf): string {
	return usage.costUsd !== undefined ? 'provider' : (price?.table ?? (priceOf(model) ? 'today' : 'unknown'));
}
