import type {AgentEvent} from '../core/session/event.ts';

/**
 * Yields the events as `change` returns them, without those that it drops, and returns what their source does. A consumer
 * that leaves early ends the source too.
 */
export async function* mapEvents<Value>(
	events: AsyncGenerator<AgentEvent, Value>,
	change: (event: AgentEvent) => AgentEvent | undefined,
): AsyncGenerator<AgentEvent, Value> {
	try {
		for (;;) {
			const next = await events.next();
			if (next.done) {
				return next.value;
			}

			const changed = change(next.value);
			if (changed) {
				yield changed;
			}
		}
	} finally {
		// Does nothing once it has ended.
		await events.return(undefined as never);
	}
}
