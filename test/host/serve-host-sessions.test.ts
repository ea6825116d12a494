import {randomUUID} from 'node:crypto';
import {existsSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {WebSocket} from 'ws';
import type {HostClient} from '../../src/link/host-client.ts';
import {maxMessageBytes} from '../../src/net/web-socket/message-stream.ts';
import {apiKey, quit} from '../e2e/chat.ts';
import {startModelHost} from '../e2e/model-host.ts';
import {folderWith, type Place, runProgram, startProgram} from '../e2e/program.ts';
import {startTerminal} from '../e2e/terminal.ts';
import {freePort} from '../free-port.ts';
import {nginx, startNginx} from '../server/nginx.ts';
import {createBrowser} from '../server/pages/browser.ts';
import {askForPass, openLink, serveUsers} from './serving-users.ts';

/** Returns what came of a request: the code of its error, or that it was done. */
const outcome = (request: Promise<unknown>) =>
	request.then(
		() => 'done',
		(error: {code?: string}) => error.code ?? String(error),
	);

/** Resolves with why a client ended for good. */
const ended = (client: HostClient) =>
	new Promise<string>(resolve => client.onState((state, why) => state === 'closed' && resolve(why?.code ?? 'closed')));

/** Sends a handshake with these headers. Returns the status of its answer, 101 for one that is accepted. */
function handshake(url: string, headers: Record<string, string>, path = '/host/link') {
	return new Promise<{status: number; socket: WebSocket}>((resolve, reject) => {
		const socket = new WebSocket(`${url.replace('http', 'ws')}${path}`, {headers});
		socket.on('open', () => resolve({status: 101, socket}));
		socket.on('unexpected-response', (request, answer) => {
			resolve({status: answer.statusCode ?? 0, socket});
			request.destroy();
		});
		socket.on('error', reject);
	});
}

test('[34] a session of a server belongs to the user who began it: nobody else lists, attaches, resumes or ends it', async () => {
	const served = await serveUsers();
	const {ann, folder, data, model} = served;
	const bob = await served.join('bob@acme.example');
	model.answerWith(({say, finish}) => {
		say('Only for Ann.');
		finish();
	});
	const [hers, his] = [await served.connect(ann), await served.connect(bob)];
	const {session} = await hers.request('_service/begin', {key: randomUUID(), model: 'custom/alpha', prompt: 'Hello'});
	await expect.poll(() => existsSync(join(data, 'hosted', ann.id, 'sessions'))).toBe(true);
	expect(hers.welcome().folders).toEqual([folder]);
	expect((await his.request('_service/list', {})).sessions).toEqual([]);
	expect(await outcome(his.request('_service/attach', {session, role: 'driver', seq: -1}))).toBe('not-found');
	expect(await outcome(his.request('_service/end', {session}))).toBe('not-found');
	expect(await outcome(his.request('_service/begin', {key: randomUUID(), resume: session}))).toBe('not-found');
	expect(
		await outcome(his.request('_service/share', {key: randomUUID(), session, role: 'driver', for_ms: 60_000})),
	).toBe('not-found');
	const attached = await hers.request('_service/attach', {session, role: 'driver', seq: -1});
	expect(attached.folder).toBe(folder);
	const [listing] = (await hers.request('_service/list', {})).sessions;
	expect(listing?.driver).toBe('ann@acme.example');
	expect(existsSync(join(data, 'hosted', bob.id, 'sessions'))).toBe(false);
	// What a terminal says of its environment counts for nothing, and neither does what is the server's own.
	expect(served.environments.at(-1)).toMatchObject({SERVICE_HOME: join(data, 'hosted', ann.id)});
	expect(served.environments.at(-1)).not.toHaveProperty('PGPASSWORD');
	expect(await outcome(hers.request('_service/begin', {key: randomUUID(), folder: '/'}))).toBe('usage');
});

test('[34] a suspended user and a revoked key are cut off, and what a suspended user ran ends', async () => {
	const served = await serveUsers();
	const {ann, services} = served;
	const bob = await served.join('bob@acme.example');
	const client = await served.connect(bob);
	const {session} = await client.request('_service/begin', {key: randomUUID(), model: 'custom/alpha'});
	const {link} = await client.request('_service/share', {key: randomUUID(), session, role: 'observer', for_ms: 60_000});
	const {pass} = await openLink(link);
	const guest = await served.connectWith(pass);
	const [wasEnded, guestEnded] = [ended(client), ended(guest)];
	await services.database
		.updateTable('users')
		.set({suspended_at: services.now().toISOString()})
		.where('id', '=', bob.id)
		.execute();
	expect(await Promise.all([wasEnded, guestEnded])).toEqual(['auth', 'auth']);
	expect((await askForPass(served.url, bob.key)).status).toBe(401);

	const hers = await served.connect(ann);
	const began = await hers.request('_service/begin', {key: randomUUID(), model: 'custom/alpha'});
	const cut = ended(hers);
	await services.database
		.updateTable('api_keys')
		.set({revoked_at: services.now().toISOString()})
		.where('user_id', '=', ann.id)
		.execute();
	expect(await cut).toBe('auth');
	expect(began.session).toBeTruthy();
});

test('[34] only administrators host sessions, and the users that the operator names', async () => {
	const served = await serveUsers({users: ['carl@acme.example']});
	const [bob, carl] = [await served.join('bob@acme.example'), await served.join('Carl@acme.example')];
	const refused = await askForPass(served.url, bob.key);
	expect(refused.status).toBe(403);
	expect(refused.detail).toContain('--host-users');
	expect((await askForPass(served.url, carl.key)).status).toBe(200);
	expect((await askForPass(served.url, served.ann.key)).status).toBe(200);
	expect((await askForPass(served.url, 'svc_wrong')).status).toBe(401);
});

test('[34] a connection needs a pass and no page of another origin; whatever is sent on it, the server goes on', async () => {
	const served = await serveUsers();
	const {pass} = await askForPass(served.url, served.ann.key);
	const authorization = `Bearer ${pass}`;
	const statusOf = async (headers: Record<string, string>, path?: string) => {
		const {status, socket} = await handshake(served.url, headers, path);
		socket.on('error', () => undefined).terminate();
		return status;
	};
	expect(await statusOf({})).toBe(401);
	expect(await statusOf({authorization: `Bearer ${served.ann.key}`})).toBe(401);
	expect(await statusOf({authorization: `Bearer ${'x'.repeat(43)}`})).toBe(401);
	expect(await statusOf({authorization, origin: 'https://evil.example'})).toBe(403);
	expect(await statusOf({authorization, host: 'rebound.example'})).toBe(403);
	expect(await statusOf({authorization}, '/host/other')).toBe(401);
	expect(await statusOf({authorization})).toBe(101);

	const tooLong = await handshake(served.url, {authorization});
	const code = new Promise<number>(resolve => tooLong.socket.on('close', resolve));
	tooLong.socket.send(Buffer.alloc(maxMessageBytes + 1));
	expect(await code).toBe(1009);
	for (const text of [
		'\n\n{}\n',
		'[]\n',
		'{"method":"_service/hello","id":1}\n',
		'\u0000'.repeat(1000),
		'{"id":1,"result":{}}\n',
	]) {
		const {socket} = await handshake(served.url, {authorization});
		socket.send(text);
		socket.close();
	}

	const client = await served.connect(served.ann);
	expect((await client.request('_service/list', {})).sessions).toEqual([]);
});

test('[34] a link opens one session once, for what its role may, until it is revoked; the audit log says so', async () => {
	const served = await serveUsers();
	const owner = await served.connect(served.ann, {terminal: 'hers'});
	const begin = async () => (await owner.request('_service/begin', {key: randomUUID(), model: 'custom/alpha'})).session;
	const [session, other] = [await begin(), await begin()];
	await owner.request('_service/attach', {session, role: 'driver', seq: -1});
	const share = (role: 'driver' | 'observer') =>
		owner.request('_service/share', {key: randomUUID(), session, role, for_ms: 60_000});
	const [watching, driving] = [await share('observer'), await share('driver')];
	const first = await openLink(watching.link);
	expect(first.status).toBe(200);
	expect((await openLink(watching.link)).status).toBe(401);
	expect((await openLink(`${served.url}/join/${'x'.repeat(27)}`)).status).toBe(401);

	const observer = await served.connectWith(first.pass);
	const driver = await served.connectWith((await openLink(driving.link)).pass);
	for (const guest of [observer, driver]) {
		expect((await guest.request('_service/list', {})).sessions.map(({id}) => id)).toEqual([session]);
		expect(await outcome(guest.request('_service/attach', {session: other, role: 'observer', seq: -1}))).toBe(
			'not-found',
		);
		for (const refused of [
			guest.request('_service/begin', {key: randomUUID()}),
			guest.request('_service/end', {session}),
			guest.request('_service/drain', {}),
			guest.request('_service/share', {key: randomUUID(), session, role: 'driver', for_ms: 60_000}),
			guest.request('_service/shares', {}),
			guest.request('_service/unshare', {id: driving.id}),
		]) {
			expect(await outcome(refused)).toBe('auth');
		}
	}

	await observer.request('_service/attach', {session, role: 'driver', seq: -1});
	await driver.request('_service/attach', {session, role: 'driver', seq: -1});
	const act = (by: HostClient, verb: string, args = {}) =>
		outcome(by.request('_service/act', {session, key: randomUUID(), verb, args}));
	expect(await act(observer, 'send', {text: 'Hi'})).toBe('auth');
	expect(await outcome(driver.request('_service/drive', {session, key: randomUUID(), how: 'take'}))).toBe('done');
	for (const [verb, args] of [
		['shell', {command: 'id'}],
		['mode', {mode: 'all'}],
		['new', {}],
		['fork', {}],
		['model', {model: null}],
		['command', {path: 'keys list', values: {}, exact: false}],
	] as const) {
		expect(`${verb}: ${await act(driver, verb, args)}`).toBe(`${verb}: auth`);
	}

	expect(await act(driver, 'send', {text: 'Hello'})).toBe('done');
	// Nobody takes the place of another terminal by calling themselves so.
	const thief = served.connectWith(first.pass, {terminal: 'hers'});
	expect(await outcome(thief)).toBe('auth');

	const cut = ended(driver);
	await owner.request('_service/unshare', {id: driving.id.slice(0, 6)});
	expect(await cut).toBe('auth');
	expect((await owner.request('_service/shares', {})).links.map(({id, used}) => ({id, used}))).toEqual([
		{id: watching.id, used: true},
	]);
	const acts = async () =>
		(await served.services.database.selectFrom('audit_log').select(['act', 'actor', 'subject']).execute())
			.filter(({act: each}) => each.startsWith('host.'))
			.map(({act: each, actor, subject}) => `${each} ${actor} ${subject === session}`)
			.sort();
	await expect
		.poll(acts)
		.toEqual(['join', 'join', 'share', 'share', 'unshare'].map(each => `host.${each} ann@acme.example true`));
});

/** Serves sessions in a folder as the program does, with a model that the test scripts. */
async function serveProgram() {
	const model = await startModelHost(['alpha']);
	const folder = folderWith({'a.txt': 'a'});
	const server: Place = {
		home: join(folderWith(), 'server'),
		folder,
		env: {CUSTOM_BASE_URL: model.baseUrl, CUSTOM_API_KEY: apiKey},
	};
	const made = await runProgram(['serve', 'init', '--json'], server);
	const serving = startProgram(['serve', '--port', '0', '--json', '--host-sessions', folder], server);
	await expect.poll(serving.written).toContain('"url"');
	const place: Place = {home: join(folderWith(), 'terminal'), folder: folderWith(), env: {}};
	return {url: JSON.parse(serving.written()).url, key: JSON.parse(made.stdout).api_key, folder, place};
}

test('a terminal attaches to a session of a server with the login of its profile', async () => {
	const {url, key, folder, place} = await serveProgram();
	const without = await runProgram(['attach', '--at', url], place);
	expect({status: without.status, said: without.stderr.includes('not logged in')}).toEqual({status: 4, said: true});
	const login = await runProgram(['login', key, '--server', url], place);
	expect(login.status).toBe(0);
	const terminal = startTerminal({...place, args: ['attach', '--at', url, '--new']});
	await terminal.waitFor('○ idle');
	terminal.type('Say hello\r');
	await terminal.waitFor('Hello from the host.');
	await terminal.waitFor(/○ idle .*context 150/);
	await quit(terminal);
	const {stdout} = await runProgram(['attach', '--at', url, '--json'], place);
	expect(JSON.parse(stdout)).toMatchObject([{about: 'Say hello', folder, state: 'idle'}]);
	const other = await runProgram(['attach', '--at', url, '--new', '--folder', '/'], place);
	expect(other.stderr).toContain('The host keeps no sessions in /.');
});

test('[34] a terminal that logged in by the browser attaches, and is cut off when that login ends', async () => {
	const {url, key, place} = await serveProgram();
	const login = startProgram(['login', '--server', url, '--json'], place);
	const shown = /[A-Z]{4}-[A-Z]{4}/;
	await expect.poll(() => shown.test(login.said())).toBe(true);
	const browser = createBrowser(request => fetch(request, {redirect: 'manual'}), url);
	await browser.open('/sign-in/key');
	await browser.submit('/sign-in/key', {api_key: key});
	await browser.open('/device');
	await browser.submit('/device', {user_code: shown.exec(login.said())?.[0] ?? ''});
	await browser.submit('/device/decision', {decision: 'approve'});
	expect((await login.ended).status).toBe(0);

	const terminal = startTerminal({...place, args: ['attach', '--at', url, '--new']});
	await terminal.waitFor('○ idle');
	terminal.type('Say hello\r');
	await terminal.waitFor('Hello from the host.');
	expect((await runProgram(['logout'], place)).status).toBe(0);
	await terminal.waitFor('gone');
	await quit(terminal);
	expect((await runProgram(['attach', '--at', url], place)).status).toBe(4);
});

test.skipIf(!nginx)('terminals reach sessions of a server through nginx, at a path of its own', async () => {
	const port = await freePort();
	const front = `http://127.0.0.1:${port}`;
	const served = await serveUsers({publicUrl: `${front}/agents`});
	await startNginx(
		`server { listen 127.0.0.1:${port};
			location /agents/ {
				proxy_pass ${served.url}/; proxy_http_version 1.1;
				proxy_set_header Host $host:${port};
				proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection "upgrade";
			} }`,
		port,
	);
	const url = `${front}/agents`;
	const client = await served.connect(served.ann, {url});
	const {session} = await client.request('_service/begin', {key: randomUUID(), model: 'custom/alpha'});
	const {link} = await client.request('_service/share', {
		key: randomUUID(),
		session,
		role: 'observer',
		for_ms: 60_000,
	});
	expect(link.startsWith(`${url}/join/`)).toBe(true);
	const {pass} = await openLink(link);
	const guest = await served.connectWith(pass, {url});
	expect((await guest.request('_service/attach', {session, role: 'observer', seq: -1})).session).toBe(session);
	const text = 'é'.repeat(maxMessageBytes);
	const sent = await outcome(
		client.request('_service/act', {session, key: randomUUID(), verb: 'rename', args: {title: text}}),
	);
	expect(sent).toBe('conflict');
});
