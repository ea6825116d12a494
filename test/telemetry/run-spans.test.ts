import {expect, test} from 'vitest';
import {encodeSpan, exportBody} from '../../src/core/otlp.ts';
import {redactKnown} from '../../src/core/secrets/redact.ts';
import type {AgentEvent} from '../../src/core/session/event.ts';
import {decodeTraces} from '../../src/server/ingest/otlp/decode.ts';
import {createRunSpans} from '../../src/telemetry/run-spans.ts';
import {maxContent} from '../../src/telemetry/span-attributes.ts';
import {answered, called, done, said, start, toRecords, used, user} from '../core/records.ts';

const options = {version: '1.2.3', hasContent: false, hide: (text: string) => text, priceOf: () => undefined};

const spansOf = (events: readonly AgentEvent[], more: Partial<typeof options> = {}) =>
	toRecords(events).flatMap(createRunSpans({...options, ...more}));
const attributesOf = (events: readonly AgentEvent[]) =>
	spansOf(events).map(({name, isError, attributes}) => [name, isError, attributes['error.type']]);
const failed = (code: 'auth' | 'failed', message = 'No.'): AgentEvent => ({
	type: 'run-end',
	reason: 'error',
	stopReason: 'error',
	error: {code, message},
});

test('a run has a span for each request and each call, all below the span of the run', () => {
	const spans = spansOf([
		...[start, user('Read'), said('I look.', 'm1'), called('c1', 'm1'), used('m1', 100, 10)],
		...[answered('c1'), said('Done.', 'm2'), used('m2', 200, 20), done],
	]);
	expect(spans.map(({name}) => name)).toEqual([
		'chat demo',
		'execute_tool read_file',
		'chat demo',
		'invoke_agent service',
	]);
	const root = spans.at(-1);
	expect(spans.map(({parentSpanId}) => parentSpanId)).toEqual([root?.spanId, root?.spanId, root?.spanId, undefined]);
	expect(new Set(spans.map(({traceId}) => traceId)).size).toBe(1);
	expect(spans.map(({attributes}) => attributes['gen_ai.response.finish_reasons'])).toEqual([
		['tool_call'],
		undefined,
		['stop'],
		['stop'],
	]);
	expect(root?.attributes).toMatchObject({
		'gen_ai.usage.input_tokens': 300,
		'gen_ai.usage.output_tokens': 30,
		'gen_ai.conversation.id': 'session-1',
		'service.run.end': 'done',
	});
	for (const {startUs, endUs} of spans) {
		expect(startUs).toBeGreaterThanOrEqual(root?.startUs ?? 0);
		expect(endUs).toBeGreaterThanOrEqual(startUs);
		expect(endUs).toBeLessThanOrEqual(root?.endUs ?? 0);
	}
});

test('our own server reads every span of any session, and the same records give the same spans', async () => {
	const events = [start, user('\ud800 lone'), said('Hi'), used('m1', 10, 1), done];
	const encoded = spansOf(events, {hasContent: true}).map(encodeSpan);
	expect(spansOf(events, {hasContent: true}).map(encodeSpan)).toEqual(encoded);
	const body = Buffer.from(
		exportBody(encoded, {resource: {'service.name': 'service'}, scope: {name: 'service', version: '1'}}),
	);
	const {spans, rejected} = await decodeTraces(body, {contentType: 'application/json'});
	expect(rejected).toEqual([]);
	expect(spans.map(({name, resource}) => [name, resource['service.name']])).toEqual([
		['chat demo', 'service'],
		['invoke_agent service', 'service'],
	]);
});

test('a request that failed before it was answered is a failed span, a run that a hook stopped has none', () => {
	expect(attributesOf([start, user('Hi'), failed('auth')])).toEqual([
		['chat demo', true, 'auth'],
		['invoke_agent service', true, 'auth'],
	]);
	expect(attributesOf([start, user('Hi'), failed('failed', 'A hook stopped this run.')])).toEqual([
		['invoke_agent service', true, 'failed'],
	]);
});

test('an interrupted answer and an interrupted call are failed spans', () => {
	const interrupted: AgentEvent = {type: 'run-end', reason: 'interrupted', stopReason: 'incomplete'};
	expect(attributesOf([start, user('Hi'), said('Well'), used('m1', 9, 1), interrupted])).toEqual([
		['chat demo', true, 'interrupted'],
		['invoke_agent service', false, undefined],
	]);
	expect(attributesOf([start, user('Hi'), called('c1'), used('m1', 9, 1), answered('c0'), interrupted])).toEqual([
		['chat demo', false, undefined],
		['execute_tool read_file', true, 'interrupted'],
		['invoke_agent service', false, undefined],
	]);
});

test('a failed tool is a failed span, and what it said is in none without content', () => {
	const events = [start, user('Hi'), called('c1'), used('m1', 9, 1), answered('c1', 'Zebra', true), done];
	expect(attributesOf(events)[1]).toEqual(['execute_tool read_file', true, 'tool_error']);
	expect(JSON.stringify(spansOf(events))).not.toContain('Zebra');
	expect(JSON.stringify(spansOf(events, {hasContent: true}))).toContain('Zebra');
});

test('texts of any length give spans of bounded length', () => {
	const long = 'x'.repeat(1_000_000);
	const spans = spansOf([start, user(long, 'u1'), said(long), called('c1'), answered('c1', long), done], {
		hasContent: true,
	});
	expect(JSON.stringify(spans).length).toBeLessThan(400_000);
});

test('[8] a credential is hidden before its text is cut', () => {
	const token = `ghp_${'aB3'.repeat(12)}`;
	const long = `${'x '.repeat((maxContent - 12) / 2)}${token}`;
	const events = [start, user(long, 'u1'), said(long), called('c1'), used('m1', 9, 1), answered('c1', long), done];
	expect(JSON.stringify(spansOf(events, {hasContent: true, hide: redactKnown})).includes('ghp_')).toBe(false);
});

test('events outside a run give no span', () => {
	expect(spansOf([user('Hi'), said('Ho'), answered('c1'), done, {type: 'rename', title: 'x'}])).toEqual([]);
});
