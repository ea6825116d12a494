import type {AgentEvent, Recorded, RunEvent} from '../session/event.ts';

/** Returns a record as other programs read it: without the styles of an output, which only the screen draws. */
export function plainRecord(record: Recorded): Recorded {
	const {event} = record;
	const plain = plainEvent(event);
	return plain === event ? record : {...record, event: plain};
}

function plainEvent(event: AgentEvent): AgentEvent {
	if (event.type !== 'task') {
		return withoutStyles(event);
	}

	const inner = withoutStyles(event.event);
	return inner === event.event ? event : {...event, event: inner};
}

function withoutStyles(event: RunEvent): RunEvent {
	switch (event.type) {
		case 'tool-output':
		case 'tool-result':
		case 'user-command-end': {
			const {styles: _, ...plain} = event;
			return plain;
		}
		default:
			return event;
	}
}
