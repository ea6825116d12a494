import {formatAmount, formatCount} from '../../core/format.ts';
import type {TraceStatus} from '../../platform/traces/traces.ts';
import {facts} from '../render/facts.ts';
import type {Result} from '../result.ts';

const levels = {
	off: 'off',
	on: 'on: names, tokens, costs and errors, no texts',
	content: 'on, with prompts, answers, arguments and results',
} as const;

/** Returns where traces go and what became of them. */
export function traceStatus({name, level, isForced, url, queue}: TraceStatus): Result {
	const where = name === 'local' ? 'the embedded server, until it ends' : (url ?? name);
	const fields = facts([
		['traces', levels[level] + (isForced ? ' (SERVICE_TRACES)' : '')],
		[level === 'off' ? 'would go to' : 'go to', where],
		['sent', queue && formatAmount(queue.sent, 'span')],
		['waiting', queue && queue.waiting > 0 ? formatCount(queue.waiting) : undefined],
		['dropped', queue && queue.dropped > 0 ? formatCount(queue.dropped) : undefined],
		['last error', queue?.fault],
	]);
	const {waiting = 0, sent = 0, dropped = 0, fault} = queue ?? {};
	return {kind: 'record', fields, data: {level, target: url ?? name, sent, waiting, dropped, error: fault ?? null}};
}
