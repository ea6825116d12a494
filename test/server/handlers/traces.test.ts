import {context, diag, SpanKind, trace} from '@opentelemetry/api';
import {OTLPTraceExporter as JsonExporter} from '@opentelemetry/exporter-trace-otlp-http';
import {OTLPTraceExporter as ProtobufExporter} from '@opentelemetry/exporter-trace-otlp-proto';
import {BatchSpanProcessor, NodeTracerProvider} from '@opentelemetry/sdk-trace-node';
import {expect, onTestFinished, test, vi} from 'vitest';
import {listen} from '../../../src/server/http/listen.ts';
import {createTestServer, inWorkspace, origin, scope, type TestServer} from '../harness.ts';
import {decodeResponse, encodeRequest, gzip} from '../ingest/otlp-schema.ts';
import {push, timeAt, toRequest, tracesPath} from '../ingest/push.ts';

const conversation = '22222222-2222-4222-8222-222222222222';
const unarchive = `${inWorkspace}/sessions/${conversation}/unarchive`;

/** Exports a model call with a stock exporter, over HTTP with gzip; resolves when the server has it. */
async function exportCall(Exporter: typeof JsonExporter | typeof ProtobufExporter, url: string, key: string) {
	vi.stubEnv('OTEL_EXPORTER_OTLP_COMPRESSION', 'gzip');
	onTestFinished(() => {
		vi.unstubAllEnvs();
	});
	const faults: unknown[] = [];
	const exporter = new Exporter({url: `${url}${tracesPath}`, headers: {authorization: `Bearer ${key}`}});
	const provider = new NodeTracerProvider({spanProcessors: [new BatchSpanProcessor(exporter)]});
	diag.setLogger({
		error: fault => faults.push(fault),
		warn: fault => faults.push(fault),
		info() {},
		debug() {},
		verbose() {},
	});
	onTestFinished(() => diag.disable());
	const tracer = provider.getTracer('agent', '1.0.0');
	const agent = tracer.startSpan('invoke_agent', {
		attributes: {'gen_ai.operation.name': 'invoke_agent', 'gen_ai.conversation.id': conversation},
	});
	const call = tracer.startSpan(
		'chat gpt-4o',
		{
			kind: SpanKind.CLIENT,
			attributes: {
				'gen_ai.operation.name': 'chat',
				'gen_ai.provider.name': 'openai',
				'gen_ai.request.model': 'gpt-4o',
				'gen_ai.response.model': 'gpt-4o-2024-08-06',
				'gen_ai.response.finish_reasons': ['stop'],
				'gen_ai.usage.input_tokens': 1000,
				'gen_ai.usage.cache_read.input_tokens': 400,
				'gen_ai.usage.output_tokens': 200,
			},
		},
		trace.setSpan(context.active(), agent),
	);
	call.end();
	agent.end();
	await provider.shutdown();
	return faults;
}

test.each([
	['JSON', JsonExporter],
	['protobuf', ProtobufExporter],
])('a stock OpenTelemetry exporter in %s creates a session with tokens and cost', async (_, Exporter) => {
	const server = await createTestServer();
	const listening = await listen(server.app);
	onTestFinished(() => listening.close());
	expect(await exportCall(Exporter, listening.url, server.owner.key)).toEqual([]);
	const {json} = await server.send(unarchive, {method: 'POST'});
	expect([json.model, json.usage]).toEqual([
		'openai/gpt-4o-2024-08-06',
		expect.objectContaining({
			total_input_tokens: 600,
			total_cache_read_input_tokens: 400,
			total_output_tokens: 200,
			total_message_count: 1,
			last_generation_input_tokens: 1000,
			// Prices of a million tokens: input 2.5, read 1.25, output 10 US dollars.
			total_cost_usd: expect.closeTo((600 * 2.5 + 400 * 1.25 + 200 * 10) / 1_000_000, 10),
		}),
	]);
});

const call = {id: '1', attributes: {'gen_ai.conversation.id': conversation}};

/** Sends bytes as they are. */
async function sendBytes(server: TestServer, body: Uint8Array | string, headers: Readonly<Record<string, string>>) {
	const response = await server.app(
		new Request(`${origin}${tracesPath}`, {
			method: 'POST',
			headers: {host: '127.0.0.1:8700', authorization: `Bearer ${server.owner.key}`, ...headers},
			body: typeof body === 'string' ? body : new Uint8Array(body),
		}),
	);
	return {
		status: response.status,
		type: response.headers.get('content-type'),
		bytes: new Uint8Array(await response.arrayBuffer()),
	};
}

const protobuf = {'content-type': 'application/x-protobuf'};

test('a protobuf request gets a protobuf response with the number of rejected spans', async () => {
	const server = await createTestServer();
	const bytes = (hex: string) => Buffer.from(hex, 'hex');
	const good = {
		traceId: bytes('01'.repeat(16)),
		spanId: bytes('02'.repeat(8)),
		name: 'a',
		startTimeUnixNano: '1700000000000000000',
		endTimeUnixNano: '1700000000000000000',
	};
	const request = (...spans: readonly object[]) => encodeRequest({resourceSpans: [{scopeSpans: [{spans}]}]});
	expect(await sendBytes(server, request(good), protobuf)).toEqual({
		status: 200,
		type: 'application/x-protobuf',
		bytes: new Uint8Array(),
	});
	const {status, bytes: answer} = await sendBytes(server, gzip(request(good, {...good, name: ''}, {})), {
		...protobuf,
		'content-encoding': 'gzip',
	});
	expect([status, decodeResponse(answer)]).toEqual([
		200,
		{
			partialSuccess: {
				rejectedSpans: '2',
				errorMessage: 'A span has no name. A trace id is not 16 bytes with a bit set.',
			},
		},
	]);
});

test.each([
	'application/protobuf; proto=opentelemetry',
	'application/vnd.google.protobuf',
	'Application/X-Protobuf;charset=utf-8',
])('%s is protobuf, too', async type => {
	const server = await createTestServer();
	const {status, type: answered} = await sendBytes(server, new Uint8Array(), {'content-type': type});
	expect([status, answered]).toEqual([200, 'application/x-protobuf']);
});

test('of a batch in JSON the good spans are stored, and the response counts the others', async () => {
	const server = await createTestServer();
	const {resourceSpans} = toRequest([call, {id: '2'}]);
	const [spans] = resourceSpans.flatMap(({scopeSpans}) => scopeSpans.map(scope => scope.spans));
	const kinds = spans?.map((span, index) => ({...span, kind: index === 0 ? 'SPAN_KIND_CLIENT' : 'none'}));
	const body = {resource_spans: [{scope_spans: [{spans: kinds}]}], resourceLogs: []};
	const {status, json} = await server.send(tracesPath, {method: 'POST', body});
	expect([status, json]).toEqual([
		200,
		{
			partialSuccess: {
				rejectedSpans: '1',
				errorMessage:
					'The body holds logs. This address stores traces only. body.resourceSpans[0].scopeSpans[0].spans[1].kind must be a whole number of 32 bits or a name such as SPAN_KIND_CONSUMER.',
			},
		},
	]);
	expect(await server.database.selectFrom('spans').select('span_id').execute()).toHaveLength(1);
});

test('logs that are sent to the address of traces are refused', async () => {
	const server = await createTestServer();
	const {status, json} = await server.send(tracesPath, {method: 'POST', body: {resourceLogs: [{scopeLogs: []}]}});
	expect([status, json.detail]).toEqual([400, 'The body holds logs. This address stores traces only.']);
});

test('a span names its workspace and project by slug or id, and the oldest ones are the default', async () => {
	const server = await createTestServer();
	const project = await server.database.selectFrom('projects').select(['id', 'workspace_id']).executeTakeFirstOrThrow();
	const named: readonly Readonly<Record<string, string>>[] = [
		{},
		{'service.workspace': scope.workspace, 'service.project': scope.project},
		{'service.workspace': project.workspace_id, 'service.project': project.id},
		{'service.workspace': project.workspace_id.toUpperCase(), 'service.project': project.id.toUpperCase()},
		{'service.workspace': 'elsewhere'},
		{'service.project': 'elsewhere'},
	];
	const spans = named.map((attributes, index) => ({id: String(index + 1), attributes}));
	expect(await push(server, spans)).toEqual({
		partialSuccess: {
			rejectedSpans: '2',
			errorMessage: 'The organization has no workspace “elsewhere”. The workspace “main” has no project “elsewhere”.',
		},
	});
	expect(await server.database.selectFrom('spans').select('project_id').execute()).toEqual(
		Array.from({length: 4}, () => ({project_id: project.id})),
	);
	expect(await push(server, [{id: '9'}], {resource: {'service.project': 'elsewhere'}})).toMatchObject({
		partialSuccess: {rejectedSpans: '1'},
	});
});

test.each<[string, Uint8Array | string, Record<string, string>]>([
	['text', 'x', {'content-type': 'text/plain'}],
	['no JSON', '{', {'content-type': 'application/json'}],
	['no protobuf', '{}', protobuf],
	['no gzip', '{}', {...protobuf, 'content-encoding': 'gzip'}],
	['a bomb', gzip(new Uint8Array(40 * 1024 * 1024)), {...protobuf, 'content-encoding': 'gzip'}],
])('%s is rejected with the specified error, and stores nothing', async (_, body, headers) => {
	const server = await createTestServer();
	const {status, bytes} = await sendBytes(server, body, headers);
	expect([status, JSON.parse(Buffer.from(bytes).toString())]).toEqual([
		400,
		{code: 400, detail: expect.stringMatching(/^[A-Z].*\.$/), type: 'invalid_error'},
	]);
	expect(await server.database.selectFrom('spans').selectAll().execute()).toEqual([]);
});

test('users cannot send spans to another organization [26]', async () => {
	const server = await createTestServer();
	const rival = await server.foundAnother();
	const sent = {method: 'POST', body: toRequest([call])};
	expect((await server.send(tracesPath, {...sent, key: rival.key})).status).toBe(404);
	expect((await server.send(tracesPath, {...sent, key: 'nope'})).status).toBe(401);
});

test('naming another organization’s ids does not change its resources', async () => {
	const server = await createTestServer();
	const rival = await server.foundAnother();
	const item = {'service.item.type': 'notes', 'service.item.id': conversation, 'service.item.data': {text: 'ours'}};
	const spans = [{...call, attributes: {...call.attributes, ...item, 'service.session.visibility': 'workspace'}}];
	await push(server, spans);
	const {status} = await server.send('/api/v1/org/rival/otel/traces', {
		method: 'POST',
		key: rival.key,
		body: toRequest([{id: '2', end: 9, attributes: {...spans[0]?.attributes, 'service.item.data': {text: 'theirs'}}}]),
	});
	expect(status).toBe(200);
	const items = await server.database.selectFrom('items').select(['id', 'data']).orderBy('created_at').execute();
	expect(items).toEqual([
		{id: conversation, data: '{"text":"ours"}'},
		{id: expect.not.stringMatching(conversation), data: '{"text":"theirs"}'},
	]);
	const sessions = await server.database.selectFrom('sessions').select('updated_at').orderBy('updated_at').execute();
	expect(sessions).toEqual([{updated_at: timeAt(1)}, {updated_at: timeAt(9)}]);
});

test('spans inherit nothing from a parent in another workspace', async () => {
	const server = await createTestServer();
	const {workspace_id: first} = await server.database
		.selectFrom('projects')
		.select('workspace_id')
		.executeTakeFirstOrThrow();
	const {id: organization_id} = await server.database
		.selectFrom('organizations')
		.select('id')
		.executeTakeFirstOrThrow();
	const [second, project] = [conversation, conversation.replace(/.$/, '0')];
	const created_at = '2026-03-02T00:00:00.000Z';
	await server.database
		.insertInto('workspaces')
		.values({id: second, organization_id, slug: 'second', name: 'Second', created_at})
		.execute();
	await server.database
		.insertInto('projects')
		.values({id: project, workspace_id: second, slug: 'web', name: 'Web', created_at})
		.execute();
	await push(server, [call]);
	const below = {id: '2', parent: '1', attributes: {'service.workspace': 'second'}};
	await push(server, [below, {...call, attributes: {...call.attributes, 'service.workspace': 'second'}}]);
	expect(
		await server.database.selectFrom('spans').select(['workspace_id', 'session_id']).orderBy('span_id').execute(),
	).toEqual([
		{workspace_id: first, session_id: conversation},
		{workspace_id: second, session_id: null},
	]);
});
