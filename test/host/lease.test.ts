import {randomUUID} from 'node:crypto';
import {existsSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import type {HostClient} from '../../src/link/host-client.ts';
import type {SeatRole} from '../../src/link/protocol.ts';
import {openHost} from './open-host.ts';

/** A host with a session, and terminals that attach to it. */
async function openSession() {
	const {host, connect, folder} = await openHost();
	const owner = await connect();
	const {session} = await owner.request('_service/begin', {key: randomUUID()});
	return {
		folder,
		pack: async () => owner.request('_service/handoff_pack', {session, secrets: false}),
		listing: () => host.list()[0],
		async attach(user: string, {role = 'driver', ...options}: {role?: SeatRole; terminal?: string} = {}) {
			const client = await connect({user, ...options});
			await client.request('_service/attach', {session, role, seq: -1});
			return client;
		},
		drive: async (client: HostClient, how: 'ask' | 'give' | 'take') =>
			client.request('_service/drive', {session, key: randomUUID(), how}),
		act: async (client: HostClient, verb: string, args?: object) =>
			client.request('_service/act', {session, key: randomUUID(), verb, ...(args && {args: args as never})}),
	};
}

test('[33] the lease is given to a terminal that can drive, not to one that asked for it and is gone or only watches', async () => {
	const {attach, drive, listing} = await openSession();
	const ann = await attach('ann');
	const bob = await attach('bob');
	await attach('cleo');
	await drive(bob, 'ask');
	bob.close();
	await expect.poll(() => listing()?.terminals).toEqual(['ann@there', 'cleo@there']);
	expect(await drive(ann, 'give')).toEqual({text: 'cleo@there drives now.'});

	const terminal = randomUUID();
	const dan = await attach('dan', {terminal});
	await drive(dan, 'take');
	await drive(ann, 'ask');
	ann.close();
	await expect.poll(() => listing()?.terminals).toHaveLength(2);
	await attach('dan', {terminal, role: 'observer'});
	expect(listing()?.driver).toBeUndefined();
});

test('[33] a question of a command ends with the lease of the terminal that runs it', async () => {
	const {attach, drive, act, listing} = await openSession();
	const ann = await attach('ann');
	const asked = act(ann, 'mode', {mode: 'all'});
	asked.catch(() => undefined);
	await expect.poll(() => listing()).toMatchObject({state: 'waiting', questions: 1});
	// Its process is killed: it may come back, until another terminal drives.
	ann.close();
	await expect.poll(() => listing()?.terminals).toEqual([]);
	expect(listing()).toMatchObject({state: 'waiting', questions: 1});
	const bob = await attach('bob');
	await expect.poll(() => listing()).toMatchObject({state: 'idle', questions: 0, driver: 'bob@there'});

	const again = act(bob, 'mode', {mode: 'all'});
	await expect.poll(() => listing()).toMatchObject({questions: 1});
	await drive(await attach('cleo'), 'take');
	expect(await again).toEqual({});
	expect(listing()).toMatchObject({state: 'idle', questions: 0, driver: 'cleo@there'});
});

test('[33] a session is not idle while a command of the user runs, so that it is not handed over in the middle', async () => {
	const {attach, act, listing, pack, folder} = await openSession();
	const ann = await attach('ann');
	await act(ann, 'rename', {title: 'Named'});
	expect(listing()).toMatchObject({state: 'idle'});
	const running = act(ann, 'shell', {command: 'touch begun; until [ -e end ]; do sleep 0.05; done'});
	await expect.poll(() => existsSync(join(folder, 'begun'))).toBe(true);
	expect(listing()).toMatchObject({state: 'running'});
	await expect(pack()).rejects.toMatchObject({message: 'The agent works.'});
	writeFileSync(join(folder, 'end'), '');
	await running;
	expect(listing()).toMatchObject({state: 'idle'});
});
