import {createHash} from 'node:crypto';

/** A span of the demonstration, told in words; OTLP's form comes from `toOtlp`. */
export type DemoSpan = {
	/** Spans of one trace have the same. */
	readonly trace: string;
	/** Its name inside the trace, by which children name their parent. */
	readonly id: string;
	readonly parent?: string;
	readonly name: string;
	/** When it began and how long it took, in seconds from the moment that the demonstration is loaded; the past is negative. */
	readonly at: number;
	readonly lasts: number;
	readonly failed?: string;
	readonly attributes?: Readonly<Record<string, unknown>>;
};

/** The spans as an exporter would send them: OTLP/HTTP in JSON. The same names give the same ids, whenever it is made. */
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

/** Objects travel as JSON in text, which every exporter can send. */
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
