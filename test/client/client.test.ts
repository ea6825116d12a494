import {expect, test} from 'vitest';
import {createClient} from '../../src/client/client.ts';
import {originalOf} from '../../src/contract/lenient.ts';
import {apiKey, clientOf, preferences, type Reply, scripted, token, transportTo} from './server.ts';

const id = '0b5e0a1c-9c1f-4d4e-8b57-0123456789ab';
const place = {org: 'acme', workspace: 'ml'};
const provenance = {
	capability_name: 'review',
	capability_version: '1',
	platform_session_id: id,
	root_run_id: 'r',
};

/** A client of a server that always answers the same, and what the server was asked. */
async function answering(reply: Reply | 'cut', options: Parameters<typeof clientOf>[1] = {}) {
	const server = await scripted(() => reply);
	return {...server, ...clientOf(server.origin, options)};
}

test('an invalid call is rejected with each field and its rule, before anything is sent', async () => {
	const {client, asked} = await answering({body: '{}'});
	const wrong = [
		client.createSubmissionStage({
			params: {...place, project: '', itemId: 'abc'},
			body: {action_id: id, provenance: {...provenance, span_id: 'x'.repeat(17), trace_id: ''}},
		}),
		client.listRunItems({params: {...place, runId: id}, query: {project_id: 'p', limit: 1001}}),
		client.unarchiveSession({params: {...place, sessionId: 'not-one'}}),
		client.verifyMfaEnrollment({body: {code: ''}}),
	];
	const errors = await Promise.all(wrong.map(call => call.catch((error: unknown) => error)));
	const hint = 'Nothing was sent. Fix it and try again.';
	const usage = (message: string) => expect.objectContaining({code: 'usage', message, hint});
	expect(errors).toEqual([
		usage(
			'project must have at least 1 character; item_id must be a UUID; provenance.span_id must have at most 16 characters; provenance.trace_id must have at least 1 character.',
		),
		usage('project_id must be a UUID; limit must be at most 1000.'),
		usage('session_id must be a UUID or the beginning of one.'),
		usage('code must have at least 1 character.'),
	]);
	expect(asked).toEqual([]);
});

test('at most five invalid fields are named', async () => {
	const {client} = await answering({});
	const secrets = Array.from({length: 9}, (_, index) => index) as never[];
	await expect(
		client.createEnvironment({params: place, body: {task_ref: 'task', secret_ids: secrets}}),
	).rejects.toMatchObject({message: expect.stringMatching(/^secret_ids\.0 must be text; .*; and 4 more\.$/)});
});

test.each(['.', '..', '\ud800'])('“%s” cannot be a part of a path, and is not sent', async org => {
	const {client, asked} = await answering({body: '{}'});
	await expect(client.getAutoRefill({params: {org}})).rejects.toMatchObject({code: 'usage'});
	expect(asked).toEqual([]);
});

test('a path parameter stays in its segment', async () => {
	const {client, asked} = await answering({body: '{}'});
	await client.resolveTraceArtifact({
		params: {...place, traceId: '../../x?y#z', oid: 'sha256:a/b'},
		query: {download: true},
	});
	expect(asked.map(({url}) => `${url.pathname}${url.search}`)).toEqual([
		'/api/v1/org/acme/ws/ml/traces/..%2F..%2Fx%3Fy%23z/artifacts/sha256%3Aa%2Fb?download=true',
	]);
});

test('the artifact resolver gets a bearer token if there is no API key', async () => {
	const {origin, asked} = await scripted(() => ({body: '{}'}));
	const client = createClient({server: origin, transports: {bearer: transportTo(origin, 'bearer', token)}});
	await client.resolveTraceArtifact({params: {...place, traceId: 't', oid: 'o'}});
	expect(asked.map(({headers}) => [headers.authorization, headers['x-api-key']])).toEqual([
		[`Bearer ${token}`, undefined],
	]);
});

test("a credential only goes to its own origin, whatever the client's server [6]", async () => {
	const other = await scripted(() => ({body: preferences}));
	const transports = {
		bearer: transportTo('http://127.0.0.1:1', 'bearer', token),
		apiKey: transportTo('http://127.0.0.1:1', 'x-api-key', apiKey),
	};
	const client = createClient({server: `${other.origin}/some/path/?x=1`, transports});
	await client.getUserPreferences();
	await client.resolveTraceArtifact({params: {...place, traceId: 't', oid: 'o'}});
	expect(
		other.asked.map(({url, headers}) => [url.pathname.slice(0, 18), headers.authorization, headers['x-api-key']]),
	).toEqual([
		['/some/path/api/v1/', undefined, undefined],
		['/some/path/api/v1/', undefined, undefined],
	]);
});

test('traces are sent byte for byte, with their format and compression', async () => {
	const {client, asked} = await answering({
		headers: {'content-type': 'application/x-protobuf'},
		body: Buffer.from([10, 0]),
	});
	const body = new Uint8Array([0, 255, 31, 139]);
	const call = {params: {org: 'acme'}, body, contentType: 'application/x-protobuf', contentEncoding: 'gzip'} as const;
	expect(await client.pushTraces(call)).toBeUndefined();
	expect([...(asked[0]?.body ?? [])]).toEqual([...body]);
	expect(asked[0]?.headers).toMatchObject({'content-type': call.contentType, 'content-encoding': 'gzip'});
	const wrong: unknown = {...call, contentType: 'text/plain'};
	await expect(client.pushTraces(wrong as typeof call)).rejects.toMatchObject({
		message: 'content-type must be one of application/x-protobuf, application/json.',
	});
});

test('findings accept filters that are not in the specification', async () => {
	const {client, asked} = await answering({body: '{"findings":[],"total":0}'});
	const params = {...place, project: 'p'};
	const found = await client.listFindings({params, query: {severity: ['high', 'low'], sort_by: 'score', status: null}});
	expect(found).toEqual({findings: [], total: 0});
	expect(asked[0]?.url.search).toBe('?severity=high&severity=low&sort_by=score');
});

test('a response of the wrong type names both types', async () => {
	const {client, origin} = await answering({body: '[]'});
	await expect(client.getAutoRefill({params: {org: 'acme'}})).rejects.toMatchObject({
		code: 'network',
		message: `${origin} returned a list instead of an object.`,
	});
	const list = await answering({body: '{"items":[]}'});
	await expect(list.client.getAttackSpans({params: {...place, assessmentId: id}})).rejects.toMatchObject({
		message: `${list.origin} returned an object instead of a list.`,
	});
});

test('an answer with fields missing inside, unknown or of the wrong kind is given, and as it came for those who want it', async () => {
	const body = {
		evaluation_id: 'nightly',
		total_spans: 'many',
		later: [1],
		span_types: ['chat', 5],
	};
	const {client} = await answering({body: JSON.stringify(body)});
	const stats = await client.getEvaluationTraceStats({params: {...place, evaluationId: 'nightly'}});
	expect(stats).toEqual({evaluation_id: 'nightly', later: [1], span_types: ['chat']});
	expect(originalOf(stats)).toEqual(body);
});

const page = {headers: {'content-type': 'text/html'}, body: '<html>Welcome to the hotel</html>'};
const unusable: ReadonlyArray<[string, Reply, string]> = [
	['a web page', page, 'returned a web page instead of data.'],
	['truncated JSON', {body: '{"id": "a'}, 'returned something other than JSON.'],
	['nothing', {body: ''}, 'returned an empty response.'],
	['204', {status: 204}, 'returned an empty response.'],
	[
		'a deep nest',
		{body: `{"a":${'['.repeat(5000)}${']'.repeat(5000)}}`},
		'sent JSON that is nested over 100 levels deep.',
	],
	['300', {status: 300}, "didn't answer like a service server (status 300); no reason given."],
	['304', {status: 304}, "didn't answer like a service server (status 304); no reason given."],
	['a redirect without a place', {status: 302}, "didn't answer like a service server (status 302); no reason given."],
];

test.each(unusable)('%s instead of an object is one sentence, and not asked for again [24]', async (_, reply, said) => {
	const {client, origin, asked} = await answering(reply);
	await expect(client.getAutoRefill({params: {org: 'acme'}})).rejects.toMatchObject({
		code: 'network',
		message: `${origin} ${said}`,
		hint: expect.stringMatching(/^Check the address/),
	});
	expect(asked).toHaveLength(1);
});

test.each(unusable.slice(0, 5))(
	'after a write, %s leaves in doubt what was done, and the hint says so',
	async (_, reply, said) => {
		const {client, origin, asked} = await answering(reply);
		await expect(client.claimRun({params: {...place, runId: id}, body: {execution_id: id}})).rejects.toMatchObject({
			code: 'network',
			message: `${origin} ${said}`,
			hint: 'It may have been done. Check before you retry.',
		});
		expect(asked).toHaveLength(1);
	},
);

test('a response without a body or with an unspecified shape is returned unchanged', async () => {
	const limit = {params: {org: 'acme', userId: id}};
	for (const [reply, key] of [
		[{status: 204}, undefined],
		[{status: 200, body: ''}, undefined],
		[{status: 200, body: '{"ok":true}'}, {ok: true}],
		[{status: 202, headers: {'content-type': 'text/plain'}, body: 'OK'}, undefined],
	] as const) {
		const {client} = await answering(reply);
		expect(await client.removeMemberLimit(limit)).toBeUndefined();
		expect(await client.revokeApiKey({params: {keyId: id}})).toEqual(key);
	}

	const {client} = await answering(page);
	await expect(client.removeMemberLimit(limit)).rejects.toMatchObject({message: expect.stringContaining('a web page')});
	await expect(client.revokeApiKey({params: {keyId: id}})).rejects.toMatchObject({code: 'network'});
});

test('a call is interrupted at once, even between two attempts [21]', async () => {
	const {origin} = await scripted(() => ({status: 500}));
	const abort = new AbortController();
	const {client} = clientOf(origin, {retry: {onWait: () => abort.abort()}});
	await expect(client.getUserPreferences({}, abort.signal)).rejects.toMatchObject({name: 'AbortError'});
	await expect(client.getUserPreferences({}, abort.signal)).rejects.toMatchObject({name: 'AbortError'});
});
