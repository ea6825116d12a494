import {lastState} from './line-state.ts';
import {readStructured} from './structured.ts';

/** A date with a time (RFC 3339, also with a blank, a comma, slashes or an offset of hours), after at most a bracket; colours before it don't count. */
const stamp =
	/^(?:\u001B\[[\d;]{0,32}m)*[\s[(]{0,3}(\d{4})([-/])(\d\d)\2(\d\d)[T ](\d\d:\d\d:\d\d)(?:[.,](\d{1,9}))?\s?(Z|UTC|[+-]\d\d(?::?\d\d)?)?(?![\d:])/;

/**
 * Returns when a line was written, as it says itself, in milliseconds since the epoch: from a field of JSON or logfmt, or
 * from the date and time that it begins with. A time without a zone is in UTC. Undefined for a line without one.
 */
export function lineTime(received: string): number | undefined {
	const text = lastState(received);
	const [, year, , month, day, time, fraction = '0', zone = 'Z'] = stamp.exec(text.slice(0, 120)) ?? [];
	if (year !== undefined) {
		const [, sign, hours, minutes = '00'] = /^([+-])(\d\d):?(\d\d)?$/.exec(zone) ?? [];
		const offset = sign ? `${sign}${hours}:${minutes}` : 'Z';
		const parsed = Date.parse(`${year}-${month}-${day}T${time}.${fraction.slice(0, 3)}${offset}`);
		return Number.isNaN(parsed) ? undefined : parsed;
	}

	const moment = readStructured(text)?.time;
	return typeof moment === 'number' ? moment : undefined;
}
