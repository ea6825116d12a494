import {once} from 'node:events';
import {mkdirSync, writeFileSync} from 'node:fs';
import {connect} from 'node:net';
import {join} from 'node:path';
import {text as readAll} from 'node:stream/consumers';
import {fileURLToPath} from 'node:url';
import {onTestFinished} from 'vitest';
import type {DatabaseLocation} from '../../src/server/database/location.ts';
import {openDatabase} from '../../src/server/database/open.ts';
import {apiKey, quit, waitForIdle} from '../e2e/chat.ts';
import {answerOn} from '../e2e/model-host.ts';
import {folderWith, program} from '../e2e/program.ts';
import {startTerminal} from '../e2e/terminal.ts';
import {httpServer} from '../net/servers.ts';
import {toRequest} from '../server/ingest/push.ts';
import {approve, client, deviceGrant} from '../server/oauth/oauth.ts';
import {createTally, type Fault} from './fault.ts';
import {growthOf, openProbe, probed, type Sample} from './growth.ts';
import {
	addWriter,
	bubblewrap,
	createFollower,
	createServing,
	initializeServing,
	newDataFolder,
	until,
} from './serving.ts';

const mcpServer = fileURLToPath(new URL('../agent/mcp/scripted-server.mjs', import.meta.url));

const eightHoursMs = 8 * 3_600_000;

type Call = readonly [name: string, args: object];

/** What the model does in a turn: rounds of calls, before it answers. A call may need what an earlier one returned. */
const doings: ReadonlyArray<ReadonlyArray<(results: string) => readonly Call[]>> = [
	[],
	[() => [['read_file', {path: 'a.ts'}]]],
	[
		() => [['write_file', {path: 'b.ts', content: 'export const b = 1;\n'}]],
		() => [['edit_file', {path: 'b.ts', edits: [{old_text: '1', new_text: '2'}]}]],
	],
	[() => [['run_command', {command: 'for i in $(seq 30); do echo line $i; done'}]]],
	[() => [['mcp__soak__ok', {}]]],
	[
		() => [['run_command', {command: 'while :; do echo tick; sleep 0.01; done', background: true}]],
		results => [['job_output', {job: /as job (\d+)/.exec(results)?.[1] ?? '1', wait_sec: 0}]],
		results => [['job_stop', {job: /as job (\d+)/.exec(results)?.[1] ?? '1'}]],
	],
	[() => [['task', {prompt: 'Count the files.', description: 'Count all the files'}]]],
	[
		() => [
			['list_files', {path: '.'}],
			['search_text', {pattern: 'export'}],
			['todo', {items: [{text: 'One thing', state: 'active'}]}],
		],
	],
];

/** An answer of a few lines of Markdown. */
function sayAtLength({say, finish}: ReturnType<typeof answerOn>, end: string): void {
	for (let line = 0; line < 6; line += 1) {
		say(`## Part ${line}\n\nSome **bold** words, and \`code\`:\n\n`);
		say('```ts\nconst value = 1;\n```\n\n');
	}

	say(end);
	finish();
}

type Message = {readonly role: string; readonly content: unknown};

/** Starts a model whose answer to “turn 17” does what is its turn, and ends with “ended 17”. */
async function startModel() {
	let ended = -1;
	const {origin} = await httpServer(async (request, response) => {
		const body = await readAll(request);
		if (!request.url?.endsWith('/chat/completions')) {
			response.writeHead(200, {'content-type': 'application/json'}).end('{"data":[{"id":"m","object":"model"}]}');
			return;
		}

		const {messages}: {messages: readonly Message[]} = JSON.parse(body);
		const writer = answerOn(response);
		const last = messages.findLastIndex(
			({role, content}) => role === 'user' && /turn \d+\b/.test(JSON.stringify(content)),
		);
		const rest = messages.slice(last + 1);
		const [, number] = /.*turn (\d+)\b/s.exec(JSON.stringify(messages[last]?.content ?? '')) ?? [];
		if (number === undefined || rest.some(({role}) => role === 'user') || /Stop here for a moment/.test(body)) {
			sayAtLength(writer, 'A summary.');
			return;
		}

		const rounds = doings[Number(number) % doings.length] ?? [];
		const round = rounds[rest.filter(({role}) => role === 'assistant').length];
		if (round) {
			for (const [name, args] of round(JSON.stringify(rest))) {
				writer.call(name, args);
			}

			writer.finish();
		} else {
			sayAtLength(writer, `ended ${number}`);
			ended = Number(number);
		}
	});
	return {baseUrl: `${origin}/v1`, ended: () => ended};
}

/** Turns of a session, until the next one begins. */
const sessionTurns = 20;

/** What is kept for the user: sessions, and the contents that /undo restores, for 30 days. */
const kept = ['sessions', 'changes', 'prompt-history.jsonl'];

const soakedApp: Fault = {
	name: 'eight hours of the app with calls, compactions, an MCP server, jobs, sub-agents, a followed log and new sessions: nothing of it grows',
	rules: [],
	amounts: {test: 80, full: 20_000},
	async run({amount}) {
		const tally = createTally();
		const root = folderWith();
		const [home = '', folder = '', temporary = ''] = ['home', 'work', 'tmp'].map(name => join(root, name));
		for (const path of [home, folder, temporary]) {
			mkdirSync(path, {mode: 0o700});
		}

		writeFileSync(join(folder, 'a.ts'), 'export const a = 1;\n');
		const servers = {soak: {command: process.execPath, args: [mcpServer]}};
		writeFileSync(join(home, 'mcp.json'), JSON.stringify({mcpServers: servers}), {mode: 0o600});
		const model = await startModel();
		const socket = join(root, 'probe');
		const terminal = startTerminal({
			...{home, folder, columns: 100, rows: 40},
			env: {TMPDIR: temporary, SERVICE_PROBE: socket, CUSTOM_BASE_URL: model.baseUrl, CUSTOM_API_KEY: apiKey},
			shell: {file: process.execPath, args: [...probed, program]},
			args: ['--model', 'custom/m', '--approve', 'all', '--trust', '--allow', 'mcp(soak:ok)'],
		});
		await terminal.waitFor(/y {2}Yes/);
		terminal.type('y');
		await waitForIdle(terminal);
		const {pass, count} = await openProbe(socket);
		const isShown = (text: string | RegExp) => () => {
			const shown = terminal.screen().join('\n');
			return typeof text === 'string' ? shown.includes(text) : text.test(shown);
		};
		const isIdle = () => terminal.status().includes('○ idle');
		const type = (line: string, shown: () => boolean) => {
			terminal.type(`${line}\r`);
			return terminal.waitFor(() => shown() && isIdle());
		};
		await type('/env create web-shop', isShown(/┄┄ web-shop [0-9a-f]{8} · live/));
		const [, environment = ''] = /environment:? +([0-9a-f]{8})/.exec(terminal.text()) ?? [];
		const samples: Sample[] = [];
		for (let turn = 0; turn < amount; turn += 1) {
			await type(`turn ${turn}`, () => model.ended() === turn && isShown(`ended ${turn}`)());
			await pass(eightHoursMs / 20_000);
			const place = turn % sessionTurns;
			if (place === sessionTurns / 2) {
				await type('/compact', isShown('Compacted.'));
			} else if (place === sessionTurns - 1) {
				await type('/logs close', () => !isShown('┄┄ web-shop')());
				await type('/clear', () => !isShown(`ended ${turn}`)());
				await type(`/env logs ${environment}`, isShown(/┄┄ web-shop [0-9a-f]{8} · live/));
				samples.push(await count({'the state folder': home, 'the temporary folder': temporary}, kept));
			}
		}

		await quit(terminal);
		tally.add(amount, growthOf(samples, sessionTurns, 1000));
		return tally.figure();
	},
};

/** Turns of a server after which it is asked what it holds. */
const roundTurns = 10;

/** What clients ask of a server, in turn: whoever comes, logs in, follows a log, breaks off or is refused. */
async function startClients(url: string, key: string, location: DatabaseLocation) {
	const database = await openDatabase(location);
	onTestFinished(() => database.destroy());
	const {id: userId} = await database.selectFrom('users').select('id').executeTakeFirstOrThrow();
	const follower = createFollower(key, () => [url]);
	const followed = await follower.create();
	if (!followed) {
		throw new Error('No environment was created.');
	}

	const bearer = {authorization: `Bearer ${key}`};
	const ask = async (path: string, {headers = {}, ...init}: RequestInit = {}) => {
		const response = await fetch(`${url}${path}`, {...init, headers: {...bearer, ...Object(headers)}});
		const answer = await response.text();
		if (response.status >= 500) {
			throw new Error(`${path}: ${response.status} ${answer}`);
		}

		return answer;
	};
	const post = (path: string, body: object) =>
		ask(path, {method: 'POST', headers: {'content-type': 'application/json'}, body: JSON.stringify(body)});
	const form = async (path: string, fields: Record<string, string>) => {
		const response = await fetch(`${url}${path}`, {method: 'POST', body: new URLSearchParams({...client, ...fields})});
		const answer = await response.text();
		if (!response.ok) {
			throw new Error(`${path}: ${response.status} ${answer}`);
		}

		return JSON.parse(answer || '{}');
	};
	const logs = `/api/v1/org/acme/ws/main/environments/${followed.id}/logs`;
	const acts: ReadonlyArray<(turn: number) => Promise<unknown>> = [
		() => ask('/api/v1/user/preferences?org=acme'),
		async turn => {
			const {id} = JSON.parse(await post('/api/v1/user/api-keys', {name: `key ${turn}`}));
			await ask(`/api/v1/user/api-keys/${id}`, {method: 'DELETE'});
		},
		turn =>
			post(
				'/api/v1/org/acme/otel/traces',
				toRequest([{id: turn.toString(16), trace: turn.toString(16)}], {'service.workspace': 'main'}),
			),
		async () => {
			const newcomers = [0, 1, 2].map(() => ({...followed, text: '', after: 0}));
			await Promise.all(newcomers.map(each => follower.poll(each)));
			await Promise.all(newcomers.map(each => follower.poll(each)));
		},
		async () => {
			const {device_code: deviceCode, user_code: userCode} = await form('/oauth/device_authorization', {});
			await approve({database, owner: {id: userId, key}}, userCode);
			const tokens = await form('/oauth/token', {grant_type: deviceGrant, device_code: deviceCode});
			await ask('/api/v1/user/api-keys', {headers: {authorization: `Bearer ${tokens.access_token}`}});
			const renewed = await form('/oauth/token', {grant_type: 'refresh_token', refresh_token: tokens.refresh_token});
			await form('/oauth/revoke', {token: renewed.refresh_token});
		},
		turn =>
			ask('/api/v1/user/api-keys', {headers: {authorization: `Bearer svc_${turn}`, 'user-agent': `client ${turn}`}}),
		turn => ask(`/api/v1/org/org-${turn}/ws/${turn}/environments?limit=${turn}`),
		turn => ask('/api/v1/user/api-keys', {method: 'POST', body: `{"name": ${turn}`}),
		async () => {
			const signal = AbortSignal.timeout(3);
			await Promise.all(
				[0, 1, 2].map(() =>
					fetch(`${url}${logs}?after=0`, {headers: bearer, signal}).then(
						response => response.text(),
						() => undefined,
					),
				),
			);
		},
		async () => {
			const {hostname, port} = new URL(url);
			for (const piece of ['', 'GET /', 'POST /api/v1/user/api-keys HTTP/1.1\r\ncontent-length: 9\r\n\r\n{']) {
				const socket = connect(Number(port), hostname).on('error', () => undefined);
				await once(socket, 'connect');
				socket.write(piece);
				socket.destroy();
			}
		},
	];
	return {
		act: (turn: number) => acts[turn % acts.length]?.(turn),
		/** Ends the sandbox, which would outlive its server. */
		close: () =>
			until('an end', async () => {
				await (followed.ended === null && follower.stop(followed));
				await follower.poll(followed);
				return followed.ended !== null;
			}),
	};
}

const soakedServer: Fault = {
	name: 'eight hours of a server with logins, keys, spans, followed logs, refusals and clients that break off: nothing of it grows',
	rules: [],
	amounts: {test: 150, full: 5000},
	lacks: bubblewrap,
	async run({amount}) {
		const tally = createTally();
		const data = newDataFolder();
		mkdirSync(data);
		const location = {engine: 'sqlite', file: join(data, 'service.db')} as const;
		const key = await initializeServing(data, location);
		const socket = join(folderWith(), 'probe');
		const serving = createServing(data, undefined, {flags: probed, env: {SERVICE_PROBE: socket}});
		await serving.start();
		await addWriter(data);
		const {pass, count} = await openProbe(socket);
		const {act, close} = await startClients(serving.url(), key, location);
		const samples: Sample[] = [];
		for (let turn = 0; turn < amount; turn += 1) {
			await tally.attempt(`turn ${turn}`, () => act(turn));
			if (turn % roundTurns === roundTurns - 1) {
				await pass((roundTurns * eightHoursMs) / 5000);
				samples.push(await count({'the data folder': data}));
			}
		}

		await close();
		await serving.kill();
		tally.add(0, growthOf(samples, roundTurns, 1000));
		return tally.figure();
	},
};

export const soaks: readonly Fault[] = [soakedApp, soakedServer];
