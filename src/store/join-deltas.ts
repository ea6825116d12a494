import type {EventOf, Recorded} from '../core/session/event.ts';

type Delta = Recorded & {readonly event: EventOf<'text-delta' | 'reasoning-delta'>};

/**
 * Returns the items with adjacent pieces of one text as one record, which has the `seq` of the last and changes a transcript
 * as they would one after another. Items that aren't records stay as they are.
 */
export function joinDeltas<Item extends object>(items: readonly (Recorded | Item)[]): readonly (Recorded | Item)[] {
	const joined: (Recorded | Item)[] = [];
	let last: Delta | undefined;
	for (const item of items) {
		const next = 'event' in item && isDelta(item) ? item : undefined;
		last = next && last && continues(next, last) ? join(last, next) : next;
		if (last && last !== next) {
			joined[joined.length - 1] = last;
		} else {
			joined.push(item);
		}
	}

	return joined;
}

function isDelta(record: Recorded): record is Delta {
	return record.event.type === 'text-delta' || record.event.type === 'reasoning-delta';
}

function continues({session, server, seq, event}: Delta, last: Delta): boolean {
	const {type, id, messageId} = last.event;
	return (
		event.type === type &&
		event.id === id &&
		event.messageId === messageId &&
		session === last.session &&
		server === last.server &&
		seq === last.seq + 1
	);
}

function join(last: Delta, {seq, event: {text, opaque}}: Delta): Delta {
	return {...last, seq, event: {...last.event, text: last.event.text + text, ...(opaque && {opaque})}};
}
