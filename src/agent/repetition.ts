import {createHash} from 'node:crypto';
import type {Message} from '../core/session/message.ts';
import type {ToolCall} from './model-turn.ts';

/** So many turns in a row that bring nothing new are an endless loop. */
const limit = 5;

/**
 * Notices a model that runs in circles: true once five turns in a row asked only what was asked before and got the same
 * answers. A test that is run again after a change gives another answer, so working towards something never counts.
 */
export function createRepetitionGuard(): (calls: readonly ToolCall[], answers: readonly Message[]) => boolean {
	const seen = new Set<string>();
	let stale = 0;

	return (calls, answers) => {
		const known = seen.size;
		for (const [index, {name, arguments: args, malformed}] of calls.entries()) {
			const answer = answers[index];
			const exchange = [name, args, malformed, answer?.role === 'tool' && answer.output];
			seen.add(createHash('sha256').update(JSON.stringify(exchange)).digest('base64'));
		}

		stale = calls.length > 0 && seen.size === known ? stale + 1 : 0;
		return stale >= limit;
	};
}
