import {createHash} from 'node:crypto';
import {encodeSpan, exportBody, type Span} from '../../core/otlp.ts';

/** A span of the demo in a short form. */
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

/** Returns the body of a request that exports the spans. The same names always give the same ids. */
export function exportDemo(spans: readonly DemoSpan[], now: Date): string {
	return exportBody(
		spans.map(span => encodeSpan(toSpan(span, now))),
		{resource: {'service.name': 'demonstration'}, scope: {name: 'service.demo'}},
	);
}

function toSpan({trace, id, parent, name, at, lasts, failed, attributes = {}}: DemoSpan, now: Date): Span {
	const startUs = Math.round(now.getTime() + at * 1000) * 1000;
	return {
		traceId: digest(trace, 32),
		spanId: digest(`${trace}/${id}`, 16),
		parentSpanId: parent && digest(`${trace}/${parent}`, 16),
		name,
		kind: 'internal',
		startUs,
		endUs: startUs + Math.round(lasts * 1_000_000),
		attributes: Object.fromEntries(Object.entries(attributes).map(([key, value]) => [key, toValue(value)])),
		isError: failed !== undefined,
		isOk: failed === undefined,
		message: failed,
	};
}

/** Objects and lists are sent as JSON text, which every exporter supports. */
function toValue(value: unknown): string | number | boolean {
	const isPlain = typeof value === 'string' || typeof value === 'boolean' || typeof value === 'number';
	return isPlain ? value : JSON.stringify(value);
}

function digest(name: string, length: number): string {
	return createHash('sha256').update(`demonstration/${name}`).digest('hex').slice(0, length);
}
