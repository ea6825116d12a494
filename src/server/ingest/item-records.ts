import type {JsonObject} from '../../core/json.ts';
import type {Span} from './otlp/span.ts';
import {nameAt} from './read-attributes.ts';

/** The events of a span that record items of their own. */
const itemEvent = 'service.item';

export type ItemRecord = {readonly attributes: JsonObject; readonly at: number; readonly index: number};

type Recording = Pick<Span, 'attributes' | 'endedAt' | 'events'>;

/** Returns what records an item: the span, and its events of that name. */
export function recordsOf({attributes, endedAt, events}: Recording): readonly ItemRecord[] {
	const its = events
		.filter(({name}) => name === itemEvent)
		.map((event, index) => ({attributes: event.attributes, at: event.at, index: index + 1}));
	return [{attributes, at: endedAt, index: 0}, ...its].filter(
		record => nameAt(record.attributes, 'service.item.type') !== undefined,
	);
}

/** Returns the names that a span gives to the items it records. */
export function itemNamesOf(span: Recording): readonly string[] {
	return recordsOf(span).flatMap(({attributes}) => nameAt(attributes, 'service.item.id') ?? []);
}
