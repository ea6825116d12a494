import {readdir, readFile, stat} from 'node:fs/promises';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {artifactSchema} from '../../../src/contract/resources/artifact.ts';
import {openArtifacts} from '../../../src/server/artifacts/artifact-store.ts';
import {browse, oidOf, refer, resolve, traceId, upload} from '../artifacts/artifacts.ts';
import {createTestServer, origin, type TestServer} from '../harness.ts';
import {findProjectOf} from '../rows.ts';

const notFound = {code: 404, detail: 'Nothing has this name or id.', type: 'not_found_error'};
const text = 'Grüße\n';
const oid = oidOf(text);
const filesOf = async ({folder}: TestServer) =>
	(await readdir(join(folder, 'artifacts'), {recursive: true, withFileTypes: true}))
		.filter(entry => entry.isFile())
		.map(entry => entry.name);

test('an uploaded artifact that a span refers to has a link without a credential', async () => {
	const server = await createTestServer();
	expect(await upload(server, oid, text)).toEqual({status: 201, json: {oid, size_bytes: 8}});
	await refer(server, {oid, filename: 'Grüße.txt', mimeType: 'text/plain'});
	const {status, json} = await resolve(server, oid);
	expect([status, artifactSchema.parse(json)]).toEqual([
		200,
		{
			oid,
			filename: 'Grüße.txt',
			mime_type: 'text/plain',
			size_bytes: 8,
			expires_at: '2026-03-01T12:15:00.000Z',
			url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:8700\/artifacts\/[\da-f-]{36}\/sha256-[\da-f]{64}\?/),
		},
	]);

	const shown = await browse(server, json.url);
	expect([shown.status, shown.text, Object.fromEntries(shown.headers)]).toEqual([
		200,
		text,
		{
			'accept-ranges': 'bytes',
			'content-disposition': 'inline; filename="Gr__e.txt"; filename*=UTF-8\'\'Gr%C3%BC%C3%9Fe.txt',
			'content-length': '8',
			'content-security-policy':
				"default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'; sandbox",
			'content-type': 'text/plain; charset=utf-8',
			'referrer-policy': 'no-referrer',
			'x-content-type-options': 'nosniff',
		},
	]);
	const part = await browse(server, json.url, {range: 'bytes=0-1'});
	expect([part.status, part.text, part.headers.get('content-range'), part.headers.get('content-length')]).toEqual([
		206,
		'Gr',
		'bytes 0-1/8',
		'2',
	]);
	const saved = await browse(server, (await resolve(server, oid, {query: '?download=true'})).json.url);
	expect(saved.headers.get('content-disposition')).toMatch(/^attachment; /);
});

/** A signature of 32 bytes with other bits in the unused tail of its last letter, which decoders ignore. */
const otherTail = (signature: string) => {
	const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
	return `${signature.slice(0, -1)}${letters[letters.indexOf(signature.slice(-1)) ^ 1]}`;
};

test('[26] a link is valid only unchanged and until it expires', async () => {
	const server = await createTestServer();
	const secret = oidOf('secret');
	await upload(server, secret, 'secret');
	await upload(server, oid, text);
	await refer(server, {oid, filename: 'a.html', mimeType: 'text/html'});
	const {url} = (await resolve(server, oid)).json;
	const {workspaceId} = await findProjectOf(server.database);
	const changed = (change: (url: URL) => void) => {
		const copy = new URL(url);
		change(copy);
		return copy.href;
	};
	const wrong = [
		changed(it => it.searchParams.set('expires', '99999999999')),
		changed(it => it.searchParams.set('type', 'text/plain')),
		changed(it => it.searchParams.set('disposition', 'inline')),
		changed(it => it.searchParams.set('signature', `${it.searchParams.get('signature')?.slice(0, -2)}AA`)),
		changed(it => it.searchParams.set('signature', `${it.searchParams.get('signature')}=`)),
		changed(it => it.searchParams.set('signature', otherTail(it.searchParams.get('signature') ?? ''))),
		changed(it => it.searchParams.delete('signature')),
		changed(it => {
			it.pathname = `/artifacts/${workspaceId}/${secret.replace(':', '-')}`;
		}),
		changed(it => {
			it.pathname = '/artifacts/..%2f..%2fetc/passwd';
		}),
		`${origin}/artifacts/x/y`,
	];
	const answers = await Promise.all(wrong.map(each => browse(server, each)));
	expect([...new Set(answers.map(({status, text: body}) => `${status} ${body}`))]).toEqual([
		'403 {"code":403,"detail":"This link is invalid or has expired. Resolve the artifact again.","type":"forbidden_error"}',
	]);

	server.advance(15 * 60_000 - 1);
	expect((await browse(server, url)).status).toBe(200);
	server.advance(1);
	expect((await browse(server, url)).status).toBe(403);
});

test('another server with the same data accepts the links of the first one', async () => {
	const server = await createTestServer();
	const {folder, services} = server;
	const place = {kind: 'disk', folder} as const;
	const [one, other] = [openArtifacts(place, services), openArtifacts(place, services)];
	const shown = {contentType: 'text/plain', contentDisposition: 'inline', expiresAt: new Date('2026-03-02')};
	const [url] = await Promise.all([one.presign('a/b', shown), other.presign('a/b', shown)]);
	expect(await other.links.check('a/b', new URL(url).searchParams, services.now())).toEqual({
		contentType: 'text/plain',
		contentDisposition: 'inline',
	});
});

test('everything that cannot be resolved gets the same response', async () => {
	const server = await createTestServer();
	const rival = await server.foundAnother();
	const never = oidOf('never uploaded');
	await upload(server, oid, text);
	const answers = [await resolve(server, oid)];
	await refer(server, {oid});
	await refer(server, {oid: never});
	const path = `/api/v1/org/acme/ws/main/traces/${'cd'.repeat(16)}/artifacts/${oid}`;
	answers.push(
		await resolve(server, never),
		await resolve(server, oid, {key: rival.key}),
		await resolve(server, oid, {key: rival.key, org: 'rival'}),
		await server.send(path),
	);
	expect(answers.map(({json}) => json)).toEqual(Array(5).fill(notFound));

	// A span that names another tenant's hash gives no access to their bytes.
	await refer(server, {oid, org: 'rival', key: rival.key});
	expect((await resolve(server, oid, {key: rival.key, org: 'rival'})).json).toEqual(notFound);
	expect((await server.send(path.replace('cd'.repeat(16), traceId.toUpperCase()))).status).toBe(200);
});

test('every name that an upload accepts can be resolved, and longer ones are rejected', async () => {
	const server = await createTestServer();
	const longest = 'n'.repeat(255);
	expect((await upload(server, longest, text)).status).toBe(201);
	await refer(server, {oid: longest});
	expect((await resolve(server, longest)).json.size_bytes).toBe(8);
	const {status, json} = await upload(server, `${longest}n`, text);
	expect([status, json.errors[0].msg]).toEqual([422, expect.stringMatching(/ of at most 255 characters$/)]);
});

test('[10] bytes are stored once, privately, and only under their own hash', async () => {
	const server = await createTestServer();
	const sent = await Promise.all(Array.from({length: 20}, () => upload(server, oid, text)));
	expect(sent.every(({status}) => status === 200 || status === 201)).toBe(true);
	expect((await upload(server, oid, text)).status).toBe(200);
	const wrong = await upload(server, oidOf('other'), text);
	expect(wrong).toEqual({
		status: 400,
		json: {code: 400, detail: `The oid of these bytes is ${oid}.`, type: 'invalid_error'},
	});

	expect(await filesOf(server)).toEqual([oid.replace(':', '-')]);
	const {workspaceId} = await findProjectOf(server.database);
	const path = join(server.folder, 'artifacts', workspaceId, oid.replace(':', '-'));
	expect([await readFile(path, 'utf8'), (await stat(path)).mode & 0o777]).toEqual([text, 0o600]);
	expect((await stat(join(path, '..'))).mode & 0o777).toBe(0o700);
});

test('a name that is not a hash keeps its first bytes', async () => {
	const server = await createTestServer();
	const name = '../../../etc/passwd\n';
	const sent = await Promise.all(['a', 'b', 'c'].map(bytes => upload(server, name, bytes)));
	expect(sent.map(({status}) => status).sort()).toEqual([201, 409, 409]);
	expect((await upload(server, name, 'a')).json.type).toBe('already_exists_error');
	await refer(server, {oid: name});
	const {json} = await resolve(server, name);
	expect([json.filename, json.mime_type, json.size_bytes]).toEqual(['artifact', 'application/octet-stream', 1]);
	expect((await browse(server, json.url)).headers.get('content-disposition')).toBe('attachment; filename="artifact"');
});

test('[21] a rejected upload leaves nothing behind', async () => {
	const server = await createTestServer();
	const rival = await server.foundAnother();
	const megabyte = new Uint8Array(1024 * 1024);
	let left = 65;
	const endless = new ReadableStream<Uint8Array>({
		pull(controller) {
			left -= 1;
			return left < 0 ? controller.close() : controller.enqueue(megabyte);
		},
	});
	const broken = new ReadableStream<Uint8Array>({
		start(controller) {
			controller.enqueue(megabyte);
		},
		pull(controller) {
			controller.error(Object.assign(new Error('aborted'), {code: 'ECONNRESET'}));
		},
	});
	const answers = [
		await upload(server, 'large', endless),
		await upload(server, 'large', 'x', {headers: {'content-length': String(65 * 1024 * 1024)}}),
		await upload(server, 'broken', broken),
		await upload(server, 'packed', 'x', {headers: {'content-encoding': 'gzip'}}),
		await upload(server, `sha256:${'A'.repeat(64)}`, 'x'),
		await upload(server, 'x'.repeat(1001), 'x'),
		await upload(server, 'mine', 'x', {key: rival.key}),
		await upload(server, 'mine', 'x', {key: rival.key, org: 'nobody'}),
		await upload(server, 'mine', 'x', {key: ''}),
	];
	expect(answers.map(({status}) => status)).toEqual([400, 400, 400, 400, 422, 422, 404, 404, 401]);
	expect(await filesOf(server)).toEqual([]);
	expect(server.entries.filter(({message}) => message === 'failed')).toEqual([]);
});
