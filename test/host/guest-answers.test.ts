import {randomUUID} from 'node:crypto';
import {existsSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {shownMs} from '../../src/host/questions.ts';
import type {HostClient, HostMessage} from '../../src/link/host-client.ts';
import {openHost} from './open-host.ts';

type Asked = Extract<HostMessage, {readonly method: '_service/question'}>['params'];

/** Attaches to a session as a driver. Returns the questions that come, and what is known once all is there. */
async function attach(client: HostClient, session: string) {
	const asked: Asked[] = [];
	const caughtUp = new Promise<readonly string[]>(resolve => {
		client.onMessage(({method, params}) => {
			if (method === '_service/question') {
				asked.push(params);
			} else if (method === '_service/caught_up') {
				resolve(params.questions);
			}
		});
	});
	await client.request('_service/attach', {session, role: 'driver', seq: -1});
	return {asked, waiting: await caughtUp};
}

test('[34] a guest who drives is not asked for the mode, which is kept for the folder', async () => {
	let shared: string | undefined;
	const {connect} = await openHost({
		way: open => ({
			rank: 'owner',
			environment: (open as {environment: Record<string, string>}).environment,
			...(shared && {rank: 'driver', isGuest: true, way: 'link', who: 'guest'}),
		}),
	});
	const owner = await connect();
	const {session} = await owner.request('_service/begin', {key: randomUUID(), mode: 'all'});
	const ofOwner = await attach(owner, session);
	expect(ofOwner.asked.map(({kind}) => kind)).toEqual(['agree']);
	shared = session;
	const guest = await connect();
	expect((await attach(guest, session)).waiting).toEqual([]);
	const question = ofOwner.waiting[0] ?? '';
	const answer = guest.request('_service/answer', {session, key: randomUUID(), question, value: true});
	await expect(answer).rejects.toThrow('waits no more');
});

test('[4] a yes of a terminal that names no hash is none, whoever it says that decided', async () => {
	const clock = {now: 0};
	const {connect, model, folder} = await openHost({now: () => clock.now});
	model.answerWith(
		({call, finish}) => {
			call('write_file', {path: 'new.txt', content: 'new\n'});
			finish();
		},
		({say, finish}) => {
			say('Not written.');
			finish();
		},
	);
	const owner = await connect();
	const {session} = await owner.request('_service/begin', {key: randomUUID(), model: 'custom/alpha'});
	const {asked} = await attach(owner, session);
	const sent = owner.request('_service/act', {session, key: randomUUID(), verb: 'send', args: {text: 'Write it'}});
	await expect.poll(() => asked.map(({kind}) => kind)).toEqual(['approval']);
	const question = asked[0]?.id ?? '';
	await owner.request('_service/painted', {session, question});
	clock.now += shownMs;
	const value = {allowed: true, by: 'flag', notice: 'Allowed by a flag.'};
	await owner.request('_service/answer', {session, key: randomUUID(), question, value});
	await sent;
	expect(existsSync(join(folder, 'new.txt'))).toBe(false);
});
