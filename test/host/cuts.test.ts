import {randomUUID} from 'node:crypto';
import {readFileSync} from 'node:fs';
import {PassThrough, Transform} from 'node:stream';
import {expect, onTestFinished, test} from 'vitest';
import {parseJson} from '../../src/core/json.ts';
import {parseRecorded, type Recorded} from '../../src/core/session/event.ts';
import {replayTranscript} from '../../src/core/session/reduce-transcript.ts';
import {blocksOf} from '../../src/core/session/transcript.ts';
import {createRemoteSession} from '../../src/host/remote-session.ts';
import type {HostClient} from '../../src/link/host-client.ts';
import type {Pipes} from '../../src/link/json-lines.ts';
import {openHome} from '../../src/storage/home.ts';
import {sessionFiles} from '../../src/storage/session-folder.ts';
import {createAppStore} from '../../src/store/store.ts';
import {createRandom} from '../faults/fault.ts';
import {type OpenHost, openHost} from './open-host.ts';

/** Where the next connection is cut: after so many bytes in one direction. */
type Cut = {readonly direction: 'in' | 'out'; bytes: number};

/** Returns pipes that end both ways at the byte of the first of these cuts, as a network does, and removes it from them. */
function cutAt({input, output}: Pipes, planned: Cut[]): Pipes {
	let hasEnded = false;
	const end = () => {
		input.destroy();
		output.destroy();
		received.destroy();
	};
	const count = (direction: Cut['direction'], chunk: Buffer): Buffer => {
		const [cut] = planned;
		if (hasEnded || cut?.direction !== direction) {
			return hasEnded ? chunk.subarray(0, 0) : chunk;
		}

		const part = chunk.subarray(0, cut.bytes);
		cut.bytes -= part.length;
		if (part.length < chunk.length) {
			hasEnded = true;
			planned.shift();
			setImmediate(end);
		}

		return part;
	};
	const received = new PassThrough();
	const sent = new Transform({
		final(done) {
			output.end();
			done();
		},
		transform(chunk: Buffer, _encoding, done) {
			output.write(count('out', chunk));
			done();
		},
	});
	input.on('data', (chunk: Buffer) => {
		received.write(count('in', chunk));
	});
	input.on('error', () => undefined).on('close', () => received.destroy());
	output.on('error', () => undefined);
	return {input: received, output: sent};
}

/** A terminal that is attached, without a screen: its store has what a screen draws. */
async function attachTerminal(client: HostClient, session: string) {
	const store = createAppStore();
	/** The `seq` of all that was drawn, in order, since the transcript was last opened. */
	let drawn: number[] = [];
	const {applyRecords, openTranscript} = store.getState();
	store.setState({
		applyRecords(items) {
			drawn.push(...items.flatMap(item => ('seq' in item ? [item.seq] : [])));
			applyRecords(items);
		},
		openTranscript(transcript) {
			drawn = Array.from({length: transcript.seq + 1}, (_, seq) => seq);
			openTranscript(transcript);
		},
	});
	const remote = createRemoteSession({
		client,
		store,
		role: 'driver',
		onQuestion: () => undefined,
		onTold: () => undefined,
		onEnded: () => undefined,
	});
	onTestFinished(() => remote.close());
	await remote.open(session);
	return {remote, transcript: () => store.getState().transcript, drawn: () => drawn};
}

async function journal({env}: OpenHost, session: string): Promise<readonly Recorded[]> {
	const file = (await sessionFiles(openHome(env))).find(({id}) => id === session);
	const lines = file ? readFileSync(file.path, 'utf8').split('\n') : [];
	return lines.flatMap(line => parseRecorded(parseJson(line)) ?? []);
}

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
	await expect.poll(async () => (await journal(world, session)).at(-1)?.seq).toBe(drawn().at(-1));
	const records = await journal(world, session);
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
