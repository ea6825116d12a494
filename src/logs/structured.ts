import {entryOf} from '../core/entry-of.ts';
import {isDeeper, isJsonObject, type Json, type JsonObject, parseJson} from '../core/json.ts';
import {levelKeys, levelNumbers} from './levels.ts';
import {lastState} from './line-state.ts';

/** A line that a logger wrote as JSON or logfmt, in the parts that matter. All of it is untrusted. */
export type StructuredLine = {
	/** When it was logged, in milliseconds since the epoch; as text if it can't be read; undefined if the line has none. */
	readonly time: number | string | undefined;
	/** The level as the line names it; undefined if it has none. */
	readonly level: string | undefined;
	/** May have several lines. */
	readonly message: string;
	/** The other fields in their order, those of an object in an object as `outer.inner`. */
	readonly fields: readonly (readonly [name: string, value: string])[];
};

/** Longer lines are left as they are, in UTF-16 units. */
const maxLength = 16 * 1024;
const maxFields = 40;
const maxValue = 400;
const maxDepth = 20;

const timeKeys = ['time', 'ts', 'timestamp', '@timestamp', 't', 'datetime', 'date'];
const messageKeys = ['msg', 'message', 'event', 'text'];

/** Returns the parts of a line of JSON or logfmt; undefined for any other, and for one without message and level. */
export function readStructured(line: string): StructuredLine | undefined {
	if (line.length > maxLength || line.includes('\u001B')) {
		return undefined;
	}

	const pairs = /^\s{0,8}\{/.test(line) ? pairsOfJson(line) : pairsOfLogfmt(line);
	return pairs && partsOf(pairs);
}

type Pair = readonly [name: string, value: Json];

function pairsOfJson(line: string): readonly Pair[] | undefined {
	const record = parseJson(line);
	return isJsonObject(record) ? Object.entries(record) : undefined;
}

/** A key with its value, which may be quoted. No two parts of it can match the same text, so that it takes linear time. */
const logfmtPair = /\s*([A-Za-z_@][\w.@/-]{0,80})=("(?:[^"\\]|\\.)*"|[^\s"=]*)(?=\s|$)/y;

function pairsOfLogfmt(line: string): readonly Pair[] | undefined {
	// Most lines are not logfmt, and end here.
	if (!/^\s*[A-Za-z_@][\w.@/-]{0,80}=/.test(line)) {
		return undefined;
	}

	const pairs: Pair[] = [];
	const end = line.trimEnd().length;
	logfmtPair.lastIndex = 0;
	while (logfmtPair.lastIndex < end) {
		const [, name, value = ''] = logfmtPair.exec(line) ?? [];
		if (name === undefined) {
			return undefined;
		}

		pairs.push([name, value.startsWith('"') ? (parseJson(value) ?? value.slice(1, -1)) : value]);
	}

	return pairs.length > 1 ? pairs : undefined;
}

function partsOf(pairs: readonly Pair[]): StructuredLine | undefined {
	const find = (keys: readonly string[]) =>
		pairs.find(([name, value]) => keys.includes(name.toLowerCase()) && typeof value !== 'object');
	const [time, level, message] = [find(timeKeys), find(levelKeys), find(messageKeys)];
	if (!level && !message) {
		return undefined;
	}

	const others = pairs.filter(pair => pair !== time && pair !== level && pair !== message);
	const fields = others.flatMap(([name, value]) => flat(name, value)).slice(0, maxFields + 1);
	return {
		time: time && momentOf(time[1]),
		level: level && (entryOf(levelNumbers, String(level[1])) ?? String(level[1])),
		message: message ? String(message[1]) : '',
		fields: fields.length > maxFields ? [...fields.slice(0, maxFields), ['…', '']] : fields,
	};
}

/** Returns the fields of a value: those of an object by their names, once. */
function flat(name: string, value: Json): readonly (readonly [string, string])[] {
	return isJsonObject(value) && Object.keys(value).length > 0
		? Object.entries(value as JsonObject)
				.slice(0, maxFields)
				.map(([inner, each]) => [`${name}.${inner}`, textOf(each)] as const)
		: [[name, textOf(value)]];
}

function textOf(value: Json): string {
	const text = typeof value === 'string' ? value : isDeeper(value, maxDepth) ? '…' : JSON.stringify(value);
	return text.length > maxValue ? `${text.slice(0, maxValue)}…` : text;
}

/** Seconds, milliseconds, microseconds and nanoseconds of this century are told apart by their size. */
const scales = [
	[1e11, 1000],
	[1e14, 1],
	[1e17, 1e-3],
	[1e20, 1e-6],
] as const;

/** Returns a moment in milliseconds since the epoch, or its text. */
function momentOf(value: Json): number | string | undefined {
	const number =
		typeof value === 'number' ? value : /^\d{9,19}(?:\.\d+)?$/.test(String(value)) ? Number(value) : Number.NaN;
	const scale = number >= 1e8 ? scales.find(([limit]) => number < limit)?.[1] : undefined;
	if (scale !== undefined) {
		return number * scale;
	}

	const text = String(value);
	const parsed = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/.test(text) ? Date.parse(text.replace(' ', 'T')) : Number.NaN;
	return Number.isNaN(parsed) ? text.slice(0, 40) : parsed;
}

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
