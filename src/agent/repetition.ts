import {createHash} from 'node:crypto';
import type {Message} from '../core/session/message.ts';
import type {ToolCall} from './model-turn.ts';

/** Most consecutive turns without anything new. */
const maxStaleTurns = 5;

/**
 * Creates a guard against endless loops. It returns true once five consecutive turns only repeated calls and got the same
 * answers. Progress never counts as a loop: a test that runs again after a change has another result.
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
		return stale >= maxStaleTurns;
	};
}
