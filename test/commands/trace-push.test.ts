import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {gunzipSync} from 'node:zlib';
import {expect, test} from 'vitest';
import {api, inOrg} from './api.ts';
import {dataOf, drawn, testContext} from './context.ts';

const url = `${inOrg}/otel/traces`;
const spans = '{"resourceSpans":[{"scopeSpans":[{"spans":[{},{},{}]}]}]}';
const binary = Buffer.from([0, 10, 255, 13]);

async function setUp(answer: Parameters<typeof api>[0][string] = {json: {}}) {
	const platform = await api({[`POST ${url}`]: answer});
	const context = testContext({env: platform.env});
	const files = {'a.json': spans, 'B.JSON': spans, 'b.pb': binary, 'c.txt': spans, 'bad.json': '[1', 'empty.pb': ''};
	for (const [name, content] of Object.entries(files)) {
		writeFileSync(join(context.folder, name), content);
	}

	return {...context, seen: platform.seen};
}

test.each([80, 120])('files are sent in order with their types, and counted at %d columns', async width => {
	const {run, seen} = await setUp();
	const result = await run('trace', 'push', 'a.json', 'b.pb', 'B.JSON');
	expect(drawn(result, width)).toBe('Sent 3 files, 118 B.');
	expect(dataOf(result)).toEqual([
		{file: 'a.json', bytes: 57, answer: {}, spans: 3, rejected: 0},
		{file: 'b.pb', bytes: 4, answer: {}, spans: null, rejected: 0},
		{file: 'B.JSON', bytes: 57, answer: {}, spans: 3, rejected: 0},
	]);
	expect(seen.map(({headers, body}) => [headers['content-type'], headers['content-encoding'], body])).toEqual([
		['application/json', undefined, Buffer.from(spans)],
		['application/x-protobuf', undefined, binary],
		['application/json', undefined, Buffer.from(spans)],
	]);
});

test('--gzip compresses, and --format sets the type of a file without an extension', async () => {
	const {run, seen} = await setUp({status: 200});
	const result = await run('trace', 'push', 'c.txt', '--gzip', '--format', 'json');
	expect(drawn(result, 80)).toBe('Sent c.txt, 57 B: 3 spans stored.');
	expect(dataOf(result)).toEqual([{file: 'c.txt', bytes: 57, answer: null, spans: 3, rejected: 0}]);
	expect(seen.map(({headers, body}) => [headers['content-encoding'], gunzipSync(body).toString()])).toEqual([
		['gzip', spans],
	]);
});

test.each([
	[{rejectedSpans: 1, errorMessage: 'too \u001B old'}, 'a.json: The server rejected 1 of 3 spans: too ␛ old'],
	[{rejectedSpans: '2'}, 'a.json: The server rejected 2 of 3 spans.'],
	[{errorMessage: 'Use gzip.'}, 'a.json: The server says: Use gzip.'],
	[{rejectedSpans: 0}, undefined],
	['all', undefined],
])('a partial success is reported: %j', async (partialSuccess, line) => {
	const {run} = await setUp({json: {partialSuccess}});
	expect(drawn(await run('trace', 'push', 'a.json'), 80).split('\n')[1]).toBe(line);
});

/** Two spans as JSON and as Protocol Buffers. */
const two = '{"resourceSpans":[{"scopeSpans":[{"spans":[{},{}]}]}]}';
const twoBinary = Buffer.from([10, 8, 18, 6, 18, 1, 0, 18, 1, 0]);

test.each([
	['two.json', two],
	['two.pb', twoBinary],
])('%s fails if no span is accepted, and succeeds with one', async (name, content) => {
	const rejecting = (rejectedSpans: number) => ({json: {partialSuccess: {rejectedSpans, errorMessage: 'No run.'}}});
	const {run, folder} = await setUp(rejecting(2));
	writeFileSync(join(folder, name), content);
	await expect(run('trace', 'push', name)).rejects.toMatchObject({
		code: 'failed',
		message: `${name}: The server rejected 2 of 2 spans: No run.`,
		hint: 'Fix the spans and send the file again.',
	});

	const other = await setUp(rejecting(1));
	writeFileSync(join(other.folder, name), content);
	const result = await other.run('trace', 'push', name);
	expect(drawn(result, 80).split('\n')[0]).toMatch(/^Sent two\..*: 1 of 2 spans stored\.$/);
	expect(dataOf(result)).toMatchObject([{file: name, spans: 2, rejected: 1}]);
	expect(drawn(result, 80).split('\n')[1]).toBe(`${name}: The server rejected 1 of 2 spans: No run.`);
});

test.each([
	['{"resource_spans":[{"scope_spans":[{"spans":[{},{},{}]}]}]}', '3 spans'],
	['{"ResourceSpans":[{"instrumentationLibrarySpans":[{"spans":[{}]}]}, null]}', '1 span'],
])('the spans of %s are counted', async (content, count) => {
	const {run, folder} = await setUp();
	writeFileSync(join(folder, 'some.json'), content);
	const bytes = Buffer.byteLength(content);
	expect(drawn(await run('trace', 'push', 'some.json'), 80)).toBe(`Sent some.json, ${bytes} B: ${count} stored.`);
});

test.each([
	['{}', ''],
	['{"resourceSpans":[]}', ''],
	['{"resource_spans":[{"scope_spans":[{"spans":[]}]}]}', ''],
	['{"resourceLogs":[{}]}', ', but “resourceLogs”'],
	['{"data":[{"spans":[{}]}]}', ', but “data”'],
	['{"batches":[{"scopeSpans":[{"spans":[{}]}]}]}', ', but “batches”'],
])('%s is refused before anything is sent: it holds no spans', async (content, what) => {
	const {run, folder, seen} = await setUp();
	writeFileSync(join(folder, 'some.json'), content);
	await expect(run('trace', 'push', 'a.json', 'some.json')).rejects.toMatchObject({
		code: 'usage',
		message: `some.json holds no spans${what}.`,
	});
	expect(seen).toEqual([]);
});

test('a file without an accepted span fails the command after all files are sent', async () => {
	let count = 0;
	const {run, folder} = await setUp(() => ({json: ++count === 1 ? {partialSuccess: {rejectedSpans: 2}} : {}}));
	writeFileSync(join(folder, 'two.json'), two);
	await expect(run('trace', 'push', 'two.json', 'a.json')).rejects.toMatchObject({
		code: 'failed',
		message: 'two.json: The server rejected 2 of 2 spans.',
		hint: '1 of 2 files were sent. Fix the others and send only them.',
	});
	expect(count).toBe(2);
});

test.each([
	[['c.txt'], 'usage', "Can't tell the format of “c.txt” from its name."],
	[['a.json', 'bad.json'], 'usage', 'bad.json is not a JSON object.'],
	[['b.pb', '--format', 'json'], 'usage', 'b.pb is not a JSON object.'],
	[['empty.pb'], 'usage', 'empty.pb is empty.'],
	[['a.json', '--format', 'xml'], 'usage', '--format must be json or protobuf.'],
	[[], 'usage', 'trace push needs <file>.'],
])('%j is refused before anything is sent', async (words, code, message) => {
	const {run, seen} = await setUp();
	await expect(run('trace', 'push', ...words)).rejects.toMatchObject({code, message});
	expect(seen).toEqual([]);
});

test('a missing file is named', async () => {
	const {run, folder} = await setUp();
	await expect(run('trace', 'push', 'none.json')).rejects.toMatchObject({
		message: `Cannot read ${join(folder, 'none.json')}: no such file or folder.`,
	});
});

test('an error between files says how many were sent', async () => {
	let count = 0;
	const {run} = await setUp(() =>
		++count === 2 ? {status: 403, json: {detail: 'No.', type: 'forbidden_error'}} : {json: {}},
	);
	await expect(run('trace', 'push', 'a.json', 'b.pb', 'B.JSON')).rejects.toMatchObject({
		code: 'auth',
		message: expect.stringMatching(/forbidden_error.* The first 1 of 3 files were sent\.$/),
	});
	expect(count).toBe(2);
});
