import {readdirSync, readFileSync, statSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {httpServer} from '../net/servers.ts';
import {api, inWorkspace} from './api.ts';
import {dataOf, drawn, testContext} from './context.ts';
import {goodKey} from './platform.ts';

const url = `${inWorkspace}/traces/t1/artifacts/a1`;

/** Starts a server that knows one artifact, and the storage that has it. */
async function setUp({bytes = 'meow', status = 200, ...over}: Readonly<Record<string, unknown>> = {}) {
	const storage = await httpServer((_, response) => {
		response.writeHead(Number(status), {location: 'http://127.0.0.1:1/'});
		response.end(bytes);
	});
	const reference = {
		expires_at: '2026-01-02T03:04:05Z',
		filename: 'cat.png',
		mime_type: 'image/png',
		oid: 'a1',
		size_bytes: 4,
		url: `${storage.origin}/cat?signature=secret`,
		...over,
	};
	const platform = await api({[`GET ${url}`]: {json: reference}});
	return {...testContext({env: platform.env}), reference, storage, seen: platform.seen};
}

test.each([80, 120])('an artifact is drawn at %d columns and not fetched', async width => {
	const {run, reference, storage, seen} = await setUp();
	const result = await run('trace', 'artifact', 't1', 'a1');
	expect(drawn(result, width).split('\n')).toEqual([
		'oid      a1',
		'file     cat.png',
		'type     image/png',
		'size     4 B',
		'expires  2026-01-02T03:04:05Z',
		`url      ${reference.url}`,
	]);
	expect(dataOf(result)).toEqual(reference);
	expect(storage.seen).toEqual([]);
	expect(seen.map(({url: asked, headers}) => [asked, headers['x-api-key'], headers['authorization']])).toEqual([
		[url, goodKey, undefined],
	]);
});

test('[6] an artifact is saved with mode 0600, and its storage gets no credential', async () => {
	const {run, folder, reference, storage, seen} = await setUp();
	const result = await run('trace', 'artifact', 't1', 'a1', '--download');
	const path = join(folder, 'cat.png');
	expect(drawn(result, 200)).toBe(`Saved ${path}.`);
	expect(dataOf(result)).toEqual({path, artifact: reference});
	expect([readFileSync(path, 'utf8'), statSync(path).mode & 0o777]).toEqual(['meow', 0o600]);
	expect(seen.map(one => one.url)).toEqual([`${url}?download=true`]);
	expect(Object.keys(storage.seen[0]?.headers ?? {}).sort()).toEqual([
		'accept-encoding',
		'connection',
		'host',
		'user-agent',
	]);
});

test('an existing file is never overwritten, and nothing is fetched', async () => {
	const {run, folder, storage} = await setUp();
	const path = join(folder, 'mine.png');
	writeFileSync(path, 'mine');
	await expect(run('trace', 'artifact', 't1', 'a1', '--download', 'mine.png')).rejects.toMatchObject({
		code: 'conflict',
		message: `${path} already exists.`,
	});
	expect([readFileSync(path, 'utf8'), storage.seen]).toEqual(['mine', []]);
});

test.each([
	[{bytes: 'meo'}, 'network', /stopped after 3 of 4 bytes/],
	[{bytes: 'meow!'}, 'network', /larger than the 4 B limit/],
	[{status: 403}, 'network', /storage responded with 403/],
	[{status: 302}, 'network', /redirect of .* to http:\/\/127\.0\.0\.1:1\//],
	[{url: 'http://storage.example/cat'}, 'failed', /at http:\/\/storage\.example, which isn't allowed/],
	[{url: 'file:///etc/passwd'}, 'failed', /which isn't allowed/],
	[{url: 'cat'}, 'failed', /returned no address/],
	[{url: null}, 'failed', /returned no address/],
])('%j is refused and leaves no file', async (over, code, message) => {
	const {run, folder} = await setUp(over);
	await expect(run('trace', 'artifact', 't1', 'a1', '--download')).rejects.toMatchObject({
		code,
		message: expect.stringMatching(message),
	});
	expect(readdirSync(folder)).toEqual([]);
});

test('a hostile file name stays in the folder', async () => {
	const {run, folder} = await setUp({filename: '../../.ssh/authorized_keys'});
	await run('trace', 'artifact', 't1', 'a1', '--download');
	expect(readdirSync(folder)).toEqual(['authorized_keys']);
});

test('missing fields are left out', async () => {
	const platform = await api({[`GET ${url}`]: {json: {oid: 'a1'}}});
	const result = await testContext({env: platform.env}).run('trace', 'artifact', 't1', 'a1');
	expect(drawn(result, 80)).toBe('oid  a1');
});

test('a response without details is an error', async () => {
	const platform = await api({[`GET ${url}`]: {bare: {}}});
	await expect(testContext({env: platform.env}).run('trace', 'artifact', 't1', 'a1')).rejects.toMatchObject({
		code: 'network',
		message: 'The server returned no details of the artifact.',
	});
});

test('a file without --download and an unknown artifact are errors', async () => {
	const {run, seen} = await setUp();
	await expect(run('trace', 'artifact', 't1', 'a1', 'cat.png')).rejects.toMatchObject({code: 'usage'});
	expect(seen).toEqual([]);
	await expect(run('trace', 'artifact', 't1', 'other')).rejects.toMatchObject({code: 'not-found'});
});
