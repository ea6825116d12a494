import {createHash, randomBytes} from 'node:crypto';
import {once} from 'node:events';
import {createServer} from 'node:http';
import {expect, onTestFinished, test} from 'vitest';
import {forwardHeader, forwardPurpose, signForward} from '../../../src/server/forward/forward-signature.ts';
import {inWorkspace} from '../harness.ts';
import {onAnotherMachine} from '../sandboxes/machines.ts';
import {ask, sendBytes, serveMachine, withServices} from '../service-proxy/proxied.ts';

/** A sandbox on the machine of one server, and another server of another machine on the same database. */
async function onTwoMachines() {
	const made = await withServices();
	const own = await serveMachine(made.server.services);
	const other = await serveMachine(onAnotherMachine(made.server));
	const machine = await made.server.services.sandboxes.provider.machine();
	const logs = `${inWorkspace}/environments/${made.id}/logs`;
	return {...made, own, other, machine, logs};
}

test('any server answers for the sandbox of another machine: log, services, WebSocket and stop', async () => {
	const {own, other, key, logs, base, id, server} = await onTwoMachines();
	const far = await ask(other.url, logs, {headers: key});
	const near = await ask(own.url, logs, {headers: key});
	expect([far.status, far.body]).toEqual([200, near.body]);
	for (const name of ['etag', 'x-log-offset', 'x-log-start', 'content-type']) {
		expect([name, far.headers[name]]).toEqual([name, near.headers[name]]);
	}

	const tag = String(far.headers.etag);
	expect((await ask(other.url, logs, {headers: {...key, 'if-none-match': tag}})).status).toBe(304);
	expect((await ask(other.url, `${logs}?after=x`, {headers: key})).status).toBe(422);

	const body = randomBytes(2 * 1024 * 1024);
	const cookie = 'theirs=1';
	const echoed = await ask(other.url, `${base}/path?x=1`, {method: 'POST', body, headers: {...key, cookie}});
	expect([echoed.status, JSON.parse(echoed.body)]).toMatchObject([
		200,
		{method: 'POST', url: '/path?x=1', sha256: createHash('sha256').update(body).digest('hex')},
	]);
	expect(echoed.body).toContain('theirs=1');
	expect(echoed.body).not.toMatch(/svc_|x-service|authorization/i);
	expect(echoed.headers['content-security-policy']).toContain('sandbox');

	const {host} = new URL(other.url);
	const lines = ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13'];
	const upgraded = await sendBytes(
		other.url,
		`GET ${base}/socket HTTP/1.1\r\nHost: ${host}\r\nAuthorization: ${key.authorization}\r\n${lines.join('\r\n')}\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\nearly`,
		received => received.endsWith('helloearly'),
	);
	expect(upgraded).toContain('101 Switching Protocols');

	const stranger = await server.foundAnother();
	const member = await server.join('member');
	const stop = (authorization: string) =>
		ask(other.url, `${inWorkspace}/environments/${id}/stop`, {method: 'POST', headers: {authorization}});
	expect((await stop(`Bearer ${stranger.key}`)).status).toBe(404);
	expect((await stop(`Bearer ${member.key}`)).status).toBe(403);
	const stopped = await stop(key.authorization);
	expect([stopped.status, JSON.parse(stopped.body).state]).toEqual([200, 'torn_down']);
	expect((await ask(other.url, logs, {headers: key})).headers['x-log-ended']).toBe('torn_down');
});

test('[28] forged, replayed and misdirected requests are refused, and none goes in circles', async () => {
	const {own, other, logs, base, server, machine, id, key} = await onTwoMachines();
	const seal = server.services.seal.derive(forwardPurpose);
	const caller = {userId: server.owner.id, apiKeyId: null};
	const sign = (target: string, to = own.id, method = 'GET') =>
		signForward(seal, {to, method, target, caller}, server.services.now());
	const send = async (target: string, signed: string, url = own.url) =>
		(await ask(url, target, {headers: {[forwardHeader]: signed}})).status;
	for (const target of [logs, `${base}/echo`]) {
		const signed = sign(target);
		expect(await send(target, signed)).toBe(200);
		expect(await send(target, signed)).toBe(403);
		expect(await send(target, sign(`${target}?x`))).toBe(403);
		expect(await send(target, sign(target, own.id, 'POST'))).toBe(403);
		expect(await send(target, sign(target, other.id))).toBe(403);
		expect(await send(target, 'forged.forged')).toBe(403);
		// The server of another machine passes none on.
		expect(await send(target, sign(target, other.id), other.url)).toBe(502);
	}

	// A suspended user is refused, whoever signs.
	await server.database.updateTable('users').set({suspended_at: server.services.now().toISOString()}).execute();
	expect(await send(logs, sign(logs))).toBe(401);
	await server.database.updateTable('users').set({suspended_at: null}).execute();

	// A row that leads a server to itself ends there.
	await server.database
		.updateTable('machines')
		.set({held_by: other.id, address: other.url})
		.where('id', '=', machine)
		.execute();
	for (const target of [logs, `${base}/echo`]) {
		expect([target, (await ask(other.url, target, {headers: key})).status]).toEqual([target, 502]);
	}

	expect(id).toBe(base.split('/')[2]);
});

test('a machine whose server is away answers 503 with the time to try again', async () => {
	const {own, other, logs, base, server, machine, key} = await onTwoMachines();
	const change = (set: Readonly<Record<string, string | null>>) =>
		server.database.updateTable('machines').set(set).where('id', '=', machine).execute();
	const answers = async () => {
		const all = await Promise.all([logs, `${base}/echo`].map(target => ask(other.url, target, {headers: key})));
		return all.map(({status, headers, body}) => [status, headers['retry-after'], JSON.parse(body).detail]);
	};
	const away = (reason: string) =>
		Array(2).fill([503, '5', `The sandbox is on another machine, and ${reason}. Try again in a few seconds.`]);
	await change({host: 'elsewhere'});
	expect(await answers()).toEqual(away('its server can be reached on elsewhere alone; start it with --address'));
	await change({host: server.services.sandboxes.host, address: null});
	expect(await answers()).toEqual(away('its server is too old to be asked'));
	await change({address: own.url});
	await own.close();
	expect(await answers()).toEqual(away('its server does not answer'));
	await change({held_by: null});
	expect(await answers()).toEqual(away('no server of that machine runs'));
});

test('a server that is lost while it answers leaves it open whether that took effect', async () => {
	const {other, server, machine, id, key} = await onTwoMachines();
	const broken = createServer(({socket}) => socket.destroy()).listen(0, '127.0.0.1');
	onTestFinished(() => void broken.close());
	await once(broken, 'listening');
	const address = broken.address();
	const port = typeof address === 'object' ? address?.port : 0;
	await server.database
		.updateTable('machines')
		.set({address: `http://127.0.0.1:${port}`})
		.where('id', '=', machine)
		.execute();
	const {status, body} = await ask(other.url, `${inWorkspace}/environments/${id}/stop`, {method: 'POST', headers: key});
	expect([status, JSON.parse(body).detail]).toEqual([
		502,
		'The server of the sandbox’s machine was lost. Check whether it took effect before you try again.',
	]);
});
