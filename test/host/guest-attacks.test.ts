import {randomUUID} from 'node:crypto';
import {expect, test} from 'vitest';
import type {Admission} from '../../src/host/admission.ts';
import {guestAdmission} from '../../src/host/share-access.ts';
import {createShares, shortestShareMs} from '../../src/host/shares.ts';
import type {HostClient, HostMessage} from '../../src/link/host-client.ts';
import {startModelHost} from '../e2e/model-host.ts';
import {openHost} from './open-host.ts';

type Asked = Extract<HostMessage, {readonly method: '_service/question'}>['params'];

/** Opens a host whose next connections come by a link, once one is given. */
async function openShared(models = ['alpha'], now?: () => number, onSessionEnded?: (id: string) => void) {
	const {baseUrl} = await startModelHost(models);
	let guest: Admission | undefined;
	const opened = await openHost({
		way(open) {
			const {environment} = open as {environment: Record<string, string>};
			return {rank: 'owner', environment: {...environment, CUSTOM_BASE_URL: baseUrl}, ...guest};
		},
		...(now && {now}),
		...(onSessionEnded && {onSessionEnded}),
	});
	return {
		...opened,
		comeBy(session: string, role: 'driver' | 'observer', id = 'one') {
			const {environment: _, ...admission} = guestAdmission({id, session, role, owner: undefined, endsAt: 0});
			guest = admission as Admission;
		},
	};
}

async function attach(client: HostClient, session: string) {
	const asked: Asked[] = [];
	client.onMessage(({method, params}) => void (method === '_service/question' && asked.push(params)));
	await client.request('_service/attach', {session, role: 'driver', seq: -1});
	return asked;
}

test('[34] a guest who sends much does not make an act of the owner happen twice', async () => {
	const {connect, comeBy} = await openShared();
	const owner = await connect();
	const begin = {key: randomUUID()};
	const {session} = await owner.request('_service/begin', begin);
	comeBy(session, 'driver');
	const guest = await connect();
	await attach(guest, session);
	for (let times = 0; times < 1100; times++) {
		await guest.request('_service/drive', {session, key: randomUUID(), how: 'take'});
	}

	expect((await owner.request('_service/begin', begin)).session).toBe(session);
});

test('[34] a guest gets no outcome of the owner, and takes none away, by the key of a request', async () => {
	const {connect, comeBy, host} = await openShared();
	const owner = await connect();
	const {session} = await owner.request('_service/begin', {key: randomUUID()});
	comeBy(session, 'driver');
	const guest = await connect();
	await attach(guest, session);
	const key = randomUUID();
	await guest.request('_service/drive', {session, key, how: 'take'});
	await owner.request('_service/begin', {key});
	expect(host.list()).toHaveLength(2);
});

test('[34] a guest who sends a message leaves the choice of the model to the owner', async () => {
	const {connect, comeBy} = await openShared(['alpha', 'beta']);
	const owner = await connect();
	const {session} = await owner.request('_service/begin', {key: randomUUID()});
	comeBy(session, 'driver');
	const guest = await connect();
	const ofGuest = await attach(guest, session);
	const ofOwner = await attach(owner, session);
	const act = {session, key: randomUUID(), verb: 'send', args: {text: 'Hi'}};
	guest.request('_service/act', act).catch(() => undefined);
	await expect.poll(() => [...ofGuest, ...ofOwner].map(({kind}) => kind)).toEqual(['choose']);
	expect(ofGuest).toEqual([]);
});

test('[34] a guest cannot fill the journal by attaching again and again', async () => {
	const clock = {now: 0};
	const {connect, comeBy} = await openShared(['alpha'], () => clock.now);
	const owner = await connect();
	const {session} = await owner.request('_service/begin', {key: randomUUID()});
	comeBy(session, 'observer');
	const attachTo = {session, role: 'observer', seq: -1} as const;
	for (let times = 0; times < 60; times++) {
		await (await connect()).request('_service/attach', attachTo);
	}

	const late = await connect();
	await expect(late.request('_service/attach', attachTo)).rejects.toThrow('used too often');
	await owner.request('_service/attach', {...attachTo, role: 'driver'});
	clock.now += 60_000;
	await late.request('_service/attach', attachTo);
});

test('[34] a link ends with its session, also if another one continues in its place', async () => {
	const shares = createShares();
	const {connect, comeBy} = await openShared(['alpha'], undefined, shares.endSession);
	const owner = await connect();
	const {session} = await owner.request('_service/begin', {key: randomUUID()});
	await attach(owner, session);
	const {code} = shares.create({session, role: 'driver', owner: undefined}, shortestShareMs);
	comeBy(session, 'driver');
	const guest = await connect();
	const methods: string[] = [];
	guest.onMessage(({method}) => void methods.push(method));
	await attach(guest, session);
	await owner.request('_service/act', {session, key: randomUUID(), verb: 'new'});
	expect(shares.join(code)).toBeUndefined();
	await expect.poll(() => methods).toContain('_service/ended');
});

test('[21] a host keeps no id of a terminal, and no key, that is as long as a file', async () => {
	const {connect} = await openShared();
	await expect(connect({terminal: 'x'.repeat(1000)})).rejects.toThrow('in a way that the host does not know');
	const owner = await connect();
	const begin = owner.request('_service/begin', {key: 'x'.repeat(1000)});
	await expect(begin).rejects.toThrow('in a way that the host does not know');
});
