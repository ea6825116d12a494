import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, onTestFinished, test} from 'vitest';
import type {JsonObject} from '../../../src/core/json.ts';
import {httpServer} from '../../net/servers.ts';
import {temporaryFolder} from '../../storage/temporary.ts';
import {startPeer} from './http-peer.ts';
import {node, official, officialOverHttp, openServers} from './servers.ts';

const names = (tools: readonly {readonly name: string}[]) => tools.map(({name}) => name).toSorted();

const all = ['die', 'echo', 'environment', 'fail', 'grow', 'picture', 'slow'].map(tool => `mcp__files__${tool}`);

describe.each(['stdio', 'HTTP'])('a server of the official SDK over %s', transport => {
	const entry = async (): Promise<JsonObject> =>
		transport === 'HTTP' ? {type: 'http', url: await officialOverHttp()} : {...node(official, 'stdio')};

	test('offers its tools, which are called after a question', async () => {
		const {servers, call, asked, status} = openServers({files: await entry()});
		expect(names(await servers.tools())).toEqual(all);
		expect(await call('mcp__files__echo', {text: 'hello'})).toBe('You said: hello');
		expect(asked[0]).toMatchObject({
			act: {kind: 'mcp', server: 'files', tool: 'echo', arguments: {text: 'hello'}, claimsReadOnly: true},
		});
		expect((await status('files')).state).toEqual({state: 'ready', about: 'official 1.2.3'});
	});

	test('returns errors to the model, and shows it pictures', async () => {
		const {call} = openServers({files: await entry()});
		await expect(call('mcp__files__fail')).rejects.toMatchObject({code: 'failed', message: 'It did not work'});
		await expect(call('mcp__files__echo', {text: 3})).rejects.toMatchObject({code: 'failed'});
		const shown: unknown[] = [];
		const onImage = async (image: unknown) => Boolean(shown.push(image));
		expect(await call('mcp__files__picture', {}, {onImage})).toMatch(/^\[image: PNG, 1×1/);
		expect(shown).toMatchObject([{type: 'image/png', width: 1}]);
	});

	test('runs nothing that the user refuses, ends a call that is interrupted, and answers the next one', async () => {
		const {call} = openServers({files: await entry()}, {allow: ({act}) => !JSON.stringify(act).includes('refused')});
		await expect(call('mcp__files__echo', {text: 'refused'})).rejects.toThrow('The user did not allow this call.');
		const stop = new AbortController();
		const running = call('mcp__files__slow', {}, {signal: stop.signal});
		setTimeout(() => stop.abort(new Error('interrupted')), 50);
		await expect(running).rejects.toThrow('interrupted');
		expect(await call('mcp__files__echo', {text: 'again'})).toBe('You said: again');
	});
});

test('a server that dies costs the call, and is started again for the next one', async () => {
	const {call, status} = openServers({files: node(official)});
	await expect(call('mcp__files__die')).rejects.toMatchObject({code: 'failed'});
	await expect.poll(async () => (await status('files')).state.state).toBe('failed');
	expect((await status('files')).state).toMatchObject({reason: 'it ended with status 3 (About to end)'});
	expect(await call('mcp__files__echo', {text: 'again'})).toBe('You said: again');
});

test('tools that a server adds later join', async () => {
	const {call, servers} = openServers({files: node(official)});
	await call('mcp__files__grow');
	await expect.poll(async () => names(await servers.tools())).toContain('mcp__files__grown');
	expect(await call('mcp__files__grown')).toBe('grown');
});

test('a server gets its own variables, proxies and certificates, and no credential of the program [15]', async () => {
	process.env['ANTHROPIC_API_KEY'] = 'sk-ant-test-0123456789';
	process.env['HTTPS_PROXY'] = 'http://proxy.example:8080';
	process.env['NODE_EXTRA_CA_CERTS'] = '/nowhere/ca.pem';
	onTestFinished(() => {
		for (const name of ['ANTHROPIC_API_KEY', 'HTTPS_PROXY', 'NODE_EXTRA_CA_CERTS']) {
			delete process.env[name];
		}
	});
	const {call} = openServers(
		{files: {...node(official), env: {TEAM: 'blue', TOKEN: '${MY_TOKEN}'}}},
		{env: {MY_TOKEN: 'hunter2-hunter2'}},
	);
	const seen = JSON.parse(await call('mcp__files__environment'));
	expect(seen).toMatchObject({
		TEAM: 'blue',
		HTTPS_PROXY: 'http://proxy.example:8080',
		NODE_EXTRA_CA_CERTS: '/nowhere/ca.pem',
	});
	expect(Object.keys(seen)).not.toContain('ANTHROPIC_API_KEY');
	// The value of a variable of the user's is masked in results.
	expect(seen.TOKEN).toBe('***');
});

test('a server gets the variables of its file, whose secrets are masked [8]', async () => {
	const elsewhere = join(temporaryFolder(), 'variables');
	writeFileSync(elsewhere, 'TEAM=blue\nLEVEL=production\nURL="postgres://me:pw@db/x"\nTOKEN=hunter2-hunter2');
	const {call} = openServers({files: {...node(official), envFile: elsewhere, env: {TEAM: 'red', A: '${TOKEN}'}}});
	const seen = JSON.parse(await call('mcp__files__environment'));
	expect(seen).toMatchObject({TEAM: 'red', LEVEL: 'production', URL: '***', TOKEN: '***', A: '***'});
});

test('a server that ends with a secret on its last line has it masked in the reason and in the log [8]', async () => {
	const end = ['-e', 'console.error("wrong token " + process.env.TOKEN); process.exit(2)'];
	const {servers, status} = openServers(
		{files: {command: process.execPath, args: end, env: {TOKEN: '${MY_TOKEN}'}}},
		{env: {MY_TOKEN: 'hunter2-hunter2'}},
	);
	await servers.tools();
	const {state, log} = await status('files');
	expect(state).toMatchObject({state: 'failed', reason: expect.stringContaining('(wrong token ***)')});
	expect(JSON.stringify([log, servers.warnings()])).not.toContain('hunter2');
});

test('credentials in an entry itself are masked in what a server says, also when it refuses them [8]', async () => {
	const refusing = await httpServer(({headers}, response) => {
		response.writeHead(400).end(`Unknown: ${headers.authorization}, ${headers['x-api-key']}`);
	});
	const {servers, status, call} = openServers({
		files: {
			...node(official),
			env: {TEAM: 'blue', DB_PASSWORD: 'hunter2-hunter2', HOOK: 'https://me:pw-4711@db/?token=t-4712'},
		},
		remote: {url: refusing.origin, headers: {authorization: 'Bearer hunter2-token', 'x-api-key': 'hunter2-key'}},
	});
	expect(JSON.parse(await call('mcp__files__environment'))).toMatchObject({
		TEAM: 'blue',
		DB_PASSWORD: '***',
		HOOK: 'https://me:***@db/?token=***',
	});
	const {state, log} = await status('remote');
	expect(state).toMatchObject({state: 'failed', reason: 'it answered with status 400: Unknown: ***, ***'});
	expect(JSON.stringify([log, servers.warnings()])).not.toContain('hunter2');
});

test.each([
	['.env', 'it is larger than 66 kB', {'.env': `A=${'x'.repeat(70_000)}`}],
	['.env', 'line 2 is not NAME=value', {'.env': 'A=1\nrm -rf'}],
	['.env', 'it was not found', {}],
	['/nowhere/.env', 'it was not found', {}],
	['../.service/config.json', 'is outside the working folder', {}],
	['.git/HEAD', 'is protected', {}],
	['sub', 'is a folder', {'sub/a': ''}],
])('the file of variables %s is refused in words: %s', async (envFile, reason, files) => {
	const {servers, status} = openServers({files: {...node(official), envFile}}, {files});
	await servers.tools();
	const {state} = await status('files');
	expect(state).toMatchObject({state: 'failed', reason: expect.stringContaining(reason)});
	expect(state).toMatchObject({
		reason: expect.stringContaining(`The MCP server “files” can't use its envFile ${envFile}: `),
	});
});

test('headers go to the server, with variables of the user [6]', async () => {
	const seen = join(temporaryFolder(), 'seen');
	writeFileSync(seen, '');
	const url = await officialOverHttp(seen);
	const {call} = openServers({files: {url, headers: {Authorization: 'Bearer ${DOCS}'}}}, {env: {DOCS: 'abcdefgh'}});
	await call('mcp__files__echo', {text: 'x'});
	expect(new Set(readFileSync(seen, 'utf8').trim().split('\n'))).toContain('POST Bearer abcdefgh');
});

test('servers that cannot start say why, and cost no other server', async () => {
	const reasons = {
		missing: [{command: '/nowhere/at-all'}, /not found|status 127/],
		closed: [{url: 'http://127.0.0.1:9/mcp'}, /127\.0\.0\.1:9/],
		plain: [{url: 'http://mcp.example.com/mcp'}, /Refusing plain HTTP/],
		unset: [{command: 'x', env: {A: '${NOT_SET}'}}, /needs the variable NOT_SET/],
		ends: [
			{command: process.execPath, args: ['-e', 'console.error("no config"); process.exit(2)']},
			/status 2 \(no config\)/,
		],
	} as const;
	const bad = Object.fromEntries(Object.entries(reasons).map(([name, [entry]]) => [name, entry]));
	const {servers, status} = openServers({...bad, files: node(official)});
	expect(names(await servers.tools())).toEqual(all);
	for (const [name, [, reason]] of Object.entries(reasons)) {
		expect((await status(name)).state).toMatchObject({state: 'failed', reason: expect.stringMatching(reason)});
	}

	const warnings = servers.warnings().toSorted((one, other) => (one.text < other.text ? -1 : 1));
	expect(warnings).toEqual(
		Object.keys(reasons)
			.toSorted()
			.map(name => ({
				text: expect.stringContaining(`The MCP server ${name} is not running: `),
				hint: `See why: \`mcp get ${name}\``,
			})),
	);
	// What failed is said once.
	expect(warnings[0]?.text).toMatch(/: Nothing is listening on http:\/\/127\.0\.0\.1:9\.$/);
	// It is told once.
	await servers.tools();
	expect(servers.warnings()).toEqual([]);
});

test('a tool that changes after it was allowed is marked as changed, until it is allowed again', async () => {
	const state = join(temporaryFolder(), 'state');
	writeFileSync(state, '');
	const {call, asked, servers, status} = openServers({files: node(official, 'stdio', state)});
	await call('mcp__files__echo', {text: 'one'});
	writeFileSync(state, 'changed');
	await servers.reconnect((await status('files')).configured);
	await call('mcp__files__echo', {text: 'two'});
	await call('mcp__files__echo', {text: 'three'});
	expect(asked.map(({act}) => act.kind === 'mcp' && act.isChanged)).toEqual([undefined, true, undefined]);
});

test.each(['echo', 'x'.repeat(80), '__proto__', 'constructor', '\u202e'])(
	'[14] a tool that changes is marked as changed, whatever its name is: %j',
	async name => {
		let description = 'Reads';
		const {url} = await startPeer({
			answer({method, id}, response) {
				const result = {tools: [{name, description, inputSchema: {type: 'object'}}]};
				return method === 'tools/list' && Boolean(response.end(JSON.stringify({jsonrpc: '2.0', id, result})));
			},
		});
		const {call, asked, servers, status} = openServers({s: {type: 'http', url}});
		const callIt = async () => call((await servers.tools())[0]?.name ?? '');
		await callIt();
		description = 'Deletes';
		await servers.reconnect((await status('s')).configured);
		await callIt();
		await callIt();
		expect(asked.map(({act}) => act.kind === 'mcp' && act.isChanged)).toEqual([undefined, true, undefined]);
	},
);

test('a server that the file no longer names is ended', async () => {
	const {servers, stateFolder, project} = openServers({files: node(official), other: node(official)});
	expect(await servers.tools()).toHaveLength(14);
	writeFileSync(join(stateFolder, 'mcp.json'), JSON.stringify({mcpServers: {other: node(official)}}));
	await project.load();
	expect(names(await servers.tools()).every(name => name.startsWith('mcp__other__'))).toBe(true);
});
