import type {Json} from '../../../src/core/json.ts';
import {scope, type TestServer} from '../harness.ts';

export type Given = {
	readonly id: string;
	readonly parent?: string;
	readonly trace?: string;
	readonly name?: string;
	/** Seconds after the test's start. */
	readonly start?: number;
	readonly end?: number;
	readonly failed?: boolean;
	readonly attributes?: Readonly<Record<string, Json>>;
	readonly events?: readonly {
		readonly name: string;
		readonly at: number;
		readonly attributes: Readonly<Record<string, Json>>;
	}[];
};

/** The test's start, in seconds since 1970: 2026-03-01T10:00:00Z. */
const zero = 1_772_359_200;

/** Returns a time after the test's start in nanoseconds, as OTLP encodes it. */
const nanoseconds = (second: number) => String(BigInt(Math.round((zero + second) * 1000)) * 1_000_000n);

export const timeAt = (second: number) => new Date((zero + second) * 1000).toISOString();

const traceId = (trace = '1') => trace.padStart(32, '0');
export const spanId = (id: string) => id.padStart(16, '0');

function toValue(value: Json): object {
	if (typeof value === 'string') {
		return {stringValue: value};
	}

	if (typeof value === 'boolean') {
		return {boolValue: value};
	}

	if (typeof value === 'number') {
		return Number.isSafeInteger(value) ? {intValue: String(value)} : {doubleValue: value};
	}

	return {stringValue: JSON.stringify(value)};
}

const toAttributes = (attributes: Readonly<Record<string, Json>> = {}) =>
	Object.entries(attributes).map(([key, value]) => ({key, value: toValue(value)}));

/** Returns an OTLP request in JSON. */
export function toRequest(spans: readonly Given[], resource: Readonly<Record<string, Json>> = {}) {
	const scopeSpans = [
		{
			scope: {name: 'test'},
			spans: spans.map(
				({id, parent, trace, name = id, start = 0, end = start + 1, failed, attributes, events = []}) => ({
					traceId: traceId(trace),
					spanId: spanId(id),
					...(parent && {parentSpanId: spanId(parent)}),
					name,
					kind: 1,
					startTimeUnixNano: nanoseconds(start),
					endTimeUnixNano: nanoseconds(end),
					attributes: toAttributes(attributes),
					events: events.map(event => ({
						name: event.name,
						timeUnixNano: nanoseconds(event.at),
						attributes: toAttributes(event.attributes),
					})),
					status: {code: failed ? 2 : 0},
				}),
			),
		},
	];
	return {resourceSpans: [{resource: {attributes: toAttributes(resource)}, scopeSpans}]};
}

export const tracesPath = `/api/v1/org/${scope.org}/otel/traces`;

type Options = {
	readonly key?: string;
	readonly resource?: Readonly<Record<string, Json>>;
};

/** Sends spans to a server, and returns what it says about rejected ones. */
export async function push(server: TestServer, spans: readonly Given[], {key, resource}: Options = {}) {
	const {status, text, json} = await server.send(tracesPath, {
		method: 'POST',
		body: toRequest(spans, resource),
		...(key !== undefined && {key}),
	});
	if (status !== 200) {
		throw new Error(`The server answered ${status}: ${text}`);
	}

	return json;
}
