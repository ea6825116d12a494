import {execFileSync} from 'node:child_process';
import {symlink} from 'node:fs/promises';
import {createServer} from 'node:http';
import type {AddressInfo} from 'node:net';
import {join} from 'node:path';
import {expect, onTestFinished, test} from 'vitest';
import type {ApprovalQuestion, createApprovals} from '../../../src/agent/approval/approval.ts';
import {judgeByRules} from '../../../src/agent/approval/ruling.ts';
import {decideUnasked} from '../../../src/agent/approval/unasked.ts';
import {runAgent} from '../../../src/agent/run.ts';
import {createCommandSession} from '../../../src/agent/tools/command/command-session.ts';
import {createFolderTools, createLogTools, createUserTools, createWebTools} from '../../../src/agent/tools/tools.ts';
import {AppError} from '../../../src/core/error.ts';
import type {JsonObject} from '../../../src/core/json.ts';
import {redactKnown} from '../../../src/core/secrets/redact.ts';
import type {ApprovalMode} from '../../../src/core/session/approval.ts';
import {createWebRequests} from '../../../src/net/web/web-request.ts';
import {approvalsOf, call, collect, finish, runOptions, type Script, scriptedModel, text} from '../scripted.ts';
import {snapshot} from '../tools/snapshot.ts';
import {makeWorkspace, writeAll} from '../tools/workspace.ts';
import {hostileCalls} from './hostile-calls.ts';

type Decide = Parameters<typeof createApprovals>[0]['decide'];

const secret = 'the-secret-of-the-user';

/** Starts a server that counts connections, and keeps the bodies of its requests. */
async function canary() {
	let connections = 0;
	const bodies: string[] = [];
	const server = createServer((request, response) => {
		let body = '';
		request
			.on('data', chunk => (body += chunk))
			.on('end', () => {
				bodies.push(`${request.method} ${request.url} ${body}`);
				response.end('done');
			});
	});
	server.on('connection', () => connections++);
	await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
	onTestFinished(() => {
		server.closeAllConnections();
		server.close();
	});
	const {port} = server.address() as AddressInfo;
	return {origin: `http://127.0.0.1:${port}`, bodies, connections: () => connections};
}

/** Creates a user's folders with secrets and traps, and every tool of the program. */
async function besieged() {
	const {root, workspace, stateFolder} = await makeWorkspace({
		...{'a.txt': 'one\ntwo\n', '.env': `KEY=${secret}`, '.git/config': '[core]\n', 'sub/b.txt': 'b\n'},
	});
	const [outside, home] = [join(root, 'outside'), join(root, 'home')];
	await writeAll(outside, {'file.txt': secret});
	await writeAll(home, {'.ssh/id_rsa': secret, '.bashrc': '# mine\n'});
	await writeAll(stateFolder, {'config.json': secret});
	await symlink(join(outside, 'file.txt'), join(workspace, 'link-to-file'));
	await symlink(outside, join(workspace, 'link-to-folder'));
	execFileSync('mkfifo', [join(workspace, 'pipe')]);
	const server = await canary();
	const places = {stateFolder, homeFolder: home};
	const commands = createCommandSession({places});
	onTestFinished(() => commands.end());
	const tools = [
		...createFolderTools(places, commands),
		...createWebTools({
			send: createWebRequests({env: {}, userAgent: 'service/test'}),
			sandboxAt: () => undefined,
			insecureHttp: false,
			hide: given => given.replaceAll(secret, '***'),
		}),
		...createUserTools(() => undefined),
		...createLogTools(() => Promise.reject(new AppError('not-found', 'No sandbox of that id.'))),
	];
	const calls = hostileCalls({outside, home, state: stateFolder, server: server.origin});

	const run = async (scripts: readonly Script[], decide: Decide, mode: ApprovalMode = 'ask') => {
		const asked: ApprovalQuestion[] = [];
		const approvals = approvalsOf(
			async (request, signal) => {
				asked.push(request);
				return decide(request, signal);
			},
			{
				mode: () => mode,
				judge: judgeByRules({list: () => [], workspace: () => workspace, places, hide: redactKnown}),
			},
		);
		const {ask} = scriptedModel(...scripts, [text('Done.'), finish('stop')]);
		const events = await collect(runAgent(runOptions({ask, tools, workspace, approvals: approvals.startRun()})));
		return {asked, events};
	};

	return {root, workspace, outside, server, tools, calls, run};
}

let ids = 0;

function turn(name: string, args: JsonObject): Script {
	return [call(name, args, `c${++ids}`), finish('tool-calls')];
}

/** Calls of no tool, with names that pose as one, and arguments that are no object. */
const others: readonly Script[] = [
	...['Run_Command', 'run_command ', 'bash', '../run_command', '__proto__', 'constructor', ''].map(name =>
		turn(name, {command: 'touch made', path: 'made'}),
	),
	[{...call('run_command', {}, 'm1'), malformed: '{"command": "touch made"'} as Script[0], finish('tool-calls')],
	[{...call('write_file', {}, 'm2'), malformed: '["made", "x"]'} as Script[0], finish('tool-calls')],
];

function turnsOf(calls: Readonly<Record<string, readonly JsonObject[]>>): readonly Script[] {
	return Object.entries(calls).flatMap(([name, rows]) => rows.map(args => turn(name, args)));
}

test('every tool has hostile calls', async () => {
	const {tools, calls} = await besieged();
	for (const {name} of tools) {
		expect(calls[name]?.length ?? 0, name).toBeGreaterThanOrEqual(8);
	}

	expect(turnsOf(calls).length + others.length).toBeGreaterThanOrEqual(100);
});

test.each<readonly [string, ApprovalMode, Decide]>([
	['a user who refuses everything', 'ask', async () => ({allowed: false})],
	['a run that nobody watches', 'ask', decideUnasked('never')],
	['plan mode', 'plan', async () => ({allowed: false})],
])(
	'over a hundred hostile turns change nothing, run nothing and fetch nothing: %s [13] [16]',
	async (_, mode, decide) => {
		const {root, server, tools, calls, run} = await besieged();
		const before = await snapshot(root);
		const known = Object.fromEntries(tools.map(({name}) => [name, calls[name] ?? []]));
		const scripts = [turn('read_file', {path: 'a.txt'}), ...turnsOf(known), ...others];
		const {events, asked} = await run(scripts, decide, mode);
		const results = events.filter(event => event.type === 'tool-result');
		expect(results).toHaveLength(scripts.length);
		expect(events.at(-1)).toMatchObject({type: 'run-end', reason: 'done'});
		expect(await snapshot(root)).toEqual(before);
		expect(server.connections()).toBe(0);
		expect(JSON.stringify(results)).not.toContain(secret);
		expect(JSON.stringify(results)).not.toContain('is broken');
		expect(asked.length > 0).toBe(true);
	},
);

test('of a hundred hostile turns the one that is allowed does exactly what was shown, and no other does anything [4]', async () => {
	const {root, workspace, server, tools, calls, run} = await besieged();
	const before = await snapshot(root);
	const known = Object.fromEntries(tools.map(({name}) => [name, calls[name] ?? []]));
	const hostile = turnsOf(known);
	const half = Math.floor(hostile.length / 2);
	const good: readonly Script[] = [
		turn('write_file', {path: 'sub/good.txt', content: 'exactly these bytes\n'}),
		turn('run_command', {command: "printf '%s' 'exactly this command' > ran.txt"}),
		turn('fetch_url', {url: `${server.origin}/good?a=b`, method: 'POST', body: 'exactly this body'}),
	];
	const {asked} = await run([...hostile.slice(0, half), ...good, ...hostile.slice(half)], async ({act, hash}) => {
		const isGood =
			(act.kind === 'edit' && act.path === join(workspace, 'sub/good.txt')) ||
			(act.kind === 'command' && act.command.includes('exactly')) ||
			(act.kind === 'fetch' && act.url.includes('/good'));
		return isGood ? {allowed: true, hash} : {allowed: false};
	});
	const {['project/sub/good.txt']: written, ['project/ran.txt']: ran, ...rest} = await snapshot(root);
	expect(written).toMatch(/^\d+ exactly these bytes\n$/);
	expect(ran).toMatch(/^\d+ exactly this command$/);
	const others = Object.entries(rest).filter(([path]) => !path.startsWith('.service/unseen/'));
	expect(Object.fromEntries(others)).toEqual(before);
	expect(server.bodies).toEqual(['POST /good?a=b exactly this body']);
	const shown = asked.filter(({act}) => act.kind === 'fetch' && act.url.includes('/good'));
	expect(shown.map(({facts}) => facts?.at(-1))).toEqual([['Body', 'exactly this body']]);
	expect(asked.find(({change}) => change?.diff.includes('exactly these bytes'))?.change).toMatchObject({
		...{path: 'sub/good.txt', added: 1, removed: 0},
	});
});
