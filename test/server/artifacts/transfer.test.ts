import {once} from 'node:events';
import {readdir} from 'node:fs/promises';
import {request} from 'node:http';
import {join} from 'node:path';
import {expect, onTestFinished, test} from 'vitest';
import {maxArtifactBytes} from '../../../src/server/artifacts/artifact-routes.ts';
import {defaultTimeouts, listen} from '../../../src/server/http/listen.ts';
import {logRequest} from '../../../src/server/http/request-record.ts';
import {createTestServer, inWorkspace} from '../harness.ts';
import {oidOf, refer, resolve} from './artifacts.ts';

async function open() {
	const server = await createTestServer();
	const listening = await listen(server.app, {onDone: record => logRequest(server.services.log, record, '')});
	onTestFinished(() => listening.close());
	const headers = {authorization: `Bearer ${server.owner.key}`};
	return {
		server,
		put: (oid: string) => request(`${listening.url}${inWorkspace}/artifacts/${oid}`, {method: 'PUT', headers}),
	};
}

test('an upload that its client cuts off leaves nothing behind, and is not a server error', async () => {
	const {server, put} = await open();
	const sending = put('cut');
	sending.on('error', () => undefined);
	sending.write('the first half');
	const uploads = join(server.folder, 'artifacts', 'uploads');
	await expect.poll(() => readdir(uploads), {interval: 5}).toHaveLength(1);
	sending.destroy();
	await expect.poll(() => server.entries, {interval: 5}).toHaveLength(1);
	expect(server.entries).toMatchObject([{message: 'request', status: 400, aborted: true}]);
	expect(await readdir(join(server.folder, 'artifacts'))).toEqual(['uploads']);
	expect(await readdir(uploads)).toEqual([]);
});

test('[21] the largest artifact is uploaded and downloaded in chunks', async () => {
	const {server, put} = await open();
	const bytes = Buffer.alloc(maxArtifactBytes, 'artifact');
	const oid = oidOf(bytes);
	const sending = put(oid);
	sending.end(bytes);
	const [response] = await once(sending, 'response');
	response.resume();
	expect(response.statusCode).toBe(201);

	await refer(server, {oid});
	const {url, size_bytes} = (await resolve(server, oid)).json;
	const read = await server.app(new Request(url, {headers: {host: new URL(url).host}}));
	let size = 0;
	let largest = 0;
	for await (const chunk of read.body ?? []) {
		size += chunk.length;
		largest = Math.max(largest, chunk.length);
	}

	expect([size_bytes, size, largest < 1024 * 1024]).toEqual([bytes.length, bytes.length, true]);
});

test('the largest artifact can be uploaded at 2 Mbit/s', () => {
	const megabits = (maxArtifactBytes * 8) / 1e6;
	expect(megabits / 2).toBeLessThan(defaultTimeouts.requestMs / 1000);
});
