import {expect, test} from 'vitest';
import {dispatch} from '../../src/command/dispatch.ts';
import {sendTo} from '../../src/telemetry/export-request.ts';
import {plainTransport} from '../client/login-server.ts';
import {dataOf, testContext} from '../commands/context.ts';
import {httpServer, socketServer} from '../net/servers.ts';
import {traced} from './traced.ts';

/** An endpoint that keeps the headers and bodies that it gets. */
async function collector(status = 200, headers = {}) {
	const bodies: string[] = [];
	const server = await httpServer(async (request, response) => {
		let body = '';
		for await (const piece of request.setEncoding('utf8')) {
			body += piece;
		}

		bodies.push(body);
		response.writeHead(status, {'content-type': 'application/json', ...headers}).end('{}');
	});
	return {...server, bodies};
}

test('an endpoint of the environment gets the spans with its headers, and no key of the server [6]', async () => {
	const {origin, seen, bodies} = await collector();
	const {program} = await traced({
		env: {OTEL_EXPORTER_OTLP_ENDPOINT: origin, OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Basic%20dXNlcjpwYXNz,x-a=b'},
	});
	await program.session.conversation.send('Hello');
	expect(await program.endTraces()).toBeUndefined();
	expect(seen[0]).toMatchObject({
		method: 'POST',
		url: '/v1/traces',
		headers: {authorization: 'Basic dXNlcjpwYXNz', 'x-a': 'b', 'content-type': 'application/json'},
	});
	expect(bodies.join()).toMatch(/invoke_agent service/);
	expect(bodies.join()).not.toMatch(/dXNlcjpwYXNz/);
});

test('a run goes on beside an endpoint that stalls, and the end of the program waits for it only for a moment', async () => {
	const stalled = await socketServer(() => undefined);
	const {program, records} = await traced({env: {OTEL_EXPORTER_OTLP_ENDPOINT: stalled}});
	await program.session.conversation.send('One');
	await program.session.conversation.send('Two');
	expect(records.filter(({event}) => event.type === 'run-end')).toHaveLength(2);
	expect(await program.endTraces()).toMatch(
		/^4 spans were not sent to http:\/\/127\.0\.0\.1:\d+: No answer in time\.$/,
	);
});

test('an endpoint that refuses is named once on the screen, with the command that says more', async () => {
	const {origin} = await collector(400);
	const {program, store} = await traced({env: {OTEL_EXPORTER_OTLP_ENDPOINT: origin}});
	await program.session.conversation.send('One');
	const text = `Traces not sent: ${new URL(origin).host} answered 400. See /traces`;
	await expect.poll(() => store.getState().toast).toBe(text);
	store.getState().setToast('');
	await program.session.conversation.send('Two');
	expect(await program.endTraces()).toMatch(/^4 spans were not sent/);
	expect(store.getState().toast).toBe('');
});

test('a busy endpoint says how long to wait', async () => {
	const {origin} = await collector(503, {'retry-after': '5'});
	const send = sendTo({
		url: `${origin}/v1/traces`,
		transport: plainTransport(),
		source: {resource: {}, scope: {name: 'service'}},
	});
	const sent = send(['{}'], new AbortController().signal);
	await expect(sent).rejects.toMatchObject({code: 'network', retryAfter: 5000});
});

test('/traces on is saved for the server that was connected, and for no other one', async () => {
	const here = testContext({env: {SERVICE_SERVER: 'https://a.test'}});
	expect(dataOf(await here.run('traces'))).toMatchObject({level: 'off', target: 'https://a.test'});
	expect(dataOf(await here.run('traces', 'on'))).toMatchObject({level: 'on', target: 'https://a.test'});
	const elsewhere = testContext({like: here, env: {SERVICE_SERVER: 'https://b.test'}});
	expect(dataOf(await elsewhere.run('traces'))).toMatchObject({level: 'off', target: 'https://b.test'});
	await elsewhere.run('traces', 'on', '--content');
	const later = testContext({like: here, env: {SERVICE_SERVER: 'https://a.test'}});
	expect(dataOf(await later.run('traces', 'status'))).toMatchObject({level: 'on', target: 'https://a.test'});
	expect(dataOf(await later.run('traces', 'off'))).toMatchObject({level: 'off'});
	expect(dataOf(await elsewhere.run('traces'))).toMatchObject({level: 'content'});
	const exporting = testContext({like: here, env: {OTEL_EXPORTER_OTLP_ENDPOINT: 'https://c.test/o'}});
	expect(dataOf(await exporting.run('traces'))).toMatchObject({level: 'off', target: 'https://c.test/o/v1/traces'});
	await expect(dispatch(['traces', 'on'], {...exporting.context})).resolves.toBeDefined();
});

test('SERVICE_TRACES decides for one start', async () => {
	const here = testContext({env: {SERVICE_TRACES: 'on'}});
	expect(dataOf(await here.run('traces'))).toMatchObject({level: 'on', target: 'local'});
	await expect(here.run('traces', 'off')).rejects.toMatchObject({code: 'usage'});
	await expect(testContext({env: {SERVICE_TRACES: 'yes'}}).run('traces')).rejects.toMatchObject({code: 'usage'});
});
