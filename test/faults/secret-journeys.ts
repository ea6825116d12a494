import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {quit, waitForIdle, waitForStart} from '../e2e/chat.ts';
import {freePort} from '../free-port.ts';
import {hosted} from './hosted-journeys.ts';
import {type Journey, repeatingHost, repeatingPlatform, repeatingServer} from './secret-peers.ts';
import {drawSecret} from './secret-search.ts';
import {openSecretWorld} from './secret-world.ts';

const crashing = fileURLToPath(new URL('crashing.mjs', import.meta.url));
const leakyServer = fileURLToPath(new URL('leaky-server.mjs', import.meta.url));

/** Prompts, commands and exports in a shell, with keys of every kind, each repeated by whoever gets it. */
const inShell: Journey = async random => {
	const world = openSecretWorld(random);
	const {run, home, folder, root} = world;
	const [custom, openai, remote, refusing, platform, collector, proxy] = await Promise.all([
		world.listen('custom', repeatingHost()),
		world.listen('openai', repeatingHost()),
		world.listen('remote', repeatingServer),
		world.listen(
			'refusing',
			({headers}, response) => void response.writeHead(400).end(`Unknown key: ${headers['x-api-key']}`),
		),
		world.listen('platform', repeatingPlatform),
		world.listen('collector', (_, response) => void response.end('{}')),
		world.listen('proxy', (_, response) => void response.writeHead(407).end()),
	]);
	const customKey = world.canary('the key of the environment', {in: ['requests to custom'], isEscaped: true});
	const openaiKey = world.canary('the key of keys set', {
		in: ['requests to openai', 'the file home/config.json'],
		isEscaped: true,
	});
	const argumentKey = world.canary('the key of an argument', {in: ['the file home/config.json']});
	const platformKey = world.canary('the platform key', {in: ['requests to platform']});
	const remoteToken = world.canary('the token of an MCP server', {
		in: ['requests to remote', 'the file home/mcp.json'],
		isEscaped: true,
	});
	const refusedKey = world.canary('the key of a refusing MCP server', {
		in: ['requests to refusing', 'the file home/mcp.json'],
		isEscaped: true,
	});
	const localPassword = world.canary('the variable of an MCP server', {
		in: ['the file home/mcp.json', leakyServer],
		isEscaped: true,
	});
	const spanToken = world.canary('the header of OTLP', {in: ['requests to collector']});
	const proxyPassword = world.canary('the password of the proxy', {in: ['requests to proxy']});
	const filePassword = world.canary('a value of .env', {in: ['the file work/.env']});
	writeFileSync(join(folder, '.env'), `DATABASE_PASSWORD=${filePassword}\n`);
	const env = {
		CUSTOM_BASE_URL: `${custom}/v1`,
		CUSTOM_API_KEY: customKey,
		SERVICE_SERVER: platform,
		SERVICE_API_KEY: platformKey,
		OTEL_EXPORTER_OTLP_ENDPOINT: collector,
		OTEL_EXPORTER_OTLP_HEADERS: `x-token=${encodeURIComponent(spanToken)}`,
		SERVICE_TRACES: 'content',
		HTTPS_PROXY: `http://ada:${proxyPassword}@${new URL(proxy).host}`,
		HTTP_PROXY: `http://ada:${proxyPassword}@${new URL(proxy).host}`,
	};
	await run(['keys', 'set', 'openai', '--base-url', `${openai}/v1`], {env, input: `${openaiKey}\n`});
	await run(['keys', 'set', 'groq', argumentKey], {env});
	writeFileSync(
		join(home, 'mcp.json'),
		JSON.stringify({
			mcpServers: {
				local: {command: process.execPath, args: [leakyServer], env: {DATABASE_PASSWORD: localPassword}},
				remote: {url: `${remote}/mcp`, headers: {authorization: `Bearer ${remoteToken}`}},
				refusing: {url: `${refusing}/mcp`, headers: {'x-api-key': refusedKey}},
			},
		}),
		{mode: 0o600},
	);
	const scope = ['--org', 'acme', '--workspace', 'main', '--project', 'web'];
	const prompt = (text: string, ...more: readonly string[]) =>
		run(
			['-p', text, '--approve', 'all', '--trust', '--allow', 'mcp(local:pry)', '--allow', 'mcp(remote:pry)', ...more],
			{env},
		);
	await prompt('wish-secrets', '--model', 'custom/m', '--output-format', 'stream-json');
	await prompt('wish-answer', '--model', 'openai/m', '--output-format', 'json');
	await prompt('wish-refusal', '--model', 'openai/m');
	await prompt('wish-page', '--model', 'custom/m', '--output-format', 'json');
	await prompt('wish-redirect', '--model', 'custom/m');
	await run(['-p', 'Through the proxy.', '--model', 'anthropic/x'], {env: {...env, ANTHROPIC_API_KEY: argumentKey}});
	for (const words of [
		['keys', 'list', '--json'],
		['mcp', 'list', '--json'],
		['mcp', 'get', 'remote', '--json'],
		['mcp', 'get', 'local'],
		['whoami', '--json'],
		['env', 'list', '--json', ...scope],
		['credits', 'show', ...scope],
		['doctor', '--json'],
		['doctor', '--bundle', join(root, 'bundle.json')],
		['sessions', '--json'],
		['usage', '--json'],
		['export', '--events'],
		['export', join(root, 'talk.html')],
		['export', '--format', 'json'],
		['config', '--json'],
	]) {
		await run(words, {env});
	}

	await run(['-p', 'Crash.', '--model', 'custom/m'], {env, before: crashing});
	await run(['-p', 'Crash.', '--model', 'openai/m', '--output-format', 'json'], {env, before: crashing});
	await run(['whoami', '--json'], {env: {...env, CRASH: 'reject'}, before: crashing});
	return world.search();
};

/** The app in a terminal: keys that are typed at masked prompts, a login with a key, a conversation, and a throw that nobody catches. */
const inApp: Journey = async random => {
	const world = openSecretWorld(random);
	const {folder} = world;
	const [custom, groq, platform] = await Promise.all([
		world.listen('custom', repeatingHost()),
		world.listen('groq', repeatingHost()),
		world.listen('platform', repeatingPlatform),
	]);
	const customKey = world.canary('the key of the environment', {in: ['requests to custom'], isEscaped: true});
	const typedKey = world.canary('the key that was typed', {in: ['requests to groq', 'the file home/config.json']});
	const platformKey = world.canary('the key of a login', {in: ['requests to platform', 'the file home/config.json']});
	const filePassword = world.canary('a value of .env', {in: ['the file work/.env']});
	writeFileSync(join(folder, '.env'), `DATABASE_PASSWORD=${filePassword}\n`);
	const env = {CUSTOM_BASE_URL: `${custom}/v1`, CUSTOM_API_KEY: customKey};
	const terminal = world.open(['--model', 'custom/m', '--trust'], {env});
	await waitForStart(terminal);
	const type = async (line: string, shown: string | RegExp) => {
		await waitForIdle(terminal);
		terminal.type(`${line}\r`);
		await terminal.waitFor(shown, 30_000);
	};
	await type(`/keys set groq --base-url ${groq}/v1`, /API key for Groq.*hidden/);
	terminal.type(`${typedKey}\r`);
	await terminal.waitFor('Stored the key of Groq');
	await type(`/login --with-token --server ${platform}`, /API key for 127/);
	terminal.type(`${platformKey}\r`);
	await terminal.waitFor('Logged in to');
	await type('wish-answer', 'You sent');
	await type('! cat .env; env', /DATABASE_PASSWORD=/);
	await type('wish-refusal', /rejected the key/);
	await type('/env list --org acme --workspace main --project web', /may not do that/);
	await type('/keys list', 'from env');
	await type('/export talk.html', 'Wrote ');
	await waitForIdle(terminal);
	await quit(terminal);
	world.keepTerminal(terminal);

	for (const crash of ['throw', 'reject']) {
		const crashed = world.open(['--model', 'custom/m'], {env: {...env, CRASH: crash}, before: crashing});
		await waitForStart(crashed);
		crashed.type('Crash.\r');
		await crashed.exit();
		world.keepTerminal(crashed);
	}

	return world.search();
};

/** A login in the browser against a server that repeats tokens, their refresh, and their end. */
const inBrowser: Journey = async random => {
	const world = openSecretWorld(random);
	const {run} = world;
	const stored = ['requests to platform', 'the file home/config.json'];
	const tokens = [1, 2].map(number => ({
		access: world.canary(`access token ${number}`, {in: stored}),
		refresh: world.canary(`refresh token ${number}`, {in: stored}),
	}));
	const code = world.canary('the code of the device', {in: ['requests to platform']});
	let given = 0;
	const server = await world.listen('platform', ({url, authorization, body}, response) => {
		const origin = `http://${response.req.headers.host}`;
		const json = (value: object, status = 200) =>
			void response.writeHead(status, {'content-type': 'application/json'}).end(JSON.stringify(value));
		if (url.startsWith('/.well-known/oauth-authorization-server')) {
			json({
				issuer: origin,
				device_authorization_endpoint: `${origin}/oauth/device`,
				token_endpoint: `${origin}/oauth/token`,
				revocation_endpoint: `${origin}/oauth/revoke`,
			});
		} else if (url === '/oauth/device') {
			const verification = {verification_uri: `${origin}/device`, user_code: 'WDJB-MJHT'};
			json({device_code: code, ...verification, expires_in: 900, interval: 1});
		} else if (url === '/oauth/token') {
			const {access, refresh} = tokens[Math.min(given++, 1)] ?? {};
			json({access_token: access, refresh_token: refresh, token_type: 'Bearer', expires_in: 3600});
		} else if (url === '/oauth/revoke') {
			json({error: 'server_error', error_description: `Can't revoke ${body}`}, 400);
		} else if (url.includes('/user/preferences')) {
			json({enabled_model_ids: [], inference_credits_per_dollar: 1, models: [], note: authorization});
		} else if (authorization.endsWith(tokens[0]?.access ?? '-')) {
			json({detail: `The token ${authorization} has expired`}, 401);
		} else {
			json({detail: `${authorization} may not do that`}, 403);
		}
	});
	const scope = ['--org', 'acme', '--workspace', 'main', '--project', 'web'];
	await run(['login', '--server', server, '--json']);
	await run(['whoami', '--json']);
	await run(['env', 'list', ...scope, '--json']);
	await run(['credits', 'show', ...scope]);
	await run(['profile', 'list', '--json']);
	await run(['doctor', '--json']);
	await run(['env', 'list', ...scope], {before: crashing});
	await run(['logout']);
	return world.search();
};

/** A server with every credential that an operator may give it, which clients then put in the wrong places. */
const onServer: Journey = async random => {
	const world = openSecretWorld(random);
	const {run, root, folder} = world;
	const data = join(root, 'data');
	const hex = 'ABCDEFabcdef0123456789';
	const sealKey = Buffer.from(drawSecret(random, {from: hex, length: 32})).toString('base64url');
	world.canary('the key that seals and signs', {in: [], value: sealKey});
	const bucketKey = world.canary('the key of the bucket', {in: []});
	const clientSecret = world.canary('the secret of the OpenID client', {in: []});
	const databasePassword = world.canary('the password of the database', {in: []});
	const env = {
		SERVICE_SEAL_KEY: sealKey,
		AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
		AWS_SECRET_ACCESS_KEY: bucketKey,
		SERVICE_SERVE_OIDC_CLIENT_SECRET: clientSecret,
	};
	const bucket = await world.listen(
		'bucket',
		({headers}, response) => void response.writeHead(403).end(`${headers.authorization}`),
	);
	const provider = await world.listen('provider', ({body}, response) => void response.writeHead(500).end(body));
	const unreachable = {SERVICE_SERVE_DATABASE: `postgres://ada:${databasePassword}@127.0.0.1:1/service`};
	for (const words of [
		['serve', '--json'],
		['serve', 'check', '--json'],
		['serve', 'migrate'],
		['serve', 'key', 'a@b.example'],
	]) {
		await run(words, {env: {...env, ...unreachable}});
	}

	// The same in a file, which only its owner reads.
	const filePassword = world.canary('the password of the database in a file', {in: ['the file serve.yaml']});
	const fileSecret = world.canary('the secret of the OpenID client in a file', {in: ['the file serve.yaml']});
	const config = join(root, 'serve.yaml');
	const lines = [
		`database: postgres://ada:${filePassword}@127.0.0.1:1/service`,
		`oidc-client-secret: ${fileSecret}`,
		`oidc-issuer: ${provider}`,
		'oidc-client-id: service',
	];
	writeFileSync(config, `${lines.join('\n')}\n`, {mode: 0o600});
	for (const words of [
		['serve', 'check'],
		['serve', 'migrate'],
		['serve', 'deploy', 'systemd'],
	]) {
		await run([...words, '--config', config, '--json'], {env: {SERVICE_SEAL_KEY: sealKey}});
	}

	const waiting = world.start(['serve', '--config', config, '--json'], {env: {SERVICE_SEAL_KEY: sealKey}});
	waiting.child.stderr.on('data', () => waiting.printed.stderr.includes('Waiting for it') && waiting.child.kill());
	await waiting.ended;

	const metrics = `127.0.0.1:${await freePort()}`;
	const settings = [
		...['--data', data, '--artifacts', `s3://artifacts?endpoint=${bucket}&region=eu`, '--log-level', 'info'],
		...['--oidc-issuer', provider, '--oidc-client-id', 'service'],
		...['--metrics', metrics, '--host-sessions', folder, '--host-users', 'all'],
	];
	const names = ['--org', 'acme', '--workspace', 'main', '--project', 'web', '--email', 'ada@acme.example'];
	const init = await run(['serve', 'init', '--data', data, ...names, '--json'], {env});
	const key = world.canary('the key of the first user', {
		in: ['serve init: standard output'],
		value: JSON.parse(init.stdout).api_key,
	});
	for (const words of [
		['serve', 'deploy', 'systemd'],
		['serve', 'deploy', 'docker'],
		['serve', 'check', '--json'],
	]) {
		await run([...words, ...settings], {env});
	}

	const serving = await world.serve(['serve', ...settings, '--port', '0', '--json'], {env});
	const {url} = serving.first;
	const ask = async (path: string, {body, ...headers}: Record<string, string> = {}) => {
		const method = body === undefined ? 'GET' : 'POST';
		const answer = await fetch(`${url}${path}`, {
			...{method, headers: {'content-type': 'application/json', ...headers}, redirect: 'manual'},
			...(body !== undefined && {body}),
		});
		const text = await answer.text();
		// What an answer says to whoever holds the credential is theirs, and so is the path that was asked for; an error says no other.
		if (!answer.ok && !path.includes('/sessions')) {
			world.keep(`an error of ${path.split('?')[0]}`, text);
		}

		return text;
	};
	const bearer = {authorization: `Bearer ${key}`};
	const made: unknown = JSON.parse(await ask('/api/v1/user/api-keys', {...bearer, body: '{"name":"ci"}'}));
	const second = Object(made).key ?? Object(made).api_key;
	world.canary('another API key', {in: [], value: second});
	const invited: unknown = JSON.parse(
		await ask('/api/v1/org/acme/invitations', {...bearer, body: '{"email":"grace@acme.example","role":"member"}'}),
	);
	const link = String(Object(invited).url ?? Object(invited).link ?? '');
	const code = link.split('/').at(-1) ?? '';
	world.canary('the code of an invitation', {in: [], value: code});
	const stray = world.canary('a key at the wrong place', {in: []});
	const {pass} = JSON.parse(await ask('/api/v1/host/pass', {...bearer, body: '{}'}));
	world.canary('the pass of a terminal', {in: [], value: pass});
	const login = {SERVICE_API_KEY: key, SERVICE_SERVER: url};
	await run(['attach', '--at', url, '--json'], {env: login});
	await run(['host', 'shares', '--at', url, '--json'], {env: login});
	await run(['org', 'audit', '--json'], {env: {...login, SERVICE_ORG: 'acme'}});
	for (const secret of [key, second, code, stray, pass]) {
		const quoted = encodeURIComponent(secret);
		await ask(`/api/v1/user/api-keys?api_key=${quoted}`);
		// In a path, only what has the form of a key can be told from an id.
		await ask(`/api/v1/${secret.startsWith('svc_') ? secret : 'x'}/sessions`, {authorization: `Bearer ${secret}`});
		await ask(`/sandboxes/x/web/?execute_token=${quoted}`);
		await ask('/api/v1/user/api-keys', {...bearer, body: `{"name": ${secret}`});
		await ask('/api/v1/user/api-keys', {authorization: `Basic ${Buffer.from(`x:${secret}`).toString('base64')}`});
		await ask('/oauth/token', {
			body: `grant_type=refresh_token&refresh_token=${quoted}`,
			'content-type': 'application/x-www-form-urlencoded',
		});
		await ask('/api/v1/user/api-keys', {
			authorization: `Bearer ${secret}x`,
			'x-request-id': 'r-1',
			referer: `${url}/?key=${quoted}`,
			'user-agent': `curl ${secret}`,
		});
		await ask('/sign-in/oidc');
	}

	await ask(new URL(link, url).pathname);
	world.keep('the metrics', await (await fetch(`http://${metrics}/metrics`)).text());
	serving.child.kill('SIGTERM');
	await serving.ended;
	return world.search();
};

/** Every journey by its name. */
export const journeys: Readonly<Record<string, Journey>> = {inShell, inApp, inBrowser, onServer, ...hosted};
