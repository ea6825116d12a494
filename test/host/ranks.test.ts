import {randomUUID} from 'node:crypto';
import {expect, test} from 'vitest';
import {mayDo, type RequestMethod, type RequestParams, ranks, requests} from '../../src/link/protocol.ts';
import {openHost} from './open-host.ts';

/** Parameters of each request that its schema takes. */
function paramsOf(session: string): {readonly [Method in RequestMethod]: RequestParams<Method>} {
	const clone = {remotes: ['example.com/a'], commit: 'a'.repeat(40), branch: 'main'};
	return {
		'_service/hello': {protocol: 1, version: '0.0.0', terminal: randomUUID(), person: {user: 'ann', machine: 'there'}},
		'_service/ping': {},
		'_service/list': {},
		'_service/attach': {session, role: 'driver', seq: -1},
		'_service/act': {session, key: randomUUID(), verb: 'rename', args: {title: 'Renamed'}},
		'_service/answer': {session, key: randomUUID(), question: randomUUID()},
		'_service/painted': {session, question: 'q'},
		'_service/drive': {session, key: randomUUID(), how: 'take'},
		'_service/detach': {session},
		'_service/begin': {key: randomUUID()},
		'_service/share': {key: randomUUID(), session, role: 'observer', for_ms: 60_000},
		'_service/shares': {},
		'_service/unshare': {id: 'none'},
		'_service/handoff_find': {...clone, below: ''},
		'_service/handoff_offer': {key: randomUUID(), packed: {...clone, below: '', changes: []}},
		'_service/handoff_accept': {key: randomUUID(), records: []},
		'_service/handoff_ask': {key: randomUUID()},
		'_service/handoff_pack': {session, secrets: false},
		'_service/handoff_give': {key: randomUUID(), session, secrets: false, hash: ''},
		'_service/handoff_settle': {key: randomUUID(), session, taken: false},
		'_service/drain': {},
		'_service/end': {session},
	};
}

/** Returns what came of a request: the code of its error, or that it was done. */
const outcome = (request: Promise<unknown>) =>
	request.then(
		() => 'done',
		(error: {code?: string}) => error.code ?? String(error),
	);

test('[33] each request is refused below the rank that the table says, whichever way in', async () => {
	const {host, connect, drained} = await openHost();
	const owner = await connect();
	const {session} = await owner.request('_service/begin', {key: randomUUID()});
	await owner.request('_service/attach', {session, role: 'driver', seq: -1});
	for (const rank of ranks.filter(each => each !== 'owner')) {
		const client = await connect({rank});
		const params = paramsOf(session);
		for (const method of Object.keys(params) as RequestMethod[]) {
			const isAllowed = mayDo(rank, requests[method].needs);
			const came = await outcome(client.request(method, params[method] as never));
			expect(`${rank} ${method}: ${came === 'auth' ? 'refused' : 'passed'}`).toBe(
				`${rank} ${method}: ${isAllowed ? 'passed' : 'refused'}`,
			);
		}
	}

	expect(host.list().map(({id, state}) => ({id, state}))).toEqual([{id: session, state: 'idle'}]);
	await owner.request('_service/drain', {});
	await drained;
});

test('[33] an observer gets no lease and no question, whatever role it asks for', async () => {
	const {connect} = await openHost();
	const owner = await connect();
	const {session} = await owner.request('_service/begin', {key: randomUUID()});
	const observer = await connect({rank: 'observer', user: 'bob'});
	await observer.request('_service/attach', {session, role: 'driver', seq: -1});
	const [listing] = (await owner.request('_service/list', {})).sessions;
	expect(listing?.terminals).toEqual(['bob@there (watches)']);
	expect(listing?.driver).toBeUndefined();
});

test('[33] a way in that reaches one session knows no other, and loses it when another one replaces it', async () => {
	let shared = '';
	const {host, connect} = await openHost({
		way: open => ({
			rank: 'owner',
			environment: (open as {environment: Record<string, string>}).environment,
			...(shared && {rank: 'observer', who: 'guest', reaches: ({id}: {id: string}) => id === shared}),
		}),
	});
	const owner = await connect();
	const begin = async () => (await owner.request('_service/begin', {key: randomUUID()})).session;
	const [one, other] = [await begin(), await begin()];
	shared = one;
	const guest = await connect({user: 'nobody'});
	expect((await guest.request('_service/list', {})).sessions.map(({id}) => id)).toEqual([one]);
	expect(await outcome(guest.request('_service/attach', {session: other, role: 'observer', seq: -1}))).toBe(
		'not-found',
	);
	const ended: unknown[] = [];
	guest.onMessage(({method}) => method === '_service/ended' && ended.push(method));
	await guest.request('_service/attach', {session: one, role: 'observer', seq: -1});
	expect(host.list().find(({id}) => id === one)?.terminals).toEqual(['guest (watches)']);

	await owner.request('_service/attach', {session: one, role: 'driver', seq: -1});
	await owner.request('_service/act', {session: one, key: randomUUID(), verb: 'new'});
	await expect.poll(() => ended).toHaveLength(1);
	expect((await guest.request('_service/list', {})).sessions).toEqual([]);
});
