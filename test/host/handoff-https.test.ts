import {randomUUID} from 'node:crypto';
import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {addWholeSession} from '../../src/storage/add-session.ts';
import {homeAt} from '../../src/storage/home.ts';
import {twoClones} from '../agent/handoff/clones.ts';
import {folderWith, type Place, runProgram, startProgram} from '../e2e/program.ts';
import {freePort} from '../free-port.ts';
import {selfSigned} from '../net/certificate.ts';
import {nginx, startNginx} from '../server/nginx.ts';
import {agreeing} from './agreeing.ts';

test.skipIf(!nginx)('[33] [34] a session moves to a server behind nginx with TLS, and back', async () => {
	const {one, other} = twoClones({'a.txt': 'a\n', 'gone.txt': 'gone\n'});
	const data = folderWith();
	const created = await runProgram([
		...['serve', 'init', '--data', data, '--json'],
		...['--org', 'acme', '--workspace', 'main', '--project', 'web', '--email', 'ann@acme.example'],
	]);
	const {api_key: key} = JSON.parse(created.stdout);
	const [port, tlsPort] = [await freePort(), await freePort()];
	const url = `https://localhost:${tlsPort}/agents`;
	const server = startProgram([
		...['serve', '--data', data, '--port', String(port), '--public-url', url, '--host-sessions', other, '--json'],
	]);
	await expect.poll(server.written).toContain('"url"');
	const certificate = selfSigned('localhost');
	const keys = folderWith({'key.pem': certificate.key, 'cert.pem': certificate.cert});
	await startNginx(
		`server { listen 127.0.0.1:${tlsPort} ssl; server_name localhost;
			ssl_certificate ${keys}/cert.pem; ssl_certificate_key ${keys}/key.pem;
			location /agents/ {
				proxy_pass http://127.0.0.1:${port}/; proxy_http_version 1.1; proxy_set_header Host $host:${tlsPort};
				proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection "upgrade";
			} }`,
		tlsPort,
	);
	const home = join(folderWith(), 'home');
	const place: Place = {
		home,
		folder: one,
		env: {NODE_EXTRA_CA_CERTS: join(keys, 'cert.pem'), SERVICE_KEYCHAIN: 'off'},
	};
	const run = async (...words: readonly string[]) => {
		const {status, stdout, stderr} = await runProgram([...words, '--json'], place);
		expect(stderr).toBe('');
		expect(status).toBe(0);
		return JSON.parse(stdout);
	};
	const login = await runProgram(['login', '--server', url], {...place, input: `${key}\n`});
	expect(login.status).toBe(0);

	writeFileSync(join(one, 'a.txt'), 'changed\n');
	const binary = Buffer.from(Array.from({length: 700_000}, (_, index) => (index * 7919) % 256));
	writeFileSync(join(one, 'binary'), binary);
	const id = randomUUID();
	const event = {type: 'user-message', id: 'm', text: 'Fix the test'} as const;
	const record = {v: 1, seq: 0, at: new Date().toISOString(), session: id, server: 'local', event} as const;
	await addWholeSession(homeAt(home), {id, folder: one, records: [record]});
	expect(await agreeing(['handoff', url, '--session', id], place).ended).toBe(0);
	const [moved] = await run('attach', '--at', url);
	expect(moved).toMatchObject({state: 'idle', folder: other});
	expect(readFileSync(join(other, 'binary')).equals(binary)).toBe(true);

	writeFileSync(join(other, 'there.txt'), 'there\n');
	expect(await agreeing(['handoff', url, '--back', '--session', moved.id.slice(0, 8)], place).ended).toBe(0);
	expect(readFileSync(join(one, 'there.txt'), 'utf8')).toBe('there\n');
	expect(await run('attach', '--at', url)).toMatchObject([{id: moved.id, state: 'ended'}]);
});
