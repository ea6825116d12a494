import {once} from 'node:events';
import {createServer} from 'node:http';
import {expect, onTestFinished, test} from 'vitest';
import {parseBucket} from '../../../src/server/artifacts/artifact-location.ts';
import {createS3Blobs} from '../../../src/server/artifacts/s3-blobs.ts';
import type {ServerLogEntry} from '../../../src/server/kit/log.ts';
import {createTestServer} from '../harness.ts';
import {browse, oidOf, refer, resolve, upload} from './artifacts.ts';
import {keys, startS3} from './s3-server.ts';
import {fault} from './signature-v4.ts';

const text = 'Grüße\n';
const oid = oidOf(text);

/** Creates a server whose artifacts are in a bucket of a test store. */
async function open({more = '', env = {}}: {more?: string; env?: Record<string, string>} = {}) {
	const clock = {now: new Date('2026-03-01T12:00:00.000Z')};
	const store = await startS3({now: () => clock.now});
	const artifacts = parseBucket(`s3://art/kept?endpoint=${store.url}&region=${keys.region}${more}`, {
		AWS_ACCESS_KEY_ID: keys.accessKeyId,
		AWS_SECRET_ACCESS_KEY: keys.secret,
		...env,
	});
	return {store, clock, server: await createTestServer({artifacts})};
}

// The examples of the manual: "Signature Calculations for the Authorization Header", GET Object, and "Query Parameters".
const manual = {
	accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
	secret: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
	region: 'us-east-1',
	now: new Date('2013-05-24T00:00:00Z'),
};
const empty = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
const credential = 'AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request';

test('the test store accepts only the signatures in the manual', () => {
	const signed = (signature: string) => ({
		method: 'GET',
		target: '/test.txt',
		headers: {
			host: 'examplebucket.s3.amazonaws.com',
			range: 'bytes=0-9',
			'x-amz-content-sha256': empty,
			'x-amz-date': '20130524T000000Z',
			authorization: `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=host;range;x-amz-content-sha256;x-amz-date, Signature=${signature}`,
		},
		body: new Uint8Array(),
	});
	const right = 'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41';
	const presigned = {
		method: 'GET',
		target: `/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=${encodeURIComponent(credential)}&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404`,
		headers: {host: 'examplebucket.s3.amazonaws.com'},
		body: new Uint8Array(),
	};
	expect([
		fault(signed(right), manual),
		fault(signed(right.replace('f', 'e')), manual),
		fault(presigned, manual),
		fault({...presigned, method: 'PUT'}, manual),
	]).toEqual([undefined, 'SignatureDoesNotMatch', undefined, 'SignatureDoesNotMatch']);
});

test('bytes are uploaded to the bucket once, and browsers read them there', async () => {
	const {server, store, clock} = await open();
	const path = `/art/kept/${await workspaceOf(server)}/${oid.replace(':', '-')}`;
	expect([(await upload(server, oid, text)).status, (await upload(server, oid, text)).status]).toEqual([201, 200]);
	expect([...store.objects]).toEqual([[path, Buffer.from(text)]]);
	expect(store.requests).toEqual(['HEAD 404', 'PUT 200', 'HEAD 200', 'HEAD 200', 'HEAD 200']);

	await refer(server, {oid, filename: "Grüße (1) + 'x'*.txt", mimeType: 'text/plain'});
	const {json} = await resolve(server, oid);
	expect(json).toMatchObject({size_bytes: 8, expires_at: '2026-03-01T12:15:00.000Z'});
	expect(json.url.startsWith(`${store.url}${path}?`)).toBe(true);
	const shown = await fetch(json.url);
	expect([shown.status, shown.headers.get('content-type'), await shown.text()]).toEqual([
		200,
		'text/plain; charset=utf-8',
		text,
	]);
	expect(shown.headers.get('content-disposition')).toBe(
		"inline; filename=\"Gr__e (1) + 'x'_.txt\"; filename*=UTF-8''Gr%C3%BC%C3%9Fe%20%281%29%20%2B%20%27x%27_.txt",
	);
	expect((await fetch(json.url.replace('inline', 'attachment'))).status).toBe(403);
	clock.now = new Date('2026-03-01T12:14:59.999Z');
	expect((await fetch(json.url)).status).toBe(200);
	clock.now = new Date('2026-03-01T12:15:00.000Z');
	expect((await fetch(json.url)).status).toBe(403);
});

test('a bucket that browsers cannot reach is read through this server, also in parts', async () => {
	const {server, store} = await open({more: '&proxy=true', env: {AWS_SESSION_TOKEN: 'session-1'}});
	await upload(server, oid, text);
	await refer(server, {oid, filename: 'a.txt', mimeType: 'text/plain'});
	const {url} = (await resolve(server, oid)).json;
	expect(url).toMatch(/^http:\/\/127\.0\.0\.1:8700\/artifacts\//);
	expect((await browse(server, url)).text).toBe(text);
	const part = await browse(server, url, {range: 'bytes=-1'});
	expect([part.status, part.text, part.headers.get('content-range')]).toEqual([206, '\n', 'bytes 7-7/8']);
	store.objects.clear();
	expect([(await browse(server, url)).status, (await resolve(server, oid)).status]).toEqual([404, 404]);
});

test('a name that is not a hash keeps its first bytes, and wrong or missing bytes are rejected', async () => {
	const {server, store} = await open();
	const sent = await Promise.all(['a', 'b', 'c'].map(bytes => upload(server, 'name', bytes)));
	expect(sent.map(({status}) => status).sort()).toEqual([201, 409, 409]);
	expect((await upload(server, oid, 'wrong')).status).toBe(400);
	expect(await upload(server, oidOf(''), '')).toEqual({status: 201, json: {oid: oidOf(''), size_bytes: 0}});
	expect(store.objects.size).toBe(2);
});

test('[8] a store that rejects or is down is 502, and neither the response nor the log shows a key', async () => {
	const {server, store} = await open({env: {AWS_SECRET_ACCESS_KEY: 'not-the-secret'}});
	await refer(server, {oid});
	const refused = await upload(server, oid, text);
	expect([refused.status, refused.json.type, store.requests]).toEqual([
		502,
		'object_store_error',
		['HEAD 403 SignatureDoesNotMatch'],
	]);
	store.close();
	const gone = await resolve(server, oid);
	expect([gone.status, gone.json]).toEqual([
		502,
		{
			code: 502,
			detail: 'The object store of this server is not available. Try again later.',
			type: 'object_store_error',
		},
	]);
	const log = JSON.stringify(server.entries);
	expect(server.entries.filter(({message}) => message.startsWith('object store'))).toHaveLength(2);
	expect(log).not.toMatch(/not-the-secret|Signature=|AWS4/);
});

test('[21] a store that never responds times out', async () => {
	const silent = createServer(() => undefined).listen(0, '127.0.0.1');
	await once(silent, 'listening');
	onTestFinished(() => {
		silent.closeAllConnections();
		silent.close();
	});
	const address = silent.address();
	const port = typeof address === 'object' && address ? address.port : 0;
	const bucket = parseBucket(`s3://art?endpoint=http://127.0.0.1:${port}`, {
		AWS_ACCESS_KEY_ID: keys.accessKeyId,
		AWS_SECRET_ACCESS_KEY: keys.secret,
	});
	const entries: ServerLogEntry[] = [];
	const blobs = createS3Blobs(bucket, {now: () => new Date(), log: entry => entries.push(entry), timeoutMs: 20});
	await expect(blobs.size('a')).rejects.toMatchObject({status: 502});
	expect(entries).toEqual([
		{level: 'error', message: 'object store does not answer', method: 'HEAD', reason: 'no answer in 20 ms'},
	]);
});

async function workspaceOf({database}: Awaited<ReturnType<typeof createTestServer>>) {
	return (await database.selectFrom('workspaces').select('id').executeTakeFirstOrThrow()).id;
}
