import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {apiKey, quit} from '../e2e/chat.ts';
import {startModelHost} from '../e2e/model-host.ts';
import {folderWith, type Place, runProgram, startProgram} from '../e2e/program.ts';
import {startTerminal} from '../e2e/terminal.ts';
import {freePort} from '../free-port.ts';
import {selfSigned} from '../net/certificate.ts';
import {connectProxy} from '../net/servers.ts';
import {nginx, startNginx} from '../server/nginx.ts';

/** A host at `https://far.test/agents`: nginx with TLS in front of it, reached through a proxy that asks for a password. */
async function startFarHost() {
	const model = await startModelHost(['alpha']);
	const folder = folderWith({'a.txt': 'a'});
	const place: Place = {
		home: join(folderWith(), 'home'),
		folder,
		env: {CUSTOM_BASE_URL: model.baseUrl, CUSTOM_API_KEY: apiKey},
	};
	const [port, tlsPort] = [await freePort(), await freePort()];
	const certificate = selfSigned('far.test');
	const keys = folderWith({'key.pem': certificate.key, 'cert.pem': certificate.cert});
	await startNginx(
		`server { listen 127.0.0.1:${tlsPort} ssl; server_name far.test;
			ssl_certificate ${keys}/cert.pem; ssl_certificate_key ${keys}/key.pem;
			location /agents/ {
				proxy_pass http://127.0.0.1:${port}/; proxy_http_version 1.1; proxy_set_header Host $host;
				proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection "upgrade";
			} }`,
		tlsPort,
	);
	const url = 'https://far.test/agents';
	const host = startProgram(['host', '--listen', `127.0.0.1:${port}`, '--public-url', url, '--json'], place);
	await expect.poll(host.written).toContain('\n');
	expect(JSON.parse(host.written())).toMatchObject({url});
	const proxy = await connectProxy(tlsPort);
	const HTTPS_PROXY = proxy.url.replace('://', '://user:proxy-password@');
	const other = (env: Record<string, string>): Place => ({
		home: join(folderWith(), 'other'),
		folder: folderWith(),
		env: {HTTPS_PROXY, ...env},
	});
	return {model, place, url, proxy, keys, other};
}

test.skipIf(!nginx)(
	'[6] [34] a colleague drives by a link over TLS and a proxy, which sees no code and no pass',
	async () => {
		const {model, place, url, proxy, keys, other} = await startFarHost();
		model.answerWith(({say, finish}) => {
			say('Said far away.');
			finish();
		});
		const trusting = {...place, env: {...place.env, ...other({}).env, NODE_EXTRA_CA_CERTS: join(keys, 'cert.pem')}};
		const owner = startTerminal({...trusting, args: ['attach', '--at', url, '--new']});
		await owner.waitFor('○ idle');
		owner.type('Say it\r');
		await owner.waitFor('Said far away.');
		const [{id}] = JSON.parse((await runProgram(['attach', '--at', url, '--json'], trusting)).stdout);
		const shared = await runProgram(['host', 'share', id, '--driver', '--json'], place);
		const {link} = JSON.parse(shared.stdout);
		expect(link.startsWith(`${url}/join/`)).toBe(true);

		const stranger = other({});
		const untrusted = await runProgram(['attach', '--at', link], stranger);
		expect(untrusted).toMatchObject({status: 6, stderr: expect.stringContaining('certificate')});
		writeFileSync(join(keys, 'other.pem'), selfSigned('other.test').cert);
		const wrong = await runProgram(['attach', '--at', link], other({NODE_EXTRA_CA_CERTS: join(keys, 'other.pem')}));
		expect(wrong).toMatchObject({status: 6, stderr: expect.stringContaining('certificate')});

		const guest = startTerminal({
			...other({NODE_EXTRA_CA_CERTS: join(keys, 'cert.pem')}),
			args: ['attach', '--at', link],
		});
		await guest.waitFor('Said far away.');
		await quit(guest);
		await quit(owner);
		// What proves a login is no part of the place to attach to again.
		for (const terminal of [guest, owner]) {
			expect(terminal.output()).toContain('Attach again');
			expect(terminal.output()).not.toMatch(/#[\w-]{8}/);
		}

		const code = link.slice(link.lastIndexOf('/') + 1);
		expect(proxy.heads.length).toBeGreaterThan(0);
		for (const head of proxy.heads) {
			expect(head).toMatch(/^CONNECT far\.test:443 HTTP\/1\.1\r\n/);
			expect(head).not.toContain(code);
			expect(head).not.toMatch(/bearer/i);
		}
	},
);
