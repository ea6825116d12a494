import type {Json, JsonObject} from '../../../core/json.ts';
import type {AnyValue, ExportRequest, KeyValue, OtlpSpan} from './otlp-types.ts';
import type {DecodedSpans, Span} from './span.ts';

/** Returns the valid spans of a request, and a message for each invalid one. */
export function readSpans({resourceSpans = []}: ExportRequest): DecodedSpans {
	const spans: Span[] = [];
	const rejected: string[] = [];
	for (const {resource, scopeSpans = []} of resourceSpans) {
		const attributes = toObject(resource?.attributes);
		for (const {scope, spans: given = []} of scopeSpans) {
			for (const span of given) {
				const fault = faultOf(span);
				if (fault === undefined) {
					spans.push(toSpan(span, attributes, clean(scope?.name ?? '')));
				} else {
					rejected.push(fault);
				}
			}
		}
	}

	return {spans, rejected};
}

/** In nanoseconds: later times (from the year 2255) have no exact number of microseconds. */
const maxNanoseconds = BigInt(Number.MAX_SAFE_INTEGER) * 1000n;

const isId = (id: string, digits: number) => id.length === digits && /^[\da-f]+$/.test(id) && /[^0]/.test(id);

function faultOf({traceId = '', spanId = '', parentSpanId = '', name = '', ...span}: OtlpSpan): string | undefined {
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

	if (end < start) {
		return 'A span ends before it starts.';
	}

	return end >= maxNanoseconds ? 'A span ends too far in the future.' : undefined;
}

function toSpan(span: OtlpSpan, resource: JsonObject, scope: string): Span {
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

/** If a key is repeated, its last value counts. `fromEntries` defines own properties, so `__proto__` is just a key. */
function toObject(pairs: readonly KeyValue[] = []): JsonObject {
	return Object.fromEntries(pairs.map(({key = '', value = {}}) => [clean(key), toJson(value)]));
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
