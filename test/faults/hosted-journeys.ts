import {mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {type AddressInfo, connect, createServer} from 'node:net';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import {fileURLToPath} from 'node:url';
import {quit} from '../e2e/chat.ts';
import type {TestTerminal} from '../e2e/terminal.ts';
import {freePort} from '../free-port.ts';
import {atEnd} from '../net/servers.ts';
import {type Journey, repeatingHost, repeatingServer} from './secret-peers.ts';
import {openSecretWorld, type SecretWorld} from './secret-world.ts';

const crashing = fileURLToPath(new URL('crashing.mjs', import.meta.url));
const leakyServer = fileURLToPath(new URL('leaky-server.mjs', import.meta.url));

/** Stands before a server as a proxy does, and keeps what passes under this name. Returns its address. */
async function relay({keep}: SecretWorld, name: string, port: number): Promise<string> {
	const server = createServer(near => {
		const far = connect(port, '127.0.0.1');
		for (const side of [near, far]) {
			side.on('error', () => undefined).on('close', () => [near, far].map(each => each.destroy()));
			atEnd(() => void side.destroy());
		}

		near.on('data', bytes => keep(`requests to ${name}`, bytes)).pipe(far);
		far.on('data', bytes => keep(`answers of ${name}`, bytes)).pipe(near);
	});
	await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
	atEnd(() => void server.close());
	return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Lets the world know each pass that a code or a login was exchanged for: only the two who talk of it may have it. */
function addPasses(world: SecretWorld, name: string): void {
	for (const [at, [, value]] of world.kept(`answers of ${name}`, /"pass":"([\w-]{20,})"/g).entries()) {
		world.canary(`pass ${at} of ${name}`, {in: [`requests to ${name}`, `answers of ${name}`], ...(value && {value})});
	}
}

/** Sessions on a host of this machine, reached by its token and by links, with keys of the terminals that began them. */
const onHost: Journey = async random => {
	const world = openSecretWorld(random);
	const {run, home, root} = world;
	const [custom, groq] = [await world.listen('custom', repeatingHost()), await world.listen('groq', repeatingHost())];
	const hostKey = world.canary('the key of the host', {in: [], isEscaped: true});
	const customKey = world.canary('the key of a terminal', {in: ['requests to custom'], isEscaped: true});
	const groqKey = world.canary('another key of a terminal', {in: []});
	const port = await freePort();
	const place = await relay(world, 'the host', port);
	const models = {CUSTOM_BASE_URL: `${custom}/v1`, CUSTOM_API_KEY: customKey};
	const env = {...models, GROQ_BASE_URL: `${groq}/v1`, GROQ_API_KEY: groqKey};
	const words = ['host', '--listen', `127.0.0.1:${port}`, '--public-url', place, '--json'];
	await run(['config', 'set', 'model', 'custom/m']);
	const host = await world.serve(words, {env: {...models, CUSTOM_API_KEY: hostKey}});
	world.canary('the token of the host', {
		in: ['the file home/host/token', 'requests to the host'],
		value: readFileSync(join(home, 'host/token'), 'utf8').trim(),
	});
	const owner = world.open(['attach', '--new'], {env});
	await owner.waitFor('○ idle');
	const say = async (terminal: TestTerminal, line: string, shown: string | RegExp) => {
		await terminal.waitFor(() => terminal.status().includes('○ idle'));
		terminal.type(`${line}\r`);
		await terminal.waitFor(shown);
	};
	await say(owner, 'wish-answer', 'You sent');
	await say(owner, 'wish-refusal', /rejected the key/);
	const [{id}] = JSON.parse((await run(['attach', '--json'], {env})).stdout);
	await run(['attach', '--at', place, '--json'], {env});
	for (const role of ['--driver', '--for=30m']) {
		const {link} = JSON.parse((await run(['host', 'share', id, role, '--json'], {env})).stdout);
		world.canary(`the code of a link with ${role}`, {
			in: ['host share: standard output', 'requests to the host'],
			value: link.split('/').at(-1),
		});
		const guest = world.open(['attach', '--at', link]);
		await guest.waitFor('You sent');
		if (role === '--driver') {
			guest.type('/drive take\r');
			await guest.waitFor('You drive this session.');
			await say(guest, 'wish-answer', /wish-answer[\s\S]*wish-answer[\s\S]*You sent/);
		}

		await run(['host', 'shares', '--json'], {env});
		// It works once.
		await run(['attach', '--at', link]);
		await run(['attach', '--at', link, '--json'], {before: crashing});
		await quit(guest);
		world.keepTerminal(guest);
	}

	await quit(owner);
	world.keepTerminal(owner);
	for (const command of [
		['host', 'shares'],
		['sessions', '--json'],
		['export', '--session', id, '--format', 'json'],
		['export', join(root, 'talk.html'), '--session', id],
		['doctor', '--bundle', join(root, 'bundle.json')],
		['host', 'end', id],
	]) {
		await run(command, {env});
	}

	host.child.kill('SIGTERM');
	await host.ended;
	addPasses(world, 'the host');
	return world.search();
};

/** A line of an editor's conversation with the agent. */
type Line = {
	readonly id?: number;
	readonly method?: string;
	readonly params?: {readonly options?: ReadonlyArray<{readonly optionId: string; readonly kind: string}>};
	readonly result?: {readonly sessionId?: string};
};

/** An editor that passes on keys: in the variables and headers of its MCP servers, and in `_meta`. */
const inEditor: Journey = async random => {
	const world = openSecretWorld(random);
	const {folder} = world;
	const custom = await world.listen('custom', repeatingHost());
	const remote = await world.listen('remote', repeatingServer);
	const customKey = world.canary('the key of the environment', {in: ['requests to custom'], isEscaped: true});
	const variable = world.canary('a variable of an MCP server', {
		// Also of the shell that becomes it.
		in: [`the environment of ${process.execPath} ${leakyServer}`, 'the environment of /bin/sh -c'],
		isEscaped: true,
	});
	const header = world.canary('a header of an MCP server', {in: ['requests to remote']});
	const meta = world.canary('what an editor says of itself', {in: []});
	const env = {CUSTOM_BASE_URL: `${custom}/v1`, CUSTOM_API_KEY: customKey};
	const agent = world.start(['acp', '--model', 'custom/m'], {env, isOpen: true});
	const waiting = new Map<number, (line: Line) => void>();
	const send = (line: object) => agent.child.stdin.write(`${JSON.stringify({jsonrpc: '2.0', ...line})}\n`);
	createInterface({input: agent.child.stdout}).on('line', text => {
		const {id = -1, method, params, ...rest}: Line = JSON.parse(text);
		if (method === 'session/request_permission') {
			const optionId = params?.options?.find(({kind}) => kind === 'allow_once')?.optionId;
			send({id, result: {outcome: {outcome: 'selected', optionId}}});
		} else if (method === undefined) {
			waiting.get(id)?.(rest);
		}
	});
	let asked = 0;
	const ask = (method: string, params: object) =>
		new Promise<Line>(resolve => {
			asked += 1;
			waiting.set(asked, resolve);
			send({id: asked, method, params: {...params, _meta: {token: meta, headers: {authorization: meta}}}});
		});
	await ask('initialize', {protocolVersion: 1, clientCapabilities: {}, clientInfo: {name: 'editor', version: '1'}});
	const mcpServers = [
		{
			name: 'local',
			command: process.execPath,
			args: [leakyServer],
			env: [{name: 'DATABASE_PASSWORD', value: variable}],
		},
		{type: 'http', name: 'remote', url: `${remote}/mcp`, headers: [{name: 'authorization', value: `Bearer ${header}`}]},
	];
	const {result} = await ask('session/new', {cwd: folder, mcpServers});
	const sessionId = result?.sessionId;
	const prompt = (text: string) =>
		ask('session/prompt', {sessionId, prompt: [{type: 'text', text, _meta: {key: meta}}]});
	await prompt('wish-secrets');
	await prompt('wish-answer');
	await prompt('wish-refusal');
	await prompt('/mcp');
	await ask('session/load', {sessionId, cwd: folder, mcpServers});
	await ask('session/list', {});
	await ask('nothing/known', {token: meta});
	agent.child.stdin.end();
	await agent.ended;
	await world.run(['export', '--session', sessionId ?? '', '--format', 'json'], {env});
	return world.search();
};

/** A login to an MCP server in the browser, whose authorization server and tools repeat what they get. */
const atMcp: Journey = async random => {
	const world = openSecretWorld(random);
	const {run, home} = world;
	const custom = await world.listen('custom', repeatingHost());
	const customKey = world.canary('the key of the environment', {in: ['requests to custom']});
	const stored = ['requests to docs', 'the file home/config.json'];
	const tokens = [1, 2].map(number => ({
		access: world.canary(`access token ${number} of MCP`, {in: stored}),
		refresh: world.canary(`refresh token ${number} of MCP`, {in: stored}),
	}));
	const clientSecret = world.canary('the secret of a registered client', {in: stored});
	const code = world.canary('the code of a login', {in: stored});
	let given = 0;
	const docs = await world.listen('docs', (heard, response) => {
		const {url, authorization, body} = heard;
		const origin = `http://${response.req.headers.host}`;
		const json = (value: object, status = 200, headers = {}) =>
			void response.writeHead(status, {'content-type': 'application/json', ...headers}).end(JSON.stringify(value));
		const [path] = url.split('?');
		if (path === '/.well-known/oauth-protected-resource/mcp') {
			json({resource: `${origin}/mcp`, authorization_servers: [origin], scopes_supported: ['tools']});
		} else if (path === '/.well-known/oauth-authorization-server') {
			json({
				...{issuer: origin, authorization_endpoint: `${origin}/authorize`, token_endpoint: `${origin}/token`},
				...{registration_endpoint: `${origin}/register`, revocation_endpoint: `${origin}/revoke`},
				...{response_types_supported: ['code'], code_challenge_methods_supported: ['S256']},
			});
		} else if (path === '/register') {
			json({...JSON.parse(body), client_id: 'registered', client_secret: clientSecret}, 201);
		} else if (path === '/token') {
			const {access, refresh} = tokens[Math.min(given++, 1)] ?? {};
			json({access_token: access, refresh_token: refresh, token_type: 'Bearer', expires_in: 3600, scope: 'tools'});
		} else if (path === '/revoke') {
			json({error: 'server_error', error_description: `Can't revoke ${body}`}, 400);
		} else if (
			authorization.endsWith(tokens[Math.max(0, given - 1)]?.access ?? '-') &&
			!authorization.endsWith(tokens[0]?.access ?? '-')
		) {
			repeatingServer(heard, response);
		} else {
			const challenge = `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp", error="invalid_token", error_description="${authorization} has expired"`;
			json({error: `${authorization} has expired`}, 401, {'www-authenticate': challenge});
		}
	});
	const env = {CUSTOM_BASE_URL: `${custom}/v1`, CUSTOM_API_KEY: customKey};
	mkdirSync(home, {mode: 0o700});
	writeFileSync(join(home, 'mcp.json'), JSON.stringify({mcpServers: {remote: {type: 'http', url: `${docs}/mcp`}}}), {
		mode: 0o600,
	});
	const login = world.start(['mcp', 'login', 'remote'], {env});
	const page = await new Promise<string>((resolve, reject) => {
		const look = () => {
			const [found] =
				/http:\/\/127\.0\.0\.1:\d+\/authorize\?\S+/.exec(`${login.printed.stdout}${login.printed.stderr}`) ?? [];
			if (found) {
				resolve(found);
			}
		};
		login.child.stdout.on('data', look);
		login.child.stderr.on('data', look);
		login.ended.then(({stderr}) => reject(new Error(stderr)));
	});
	const {searchParams} = new URL(page);
	const back = new URL(searchParams.get('redirect_uri') ?? '');
	back.search = new URLSearchParams({code, state: searchParams.get('state') ?? '', iss: docs}).toString();
	world.keep('the page after a login', await (await fetch(back)).text());
	await login.ended;
	const prompt = (text: string) =>
		run(
			['-p', text, '--model', 'custom/m', '--trust', '--allow', 'mcp(remote:pry)', '--output-format', 'stream-json'],
			{env},
		);
	await prompt('wish-secrets');
	for (const words of [
		['mcp', 'list', '--json'],
		['mcp', 'get', 'remote', '--json'],
		['doctor', '--json'],
		['export', '--events'],
		['config', '--json'],
	]) {
		await run(words, {env});
	}

	await run(['mcp', 'get', 'remote'], {env, before: crashing});
	await run(['mcp', 'logout', 'remote'], {env});
	return world.search();
};

export const hosted: Readonly<Record<string, Journey>> = {onHost, inEditor, atMcp};
