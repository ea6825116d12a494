import {formatAmount} from '../core/format.ts';
import {type AgentEvent, parseRecorded, type Recorded, type RunEvent} from '../core/session/event.ts';

/** A session as it is handed over, and what it is called here. */
type Received = {
	/** What the other side sent. Untrusted. */
	readonly records: readonly unknown[];
	readonly session: string;
	/** The folder that it continues in. */
	readonly folder: string;
	/** Who handed it over. */
	readonly from: string;
	/** The time, as ISO 8601 in UTC. */
	readonly at: string;
};

type Counts = {rules: number; agents: number; images: number; changes: number};

/**
 * Returns the records of a session that happened elsewhere, as those of a session that begins here: its conversation, and nothing that
 * gives it rights (SAFETY 33). No agent that it starts, no rule that allows, no image or file that it names, no host that it was bound to.
 * The last record says where it is from, and what is left out. Returns nothing for a session without a message.
 */
export function receivedRecords({records, session, folder, from, at}: Received): readonly Recorded[] {
	const left: Counts = {rules: 0, agents: 0, images: 0, changes: 0};
	const events = records.flatMap(value => {
		const record = parseRecorded(value);
		const event = record && receivedEvent(record.event, folder, left);
		return event ? [{at: record.at, event}] : [];
	});
	if (!events.some(({event}) => event.type === 'user-message' || event.type === 'user-command')) {
		return [];
	}

	const notice: AgentEvent = {
		type: 'notice',
		level: 'info',
		text: [`Handed over by ${from}.`, ...remainder(left)].join(' '),
	};
	return [...withRunEnded(events), {at, event: notice}].map(({at: when, event}, seq) => ({
		v: 1,
		seq,
		at: Number.isNaN(Date.parse(when)) ? at : when,
		session,
		server: 'local',
		event,
	}));
}

type Dated = {readonly at: string; readonly event: AgentEvent};

/** A run that has no end was interrupted. */
function withRunEnded(events: readonly Dated[]): readonly Dated[] {
	const last = events.findLast(({event}) => event.type === 'run-start' || event.type === 'run-end');
	const end: AgentEvent = {type: 'run-end', reason: 'interrupted', stopReason: 'incomplete'};
	return last?.event.type === 'run-start' ? [...events, {at: events.at(-1)?.at ?? last.at, event: end}] : events;
}

/** Returns an event without what counts only where it happened; undefined for one that counts there as a whole. */
function receivedEvent(event: AgentEvent, folder: string, left: Counts): AgentEvent | undefined {
	if (event.type === 'task') {
		const inner = receivedRunEvent(event.event, folder, left);
		return inner && {...event, event: inner};
	}

	return receivedRunEvent(event, folder, left);
}

function receivedRunEvent(event: RunEvent, folder: string, left: Counts): RunEvent | undefined {
	switch (event.type) {
		case 'run-start':
		case 'user-message':
		case 'user-command':
		case 'user-command-end':
		case 'plan':
		case 'tool-output':
		case 'tool-call-update':
		case 'reclassify':
		case 'approval-request':
		case 'approval-answer':
		case 'compaction':
		case 'compaction-undo':
		case 'pin':
		case 'budget':
		case 'rename':
		case 'run-end':
			return event;
		// What a vendor signed goes back to that vendor alone, and this side doesn't know who wrote it.
		case 'text-delta':
		case 'reasoning-delta':
		case 'tool-call':
			return {...event, opaque: undefined};
		case 'attachment':
		case 'tool-result':
			left.images += event.images?.length ?? 0;
			return {...event, images: undefined};
		case 'usage': {
			const {input, cacheRead, cacheWrite, output, reasoning, costUsd = 0} = event.usage;
			const isSpent = [input, cacheRead, cacheWrite, output, reasoning, costUsd].every(number => number >= 0);
			return isSpent ? {...event, endpoint: undefined, prefix: undefined} : undefined;
		}
		case 'notice':
			return {type: 'notice', level: event.level, text: event.text};
		case 'session-rule':
			if (event.effect === 'deny') {
				return {...event, folder};
			}

			left.rules += event.removed === true ? 0 : 1;
			return undefined;
		case 'agent':
			left.agents += event.name === undefined ? 0 : 1;
			return undefined;
		case 'checkpoint':
		case 'restore':
			left.changes++;
			return undefined;
		case 'presence':
			return undefined;
		default:
			return event satisfies never;
	}
}

/** Returns what stayed where the session was, in sentences. */
function remainder({rules, agents, images, changes}: Counts): readonly string[] {
	return [
		...(agents > 0 ? ['Another agent answered there; here our own does.'] : []),
		...(rules > 0
			? [`${formatAmount(rules, 'rule')} that it allowed there ${rules === 1 ? 'is' : 'are'} left out.`]
			: []),
		...(images > 0 ? [`${formatAmount(images, 'image')} stayed there.`] : []),
		...(changes > 0 ? ['`/undo` and `/diff` don’t cover its changes from there.'] : []),
	];
}
