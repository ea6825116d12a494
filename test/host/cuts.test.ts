import {randomUUID} from 'node:crypto';
import {expect, test} from 'vitest';
import {replayTranscript} from '../../src/core/session/reduce-transcript.ts';
import {blocksOf} from '../../src/core/session/transcript.ts';
import type {HostClient} from '../../src/link/host-client.ts';
import {createRandom} from '../faults/fault.ts';
import {attachTerminal, savedRecords} from './attached-terminal.ts';
import {type Cut, cutAt} from './cut-pipes.ts';
import {openHost} from './open-host.ts';

const seed = 20_261_130;
const cuts = 100;

test(`after ${cuts} cuts at random bytes nothing is lost or doubled, on the screen or in the journal (seed ${seed})`, async () => {
	const random = createRandom(seed);
	const world = await openHost();
	world.model.answerWith(async ({say, finish}) => {
		for (let piece = 0; piece < 12; piece++) {
			say(`Piece ${piece} of an answer. `);
			await new Promise(resolve => setImmediate(resolve));
		}

		finish();
	});
	const planned: Cut[] = [];
	let connections = 0;
	const client = await world.connect({
		through(pipes) {
			connections++;
			return cutAt(pipes, planned);
		},
		wait: () => new Promise(resolve => setImmediate(resolve)),
	});
	const {session} = await client.request('_service/begin', {key: randomUUID(), model: 'custom/alpha'});
	const {remote, transcript, drawn} = await attachTerminal(client, session);
	const watcher = await attachTerminal(await world.connect({user: 'bob'}), session);

	let messages = 0;
	for (let done = 0; done < cuts; ) {
		// Those that follow the first one hit what comes back.
		const count = Math.min(cuts - done, 1 + random.below(3));
		for (let index = 0; index < count; index++) {
			const bytes = random.below(random.pick([10, 400, 6000]));
			planned.push({direction: random.pick(['in', 'in', 'out']), bytes});
		}

		done += count;
		await remote.conversation.send(`Message ${messages}`, 'user');
		messages++;
		// A cut that lies behind all of this run hits the next requests.
		while (planned.length > 0) {
			await client.measure(60_000);
			await new Promise(resolve => setImmediate(resolve));
		}
	}

	await expect.poll(() => world.host.list()[0]?.terminals).toHaveLength(2);
	// Both may still grow.
	await expect.poll(async () => (await savedRecords(world.env, session)).at(-1)?.seq === drawn().at(-1)).toBe(true);
	const records = await savedRecords(world.env, session);
	const all = records.map((_, index) => index);
	expect(records.map(({seq}) => seq)).toEqual(all);
	expect(drawn()).toEqual(all);
	expect(watcher.drawn()).toEqual(all);
	expect(records.flatMap(({event}) => (event.type === 'user-message' ? [event.text] : []))).toEqual(
		Array.from({length: messages}, (_, round) => `Message ${round}`),
	);
	expect(blocksOf(transcript())).toEqual(blocksOf(replayTranscript(session, [...records])));
	expect(connections).toBe(cuts + 1);
});

test.each([
	['is closed', 'before it had the transcript'],
	['ends with its session', 'The session ended'],
])('a terminal that %s between the answer and the transcript says so', async (end, why) => {
	const world = await openHost();
	const client = await world.connect();
	const {session} = await client.request('_service/begin', {key: randomUUID(), model: 'custom/alpha'});
	const {remote} = await attachTerminal(await world.connect(), session);
	await remote.act('rename', {title: 'Named'});
	const early: HostClient = {
		...client,
		// No record arrives.
		onMessage: listener => client.onMessage(message => void (message.method === '_service/ended' && listener(message))),
		async request(method, params) {
			const answer = await client.request(method, params);
			if (method === '_service/attach') {
				// What arrived before the answer is held until it is read.
				setImmediate(() => (end === 'is closed' ? client.close() : void client.request('_service/end', {session})));
			}

			return answer;
		},
	};
	await expect(attachTerminal(early, session)).rejects.toThrow(why);
});
