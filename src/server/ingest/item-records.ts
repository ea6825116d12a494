import type {JsonObject} from '../../core/json.ts';
import type {ReceivedSpan} from './otlp/span.ts';
import {nameAt} from './read-attributes.ts';

/** The name of span events that record items of their own. */
const itemEvent = 'service.item';

export type ItemRecord = {readonly attributes: JsonObject; readonly at: number; readonly index: number};

const none: readonly ItemRecord[] = [];

type Recording = Pick<ReceivedSpan, 'attributes' | 'endedAt' | 'events'>;

/** Returns the records of items in a span: the span itself and its events with that name. */
export function recordsOf({attributes, endedAt, events}: Recording): readonly ItemRecord[] {
	if (events.length === 0 && nameAt(attributes, 'service.item.type') === undefined) {
		return none;
	}

	const records = events
		.filter(({name}) => name === itemEvent)
		.map((event, index) => ({attributes: event.attributes, at: event.at, index: index + 1}));
	return [{attributes, at: endedAt, index: 0}, ...records].filter(
		record => nameAt(record.attributes, 'service.item.type') !== undefined,
	);
}

/** Returns the ids that a span gives the items it records. */
export function itemNamesOf(span: Recording): readonly string[] {
	return recordsOf(span).flatMap(({attributes}) => nameAt(attributes, 'service.item.id') ?? []);
}
