import {lastState} from './line-state.ts';
import {readStructured} from './structured.ts';

/** A date with a time (RFC 3339, also with a blank or a comma), after at most a bracket; colours before it don't count. */
const stamp =
	/^(?:\u001B\[[\d;]{0,32}m)*[\s[(]{0,3}(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:[.,](\d{1,9}))?\s?(Z|UTC|[+-]\d\d:?\d\d)?(?![\d:])/;

/**
 * Returns when a line was written, as it says itself, in milliseconds since the epoch: from a field of JSON or logfmt, or
 * from the date and time that it begins with. A time without a zone is in UTC. Undefined for a line without one.
 */
export function lineTime(received: string): number | undefined {
	const text = lastState(received);
	const [, date, time, fraction = '0', zone = 'Z'] = stamp.exec(text.slice(0, 120)) ?? [];
	if (date !== undefined) {
		const parsed = Date.parse(
			`${date}T${time}.${fraction.slice(0, 3)}${zone === 'UTC' ? 'Z' : zone.replace(/(\d\d)(\d\d)$/, '$1:$2')}`,
		);
		return Number.isNaN(parsed) ? undefined : parsed;
	}

	const moment = readStructured(text)?.time;
	return typeof moment === 'number' ? moment : undefined;
}
