import {execFileSync} from 'node:child_process';
import {mkdirSync, writeFileSync} from 'node:fs';
import {delimiter, join} from 'node:path';
import {rootCertificates} from 'node:tls';
import {expect, test} from 'vitest';
import {originOf} from '../../src/core/origin.ts';
import {createBoundFetch} from '../../src/net/bound-fetch.ts';
import {readCertificates, readTrust} from '../../src/net/certificates.ts';
import {readText} from '../../src/net/read-body.ts';
import {readTlsInfo} from '../../src/net/tls-info.ts';
import {createTransport} from '../../src/net/undici-transport.ts';
import {createWebRequests} from '../../src/net/web/web-request.ts';
import {temporaryFolder} from '../storage/temporary.ts';
import {selfSigned} from './certificate.ts';
import {atEnd, httpsServer} from './servers.ts';

const ca = selfSigned('localhost');

/** A server at `https://localhost` with a certificate that only its own authority vouches for, and a folder with files. */
async function lab() {
	const folder = temporaryFolder();
	const file = join(folder, 'ca.pem');
	writeFileSync(file, `# Acme\n${ca.cert}`);
	const certs = join(folder, 'certs');
	mkdirSync(certs);
	writeFileSync(join(certs, '5ed36f99.0'), ca.cert);
	writeFileSync(join(certs, 'README'), 'not one');
	const url = `https://localhost:${await httpsServer(ca, (_, response) => response.end('trusted'))}`;
	const send = async (env: Readonly<Record<string, string>>) => {
		const transport = createTransport({userAgent: 'service/test', env});
		atEnd(() => void transport.close());
		return readText(await transport({method: 'GET', url}));
	};
	return {folder, file, certs, url, send};
}

test('each variable that names certificates is used, besides those of Node [9]', async () => {
	const {file, certs, folder, send} = await lab();
	await expect(send({})).rejects.toMatchObject({code: 'network'});
	const given: ReadonlyArray<Readonly<Record<string, string>>> = [
		{SSL_CERT_FILE: file},
		{SSL_CERT_DIR: certs},
		{SSL_CERT_DIR: [join(folder, 'none'), certs].join(delimiter)},
		{NODE_EXTRA_CA_CERTS: file},
		{CURL_CA_BUNDLE: file},
	];
	for (const env of given) {
		expect(await send(env)).toBe('trusted');
	}
});

test('a pipe, a device or a folder in the place of a file is refused without waiting for it', () => {
	const folder = temporaryFolder();
	const pipe = join(folder, 'pipe');
	execFileSync('mkfifo', [pipe]);
	writeFileSync(join(folder, 'ca.pem'), ca.cert);
	expect(readTrust({SSL_CERT_FILE: pipe}).fault).toBe(`SSL_CERT_FILE names ${pipe}, which is not a file.`);
	expect(readTrust({SSL_CERT_FILE: '/dev/zero'}).fault).toBe('SSL_CERT_FILE names /dev/zero, which is not a file.');
	expect(readTrust({CURL_CA_BUNDLE: folder}).fault).toBe(`CURL_CA_BUNDLE names ${folder}, which is not a file.`);
	expect(readCertificates({SSL_CERT_DIR: folder})).toMatchObject({
		certificates: [ca.cert.trim()],
		sources: [{count: 1}],
	});
});

test('all of our connections trust them', async () => {
	const {file, url} = await lab();
	const env = {SSL_CERT_FILE: file};
	const {signal} = new AbortController();
	const options = {env, userAgent: 'x', insecureHttp: false, origin: originOf(url), headers: {}, allows: () => true};
	const bound = createBoundFetch(options);
	atEnd(() => void bound.close());
	expect(await (await bound.fetch(url)).text()).toBe('trusted');
	expect(await readTlsInfo(new URL(url), env, signal)).toMatchObject({issuer: 'localhost'});
	const web = createWebRequests({env, userAgent: 'x'});
	const answer = await web({
		method: 'GET',
		url: new URL(url),
		headers: {},
		body: undefined,
		kind: 'machine',
		agreed: [],
		maxBytes: 99,
		signal,
	});
	expect('bytes' in answer && answer.bytes.toString()).toBe('trusted');
});

test('a file that cannot be used is said with its variable, also where a connection fails of it', async () => {
	const {folder, file, send} = await lab();
	const broken = join(folder, 'broken.pem');
	writeFileSync(broken, '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n');
	for (const [env, why] of [
		[{SSL_CERT_FILE: join(folder, 'gone.pem')}, "doesn't exist"],
		[{SSL_CERT_FILE: folder}, 'is not a file'],
		[{SSL_CERT_FILE: broken}, 'holds a broken certificate'],
		[{SSL_CERT_DIR: join(folder, 'gone')}, "doesn't exist"],
		[{SSL_CERT_DIR: file}, "can't be read (ENOTDIR)"],
	] as const) {
		const [[variable, path]] = Object.entries(env) as [[string, string]];
		const sentence = `${variable} names ${path}, which ${why}.`;
		expect(readTrust(env).fault).toBe(sentence);
		await expect(send(env as Readonly<Record<string, string>>)).rejects.toMatchObject({
			hint: expect.stringContaining(sentence),
		});
	}
});

test('certificates that Node has are not added to it again, and the same others make one context', async () => {
	const {file, folder} = await lab();
	const bundle = join(folder, 'bundle.pem');
	writeFileSync(bundle, rootCertificates.map(pem => `# A name\n${pem.replaceAll('\n', '\r\n')}\r\n`).join(''));
	const {sources} = readCertificates({SSL_CERT_FILE: bundle});
	expect(sources).toMatchObject([{count: rootCertificates.length, fault: undefined}]);
	expect(readTrust({SSL_CERT_FILE: bundle})).toEqual({context: undefined, fault: undefined});
	const {context} = readTrust({SSL_CERT_FILE: file});
	expect(context).toBeDefined();
	expect(readTrust({SSL_CERT_FILE: bundle, NODE_EXTRA_CA_CERTS: file}).context).toBe(context);
});

test('a broken certificate among good ones takes nothing from them', async () => {
	const {folder, send} = await lab();
	const mixed = join(folder, 'mixed.pem');
	writeFileSync(mixed, `-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n${ca.cert}${ca.cert}`);
	expect(readCertificates({SSL_CERT_FILE: mixed})).toMatchObject({
		...{certificates: {length: 1}, sources: [{count: 2, fault: 'holds a broken certificate'}]},
	});
	expect(await send({SSL_CERT_FILE: mixed})).toBe('trusted');
});
