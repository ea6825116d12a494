import {execFileSync, spawnSync} from 'node:child_process';
import {existsSync, mkdirSync, writeFileSync} from 'node:fs';
import {get, request as httpsRequest} from 'node:https';
import {join} from 'node:path';
import {expect, onTestFinished, test} from 'vitest';
import {parse, parseAllDocuments} from 'yaml';
import {sandboxRules} from '../../src/server/sandboxes/kubernetes/cluster-role.ts';
import {freePort} from '../free-port.ts';
import {nginx, startNginx} from '../server/nginx.ts';
import {temporaryFolder} from '../storage/temporary.ts';
import {dataOf, testContext} from './context.ts';

/** Returns the file that `serve deploy` prints. */
async function deploy(...words: readonly string[]): Promise<string> {
	const result = await testContext().run('serve', 'deploy', ...words);
	if (result.kind !== 'lines') {
		throw new Error('No lines.');
	}

	return `${result.lines.join('\n')}\n`;
}

const flags = [
	...['--port', '8750', '--public-url', 'https://agents.example.com/agents', '--drain', '12', '--pool', '20'],
	...['--database', 'postgres://service:hunter2@db/service', '--metrics', '127.0.0.1:9464'],
	...['--artifacts', 's3://bucket?endpoint=https://s3.example.com&region=eu'],
	...['--oidc-issuer', 'https://sso.example.com', '--oidc-client-id', 'service', '--oidc-client-secret', 'hunter2'],
];
const settings = {
	SERVICE_SERVE_PORT: '8750',
	SERVICE_SERVE_PUBLIC_URL: 'https://agents.example.com/agents',
	SERVICE_SERVE_POOL: '20',
	SERVICE_SERVE_OIDC_ISSUER: 'https://sso.example.com',
	SERVICE_SERVE_ARTIFACTS: 's3://bucket?endpoint=https://s3.example.com&region=eu',
};

test.each(['systemd', 'docker', 'kubernetes', 'nginx', 'caddy'])(
	'%s: --json has the file that is printed',
	async target => {
		const words = ['serve', 'deploy', target, '--public-url', 'https://agents.example.com'];
		const result = await testContext().run(...words);
		expect(dataOf(result)).toEqual({target, file: await deploy(...words.slice(2))});
	},
);

test.each(['systemd', 'docker', 'kubernetes'])('%s gets the flags as variables, and secrets as files', async target => {
	const text = await deploy(target, ...flags);
	expect(text).not.toContain('hunter2');
	for (const [name, value] of Object.entries(settings)) {
		expect(text).toMatch(new RegExp(`${name}\\W.*${value.replace(/[?.*+$&]/g, '\\$&')}`));
	}

	for (const name of [
		'SERVICE_SERVE_DATABASE_FILE',
		'SERVICE_SERVE_OIDC_CLIENT_SECRET_FILE',
		'SERVICE_SEAL_KEY_FILE',
		'AWS_SECRET_ACCESS_KEY_FILE',
	]) {
		expect(text).toContain(name);
	}
});

const analyze = ['/usr/bin/systemd-analyze', '/bin/systemd-analyze'].find(existsSync);
const skipUnits = analyze ? '' : ' (skipped: systemd-analyze is missing; Debian: systemd)';

test.skipIf(!analyze).each([
	['with defaults', []],
	['with everything', [...flags, '--engine', 'docker']],
	['with a value that needs quotes', ['--data', '/srv/a b/100% "x" $y']],
])(`systemd accepts the unit %s${skipUnits}`, async (_, words) => {
	const file = join(temporaryFolder(), 'service-server.service');
	writeFileSync(file, await deploy('systemd', ...words));
	const {status, stderr} = spawnSync(analyze ?? '', ['verify', '--recursive-errors=no', file], {encoding: 'utf8'});
	expect([status, stderr.split('\n').filter(line => line.includes('service-server'))]).toEqual([0, []]);
});

test('the compose file is YAML with a probe of readiness, and grants more time than the server drains', async () => {
	const {services, secrets} = parse(await deploy('docker', ...flags));
	expect(services.service.stop_grace_period).toBe('42s');
	expect(services.service.healthcheck.test.at(-1)).toContain('/readyz');
	expect(services.service.environment.SERVICE_SERVE_HOST).toBe('0.0.0.0');
	expect(services.service.environment.SERVICE_SERVE_METRICS).toBe('0.0.0.0:9464');
	expect(services.service.secrets).toEqual(Object.keys(secrets));
	expect(services.service.build.dockerfile_inline).toMatch(/^FROM node:20[\s\S]*\nUSER node\n/);
});

test('the objects for Kubernetes are YAML: one server with a volume for SQLite, two for PostgreSQL', async () => {
	const objects = async (...words: readonly string[]) =>
		parseAllDocuments(await deploy('kubernetes', ...words)).map(document => {
			expect(document.errors).toEqual([]);
			return document.toJS();
		});
	const small = await objects();
	expect(small.map(({kind}) => kind)).toEqual(['Deployment', 'Service', 'PersistentVolumeClaim']);
	expect([small[0].spec.replicas, small[0].spec.strategy.type]).toEqual([1, 'Recreate']);
	const [deployment, service] = await objects(...flags);
	const {spec} = deployment.spec.template;
	const [container] = spec.containers;
	expect([deployment.spec.replicas, spec.terminationGracePeriodSeconds]).toEqual([2, 42]);
	expect([container.livenessProbe.httpGet.path, container.readinessProbe.httpGet.path]).toEqual([
		'/healthz',
		'/readyz',
	]);
	expect(container.ports.map(({containerPort}: {containerPort: number}) => containerPort)).toEqual([8750, 9464]);
	expect(service.spec.selector).toEqual(deployment.spec.selector.matchLabels);
	expect([spec.enableServiceLinks, spec.automountServiceAccountToken]).toEqual([false, false]);
	const withPods = await objects(...flags, '--engine', 'kubernetes=home/sandboxes');
	expect(withPods.map(({kind}) => kind)).toEqual(['Deployment', 'Service', 'ServiceAccount', 'Role', 'RoleBinding']);
	const [, , account, role, binding] = withPods;
	expect(withPods[0].spec.template.spec.serviceAccountName).toBe(account.metadata.name);
	expect(role.rules).toEqual(sandboxRules);
	expect([binding.roleRef.name, binding.subjects[0].name]).toEqual([role.metadata.name, account.metadata.name]);
});

test('a site of a proxy needs the public URL', async () => {
	await expect(deploy('nginx')).rejects.toMatchObject({code: 'usage', message: 'A site for nginx needs --public-url.'});
	await expect(deploy('caddy')).rejects.toMatchObject({code: 'usage'});
});

const caddy = ['/usr/bin/caddy', '/usr/local/bin/caddy'].find(existsSync);

test.skipIf(!caddy)(`Caddy accepts its file${caddy ? '' : ' (skipped: caddy is missing; Debian: caddy)'}`, async () => {
	const folder = temporaryFolder();
	const file = join(folder, 'Caddyfile');
	writeFileSync(file, await deploy('caddy', ...flags));
	const env = {HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder, PATH: process.env['PATH']};
	const {status, stdout, stderr} = spawnSync(caddy ?? '', ['adapt', '--validate', '--config', file], {
		encoding: 'utf8',
		env,
	});
	expect([status, status === 0 ? '' : stderr]).toEqual([0, '']);
	// The public URL without a slash at its end would be an empty page.
	expect(stdout).toContain('"Location":["/agents/"]');
});

const skipNginx = nginx ? '' : ' (skipped: nginx is missing; Debian: nginx-light)';

/** Starts a server and the printed site of nginx in front of it, with TLS below `/agents`. */
async function behindNginx() {
	const folder = temporaryFolder();
	const [port, listened] = [await freePort(), await freePort()];
	const publicUrl = `https://localhost:${listened}/agents`;
	const words = ['--port', String(port), '--public-url', publicUrl];
	mkdirSync(join(folder, 'localhost'));
	const [certificate, key] = ['fullchain.pem', 'privkey.pem'].map(name => join(folder, 'localhost', name));
	const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
	const made = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', ...subject];
	execFileSync('openssl', [...made, '-keyout', key ?? '', '-out', certificate ?? ''], {stdio: 'ignore'});
	const site = (await deploy('nginx', ...words)).replaceAll('/etc/ssl/', `${folder}/`);
	const home = testContext({flags: {org: 'acme', workspace: 'main', project: 'web'}});
	const apiKey: string = JSON.parse(JSON.stringify(dataOf(await home.run('serve', 'init')))).api_key;
	const abort = new AbortController();
	const running = await testContext({like: home, signal: abort.signal}).run('serve', '--demo', ...words);
	if (running.kind !== 'running') {
		throw new Error('It does not run.');
	}

	onTestFinished(async () => {
		abort.abort();
		await running.ended;
	});
	await startNginx(site, listened);
	const options = {host: '127.0.0.1', port: listened, servername: 'localhost', rejectUnauthorized: false, agent: false};
	type Sent = {path: string; method?: string; headers?: Record<string, string>; body?: string};
	const send = ({path, method = 'GET', headers = {}, body}: Sent) =>
		new Promise<{status: number; headers: Record<string, unknown>; text: string; pieces: number}>((resolve, reject) => {
			const host = `localhost:${listened}`;
			const request = httpsRequest({...options, path, method, headers: {host, ...headers}}, response => {
				const pieces: string[] = [];
				response.setEncoding('utf8').on('data', (piece: string) => pieces.push(piece));
				response.on('end', () =>
					resolve({
						status: response.statusCode ?? 0,
						headers: response.headers,
						text: pieces.join(''),
						pieces: pieces.length,
					}),
				);
			});
			request.on('error', reject).end(body);
		});
	return {folder, site, options, listened, apiKey, send, origin: `https://localhost:${listened}`};
}

test.skipIf(!nginx)(
	`[25] the site of nginx passes forms, streams and ids with TLS below a path${skipNginx}`,
	async () => {
		const {send, apiKey, origin, folder, site} = await behindNginx();
		writeFileSync(join(folder, 'nginx.conf'), `pid ${folder}/pid; error_log stderr; events {} http { ${site} }`);
		execFileSync(nginx ?? '', ['-t', '-q', '-p', folder, '-c', join(folder, 'nginx.conf')], {stdio: 'pipe'});
		const authorization = `Bearer ${apiKey}`;
		expect((await send({path: '/agents/readyz'})).status).toBe(200);
		expect((await send({path: '/readyz'})).status).toBe(404);
		const read = await send({path: '/agents/api/v1/user/preferences', headers: {authorization}});
		expect([read.status, read.headers['x-request-id']]).toEqual([200, expect.stringMatching(/^[\da-f]{32}$/)]);

		const page = await send({path: '/agents/sign-in/key'});
		const cookie = String(page.headers['set-cookie']).split(';')[0] ?? '';
		const [, token = ''] = /name="form_token" value="([^"]+)"/.exec(page.text) ?? [];
		const form = (from: string) => ({
			path: '/agents/sign-in/key',
			method: 'POST',
			headers: {'content-type': 'application/x-www-form-urlencoded', cookie, origin: from},
			body: new URLSearchParams({form_token: token, api_key: apiKey}).toString(),
		});
		expect(String(page.headers['set-cookie'])).toContain('Secure');
		expect((await send(form('https://evil.example'))).status).toBe(403);
		const entered = await send(form(origin));
		expect([entered.status, entered.headers['location']]).toEqual([303, expect.stringMatching(/^\/agents\//)]);

		const stream = await send({
			path: '/agents/v1/chat/completions',
			method: 'POST',
			headers: {authorization, 'content-type': 'application/json'},
			body: JSON.stringify({model: 'demo', stream: true, messages: [{role: 'user', content: 'Hello'}]}),
		});
		expect([stream.status, stream.headers['content-type']]).toEqual([200, 'text/event-stream']);
		expect(stream.text.trimEnd()).toMatch(/data: \[DONE\]$/);
		expect(stream.pieces).toBeGreaterThan(2);
	},
);

test.skipIf(!nginx)(`the site of nginx passes a handshake of WebSocket on${skipNginx}`, async () => {
	const {options, listened, apiKey} = await behindNginx();
	// The server's own answer to a handshake for a sandbox that nobody has: it got the headers of the other protocol.
	const path = '/agents/sandboxes/00000000-0000-4000-8000-000000000000/web/';
	const status = await new Promise<number | undefined>((resolve, reject) => {
		get(
			{
				...options,
				path,
				headers: {
					host: `localhost:${listened}`,
					authorization: `Bearer ${apiKey}`,
					connection: 'Upgrade',
					upgrade: 'websocket',
					'sec-websocket-version': '8',
					'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
				},
			},
			response => {
				response.resume();
				resolve(response.statusCode);
			},
		).on('error', reject);
	});
	// Another version of WebSocket is refused (400) before the sandbox is looked for (404).
	expect(status).toBe(400);
});
