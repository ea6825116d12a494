import type {Json, JsonObject} from '../../../core/json.ts';
import {reject} from '../../kit/http-error.ts';
import type {AnyValue, ExportRequest, KeyValue, OtlpSpan} from './otlp-types.ts';
import type {DecodedSpans, ReceivedSpan} from './span.ts';

/** Ends the message to a client that sent something else than spans. */
export const onlyTraces = 'This address stores traces only.';

/**
 * Returns the valid spans of a request, and a message for each invalid one. What can't be read of a resource or scope
 * spoils its own spans. `unknown` are the names around spans that say nothing here: rejects the request (400) if it has
 * nothing else.
 */
export function readSpans({resourceSpans = []}: ExportRequest, unknown: readonly string[] = []): DecodedSpans {
	const spans: ReceivedSpan[] = [];
	const rejected: string[] = [];
	const damaged: string[] = [];
	for (const {fault: unreadable, resource, scopeSpans = []} of resourceSpans) {
		damaged.push(...(unreadable === undefined ? [] : [unreadable]));
		const attributes = toObject(resource?.attributes);
		for (const {fault: unreadableToo, scope, spans: given = []} of scopeSpans) {
			damaged.push(...(unreadableToo === undefined ? [] : [unreadableToo]));
			for (const span of given) {
				const fault = resource?.fault ?? scope?.fault ?? faultOf(span);
				if (fault === undefined) {
					spans.push(toSpan(span, attributes, clean(scope?.name ?? '')));
				} else {
					rejected.push(fault);
				}
			}
		}
	}

	const others = otherSignals(unknown);
	if (spans.length + rejected.length === 0 && damaged.length + unknown.length > 0) {
		return reject(400, damaged[0] ?? `${saidOf(others, unknown)} ${onlyTraces}`);
	}

	// It isn't known how many spans were in a damaged list; at least one was meant.
	const all = [...rejected, ...damaged];
	return {spans, rejected: all, ...(others.length > 0 && {warning: `${saidOf(others, unknown)} ${onlyTraces}`})};
}

/** What else a program may send to an address for spans, by the name in a request. */
const signals: readonly (readonly [RegExp, string])[] = [
	[/^resource_?logs$/i, 'logs'],
	[/^resource_?metrics$/i, 'metrics'],
	[/^resource_?profiles$/i, 'profiles'],
];

const otherSignals = (names: readonly string[]) =>
	signals.flatMap(([pattern, signal]) => (names.some(name => pattern.test(name)) ? [signal] : []));

function saidOf(others: readonly string[], unknown: readonly string[]): string {
	return others.length > 0
		? `The body holds ${others.join(' and ')}.`
		: `The body holds no resourceSpans with spans, but “${unknown[0]?.slice(0, 100)}”.`;
}

/** In nanoseconds: later times (from the year 2255) have no exact number of microseconds. */
const maxNanoseconds = BigInt(Number.MAX_SAFE_INTEGER) * 1000n;

const isId = (id: string, digits: number) => id.length === digits && /^[\da-f]+$/.test(id) && /[^0]/.test(id);

function faultOf({traceId = '', spanId = '', parentSpanId = '', name = '', ...span}: OtlpSpan): string | undefined {
	if (span.fault !== undefined) {
		return span.fault;
	}

	const {startTimeUnixNano: start = 0n, endTimeUnixNano: end = 0n} = span;
	if (!isId(traceId, 32)) {
		return 'A trace id is not 16 bytes with a bit set.';
	}

	if (!isId(spanId, 16)) {
		return 'A span id is not 8 bytes with a bit set.';
	}

	if (!/^(?:[\da-f]{16})?$/.test(parentSpanId)) {
		return 'A parent span id is not 8 bytes.';
	}

	if (name.trim() === '') {
		return 'A span has no name.';
	}

	if (start === 0n) {
		return 'A span has no start.';
	}

	if (end === 0n) {
		return 'A span has no end.';
	}

	if (end < start) {
		return 'A span ends before it starts.';
	}

	return end >= maxNanoseconds ? 'A span ends too far in the future.' : undefined;
}

function toSpan(span: OtlpSpan, resource: JsonObject, scope: string): ReceivedSpan {
	const {traceId = '', spanId = '', parentSpanId = '', name = '', kind = 0, status, events = []} = span;
	return {
		traceId,
		spanId,
		parentSpanId: /[^0]/.test(parentSpanId) ? parentSpanId : null,
		name: clean(name),
		kind,
		startedAt: toMicroseconds(span.startTimeUnixNano),
		endedAt: toMicroseconds(span.endTimeUnixNano),
		statusCode: status?.code ?? 0,
		statusMessage: status?.message ? clean(status.message) : null,
		attributes: toObject(span.attributes),
		resource,
		scope,
		events: events.map(event => ({
			name: clean(event.name ?? ''),
			at: toMicroseconds(event.timeUnixNano),
			attributes: toObject(event.attributes),
		})),
	};
}

const toMicroseconds = (nanoseconds = 0n) =>
	Number((nanoseconds < maxNanoseconds ? nanoseconds : maxNanoseconds) / 1000n);

/** PostgreSQL can't store NUL in text. */
const clean = (text: string) => (text.includes('\0') ? text.replaceAll('\0', '\uFFFD') : text);

/** If a key is repeated, its last value counts. */
function toObject(pairs: readonly KeyValue[] = []): JsonObject {
	const found: Record<string, Json> = {};
	for (const {key = '', value = {}} of pairs) {
		const name = clean(key);
		if (name === '__proto__') {
			// Just a key.
			Object.defineProperty(found, name, {value: toJson(value), enumerable: true, configurable: true, writable: true});
		} else {
			found[name] = toJson(value);
		}
	}

	return found;
}

function toJson(value: AnyValue): Json {
	const {stringValue, boolValue, intValue, doubleValue, arrayValue, kvlistValue, bytesValue} = value;
	if (intValue !== undefined) {
		const number = Number(intValue);
		return Number.isSafeInteger(number) ? number : String(intValue);
	}

	if (doubleValue !== undefined) {
		return Number.isFinite(doubleValue) ? doubleValue : String(doubleValue);
	}

	if (arrayValue) {
		return (arrayValue.values ?? []).map(toJson);
	}

	if (kvlistValue) {
		return toObject(kvlistValue.values);
	}

	return stringValue === undefined ? (boolValue ?? bytesValue ?? null) : clean(stringValue);
}
