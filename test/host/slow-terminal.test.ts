import {randomUUID} from 'node:crypto';
import {Transform} from 'node:stream';
import {expect, test} from 'vitest';
import {attachTerminal, savedRecords} from './attached-terminal.ts';
import {openHost} from './open-host.ts';

test('a terminal that stops reading has a bounded queue, and gets all it missed once it reads again', async () => {
	const maxWaitingBytes = 20_000;
	const world = await openHost({maxWaitingBytes});
	let release = () => {};
	const reads = new Promise<void>(resolve => {
		release = resolve;
	});
	let isSlow = false;
	const client = await world.connect({
		through({input, output}) {
			const gate = new Transform({
				highWaterMark: 1,
				transform(chunk, _encoding, done) {
					void (isSlow ? reads : Promise.resolve()).then(() => done(null, chunk));
				},
			});
			input.pipe(gate);
			input.on('close', () => gate.destroy());
			return {input: gate, output};
		},
	});
	const {session} = await client.request('_service/begin', {key: randomUUID(), model: 'custom/alpha'});
	const slow = await attachTerminal(client, session);
	const fast = await attachTerminal(await world.connect({user: 'bob'}), session);
	await fast.remote.drive('take', undefined);
	isSlow = true;
	const piece = 'All work and no play. '.repeat(200);
	world.model.answerWith(async ({say, finish}) => {
		for (let count = 0; count < 400; count++) {
			const before = fast.drawn().length;
			say(piece);
			// What comes in one turn of the loop is one message.
			while (fast.drawn().length === before) {
				await new Promise(resolve => setImmediate(resolve));
			}
		}

		finish();
	});
	let most = 0;
	const [socket] = world.sockets;
	const watch = setInterval(() => {
		most = Math.max(most, socket?.writableLength ?? 0);
	}, 1);
	await fast.remote.conversation.send('Write much', 'user');
	clearInterval(watch);
	const {length} = fast.drawn();
	expect(slow.drawn().length).toBeLessThan(length);
	// What crosses the limit is one message: that of one turn of the loop.
	expect(most).toBeGreaterThan(0);
	expect(most).toBeLessThan(20 * maxWaitingBytes);

	release();
	await expect.poll(() => fast.drawn().length - slow.drawn().length).toBe(0);
	expect(slow.drawn()).toEqual(fast.drawn().map((_, index) => index));
	expect((await savedRecords(world.env, session)).map(({seq}) => seq)).toEqual(slow.drawn());
	// It is no dead screen: what it sends is done.
	await slow.remote.drive('take', undefined);
	await slow.remote.conversation.rename('Still here');
	await expect.poll(() => slow.transcript().title).toBe('Still here');
});
