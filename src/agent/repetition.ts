import {createHash} from 'node:crypto';
import type {Message} from '../core/session/message.ts';
import type {ToolCall} from './model-turn.ts';

/** Most consecutive turns without anything new. */
const maxStaleTurns = 5;

/** Calls that take longer wait for something: a line of a log, or the end of a build. */
const waitingMs = 10_000;

/** Returns true after a turn of a loop. `durationMs` is how long its calls took. */
type RepetitionGuard = (calls: readonly ToolCall[], answers: readonly Message[], durationMs: number) => boolean;

/**
 * Creates a guard against endless loops. It returns true once five consecutive turns only repeated calls and got the same
 * answers. Progress never counts as a loop: a test that runs again after a change has another result. Neither does
 * waiting, which costs a request now and then.
 */
export function createRepetitionGuard(): RepetitionGuard {
	const seen = new Set<string>();
	let stale = 0;

	return (calls, answers, durationMs) => {
		const known = seen.size;
		for (const [index, {name, arguments: args, malformed}] of calls.entries()) {
			const answer = answers[index];
			const exchange = [name, args, malformed, answer?.role === 'tool' && answer.output];
			seen.add(createHash('sha256').update(JSON.stringify(exchange)).digest('base64'));
		}

		const isStale = calls.length > 0 && seen.size === known && durationMs < waitingMs;
		stale = isStale ? stale + 1 : 0;
		return stale >= maxStaleTurns;
	};
}
