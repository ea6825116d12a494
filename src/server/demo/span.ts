import {createHash} from 'node:crypto';

/** A span of the demo in a short form; `toOtlp` converts it to OTLP. */
export type DemoSpan = {
	/** The same for all spans of one trace. */
	readonly trace: string;
	/** Its name within the trace, which children refer to. */
	readonly id: string;
	readonly parent?: string;
	readonly name: string;
	/** Start and duration in seconds, relative to when the demo is loaded; the past is negative. */
	readonly at: number;
	readonly lasts: number;
	readonly failed?: string;
	readonly attributes?: Readonly<Record<string, unknown>>;
};

/** Returns the spans as an exporter would send them: OTLP/HTTP in JSON. The same names always give the same ids. */
export function toOtlp(spans: readonly DemoSpan[], now: Date): object {
	return {
		resourceSpans: [
			{
				resource: {attributes: toAttributes({'service.name': 'demonstration'})},
				scopeSpans: [{scope: {name: 'service.demo'}, spans: spans.map(span => toOtlpSpan(span, now))}],
			},
		],
	};
}

function toOtlpSpan({trace, id, parent, name, at, lasts, failed, attributes = {}}: DemoSpan, now: Date): object {
	const begin = BigInt(Math.round(now.getTime() + at * 1000)) * 1_000_000n;
	const end = begin + BigInt(Math.round(lasts * 1_000_000_000));
	return {
		traceId: digest(trace, 32),
		spanId: digest(`${trace}/${id}`, 16),
		...(parent && {parentSpanId: digest(`${trace}/${parent}`, 16)}),
		name,
		kind: 1,
		startTimeUnixNano: `${begin}`,
		endTimeUnixNano: `${end}`,
		attributes: toAttributes(attributes),
		status: failed ? {code: 2, message: failed} : {code: 1},
	};
}

function toAttributes(values: Readonly<Record<string, unknown>>): object[] {
	return Object.entries(values).map(([key, value]) => ({key, value: toValue(value)}));
}

/** Objects are sent as JSON text, which every exporter supports. */
function toValue(value: unknown): object {
	switch (typeof value) {
		case 'string':
			return {stringValue: value};
		case 'boolean':
			return {boolValue: value};
		case 'number':
			return Number.isInteger(value) ? {intValue: `${value}`} : {doubleValue: value};
		default:
			return {stringValue: JSON.stringify(value)};
	}
}

function digest(name: string, length: number): string {
	return createHash('sha256').update(`demonstration/${name}`).digest('hex').slice(0, length);
}
