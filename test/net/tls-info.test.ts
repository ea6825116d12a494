import {execFile} from 'node:child_process';
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {promisify} from 'node:util';
import {build} from 'esbuild';
import {expect, test} from 'vitest';
import {readTlsInfo} from '../../src/net/tls-info.ts';
import {temporaryFolder} from '../storage/temporary.ts';
import {selfSigned} from './certificate.ts';
import {httpServer, httpsServer} from './servers.ts';

const {signal} = new AbortController();

test('the issuer and the protocol of a trusted server are read, and nothing is sent to it', async () => {
	const certificate = selfSigned('localhost');
	let requests = 0;
	const port = await httpsServer(certificate, (_, response) => {
		requests += 1;
		response.end();
	});
	const folder = temporaryFolder();
	const worker = join(folder, 'worker.mjs');
	const authority = join(folder, 'authority.pem');
	writeFileSync(authority, certificate.cert);
	await build({
		entryPoints: [join(import.meta.dirname, 'tls-worker.ts')],
		outfile: worker,
		bundle: true,
		platform: 'node',
		format: 'esm',
		external: ['undici'],
		logLevel: 'error',
	});
	const env = {...process.env, NODE_EXTRA_CA_CERTS: authority};
	const {stdout} = await promisify(execFile)(process.execPath, [worker, `https://localhost:${port}`], {env});
	expect(JSON.parse(stdout)).toEqual({protocol: 'TLSv1.3', issuer: 'localhost'});
	expect(requests).toBe(0);
});

test('an untrusted certificate is an error without a way around it [9]', async () => {
	const port = await httpsServer(selfSigned('localhost'), (_, response) => response.end());
	await expect(readTlsInfo(new URL(`https://localhost:${port}`), {}, signal)).rejects.toMatchObject({
		code: 'network',
		permanent: true,
	});
});

test('a server without TLS, or that is not there, is reported in one sentence', async () => {
	const {port} = await httpServer((_, response) => response.end());
	await expect(readTlsInfo(new URL(`https://127.0.0.1:${port}`), {}, signal)).rejects.toMatchObject({code: 'network'});
	await expect(readTlsInfo(new URL('https://127.0.0.1:1'), {}, signal)).rejects.toMatchObject({
		code: 'network',
		message: expect.stringContaining('https://127.0.0.1:1'),
	});
});

test('the certificate is not read past a proxy', async () => {
	expect(await readTlsInfo(new URL('https://far.test'), {HTTPS_PROXY: 'http://127.0.0.1:2'}, signal)).toBe(undefined);
});

test('an abort ends the handshake [21]', async () => {
	await expect(readTlsInfo(new URL('https://127.0.0.1:1'), {}, AbortSignal.abort())).rejects.toMatchObject({
		name: 'AbortError',
	});
});
