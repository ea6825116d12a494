import {expect, test} from 'vitest';
import {environmentLogSource} from '../../src/client/environment-logs.ts';
import {originOf} from '../../src/core/origin.ts';
import {type Reply, scripted, token, transportTo} from './server.ts';

const params = {org: 'acme', workspace: 'lab', environmentId: '0b5e0a1c-9c1f-4d4e-8b57-0123456789ab'};
const path = `/api/v1/org/acme/ws/lab/environments/${params.environmentId}/logs`;
const {signal} = new AbortController();

async function reader(reply: (count: number) => Reply | 'cut', onFirst?: (answer: unknown) => void) {
	const {origin, asked} = await scripted((_, count) => reply(count));
	return {asked, read: environmentLogSource(originOf(origin), transportTo(origin, 'bearer', token), params, onFirst)};
}

const window = (logs: unknown, headers: Readonly<Record<string, string>> = {}): Reply => ({
	headers: {'content-type': 'application/json', ...headers},
	body: JSON.stringify({logs}),
});

test('the request follows the contract, and sends nothing that was not offered', async () => {
	const {asked, read} = await reader(() => window('a\n'));
	expect(await read({}, signal)).toEqual({kind: 'window', text: 'a\n'});
	expect(asked.map(({method, url}) => [method, `${url.pathname}${url.search}`])).toEqual([['GET', path]]);
	expect(asked[0]?.headers).toMatchObject({accept: 'application/json', authorization: `Bearer ${token}`});
	expect(asked[0]?.headers).not.toHaveProperty('if-none-match');
});

test('an offset and a tag are sent back, and 304 is not a failure', async () => {
	const headers = {etag: '"7-9"', 'x-log-offset': '9', 'x-log-start': '7'};
	const {asked, read} = await reader(count => (count === 1 ? window('a\n', headers) : {status: 304, headers: {}}));
	expect(await read({}, signal)).toEqual({kind: 'window', text: 'a\n', etag: '"7-9"', offset: 9, start: 7});
	expect(await read({after: 9, etag: '"7-9"'}, signal)).toEqual({kind: 'unchanged'});
	expect([asked[1]?.url.search, asked[1]?.headers['if-none-match']]).toEqual(['?after=9', '"7-9"']);
});

test('an environment that ended says so, with a window and with 304', async () => {
	const ended = {'x-log-ended': 'torn_down'};
	const {read} = await reader(count => (count === 1 ? window('a\n', ended) : {status: 304, headers: ended}));
	expect(await read({}, signal)).toEqual({kind: 'window', text: 'a\n', ended: 'torn_down'});
	expect(await read({etag: '"7-9"'}, signal)).toEqual({kind: 'unchanged', ended: 'torn_down'});
});

test('a 304 answer is read to its end, which frees its connection', async () => {
	const body = {
		isEnded: false,
		async *[Symbol.asyncIterator]() {
			yield new Uint8Array(1);
			body.isEnded = true;
		},
	};
	const transport = async () => ({status: 304, headers: {}, body});
	const read = environmentLogSource(originOf('http://127.0.0.1:1'), transport, params);
	expect([await read({etag: '"7-9"'}, signal), body.isEnded]).toEqual([{kind: 'unchanged'}, true]);
});

test.each(['-1', '1.5', 'x', '', '9'.repeat(17), '9007199254740993', ' 5 6'])(
	'the offset %j is ignored',
	async offset => {
		const {read} = await reader(() => window('a\n', {'x-log-offset': offset}));
		expect(await read({}, signal)).toEqual({kind: 'window', text: 'a\n'});
	},
);

test.each([{logs: null}, {}, {logs: 5}])('%j is an error, not an empty log', async json => {
	const {read} = await reader(() => ({headers: {'content-type': 'application/json'}, body: JSON.stringify(json)}));
	await expect(read({}, signal)).rejects.toMatchObject({
		code: 'network',
		message: expect.stringMatching(/ returned a response without logs\.$/),
		permanent: true,
	});
});

test.each([
	[401, {code: 'auth', logInTo: expect.stringMatching(/^http:/)}],
	[403, {code: 'auth', logInTo: undefined}],
	[404, {code: 'not-found'}],
	[429, {code: 'network', retryAfter: 7000}],
	[503, {code: 'network', retryAfter: 7000}],
	[422, {code: 'failed'}],
] as const)('%i is thrown after one request', async (status, error) => {
	const {asked, read} = await reader(() => ({status, headers: {'retry-after': '7'}, body: '{}'}));
	await expect(read({}, signal)).rejects.toMatchObject(error);
	expect(asked).toHaveLength(1);
});

test('an invalid id is rejected before any request', async () => {
	const {origin, asked} = await scripted(() => window(''));
	const transport = transportTo(origin, 'bearer', token);
	expect(() => environmentLogSource(originOf(origin), transport, {...params, environmentId: 'x'})).toThrow(
		expect.objectContaining({code: 'usage'}),
	);
	expect(asked).toEqual([]);
});

test('onFirst is called with the first answer, once', async () => {
	const heard: unknown[] = [];
	const {read} = await reader(
		count => (count === 1 ? 'cut' : window('a')),
		answer => heard.push(answer),
	);
	await expect(read({}, signal)).rejects.toMatchObject({code: 'network'});
	await read({}, signal);
	await read({}, signal);
	expect(heard).toEqual([{logs: 'a'}]);
});

test('sources of two servers never mix: each asks its own, with its own credential [6]', async () => {
	const [one, other] = [await reader(() => window('one\n')), await reader(() => window('other\n'))];
	const answers = await Promise.all([one.read({}, signal), other.read({}, signal), one.read({}, signal)]);
	expect(answers.map(answer => answer.kind === 'window' && answer.text)).toEqual(['one\n', 'other\n', 'one\n']);
	expect([one.asked.length, other.asked.length]).toEqual([2, 1]);
});
