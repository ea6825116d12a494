import {expect, test} from 'vitest';
import {AppError} from '../../src/core/error.ts';
import {createSpanQueue, type QueueOptions, type QueueState, type SendSpans} from '../../src/telemetry/span-queue.ts';

/** Returns a queue whose waits are over at once, and what it reported. */
function queueTo(send: SendSpans, limits: QueueOptions['limits'] = {}) {
	const faults: QueueState[] = [];
	const waits: number[] = [];
	const sleep = async (milliseconds: number) => {
		waits.push(milliseconds);
	};
	return {queue: createSpanQueue({send, onFault: state => faults.push(state), sleep, limits}), faults, waits};
}

const names = (count: number) => Array.from({length: count}, (_, index) => `span ${index}`);
const never = () => new Promise<never>(() => undefined);

test('spans are sent in order, in batches, one request at a time', async () => {
	const batches: (readonly string[])[] = [];
	let open = 0;
	const {queue} = queueTo(
		async spans => {
			expect(++open).toBe(1);
			batches.push(spans);
			await Promise.resolve();
			open--;
			return {rejected: 0};
		},
		{batch: 4},
	);
	queue.push(names(10));
	await expect.poll(() => queue.state().sent).toBe(10);
	expect(batches.flat()).toEqual(names(10));
	expect(batches.map(({length}) => length)).toEqual([4, 4, 2]);
});

test('a server that never answers costs a bounded queue: the rest is dropped, counted and reported', () => {
	const {queue, faults} = queueTo(never, {spans: 100, bytes: 10_000});
	for (let run = 0; run < 50; run++) {
		queue.push(names(20));
	}

	expect(queue.state()).toMatchObject({waiting: 100, dropped: 900, sent: 0});
	expect(faults.at(-1)).toMatchObject({dropped: 900});

	const wide = queueTo(never, {bytes: 1000}).queue;
	wide.push(['x'.repeat(600), 'x'.repeat(600), 'x'.repeat(300)]);
	expect(wide.state()).toMatchObject({waiting: 2, dropped: 1});
});

test('a request that fails for the moment is repeated with growing waits, and given up in the end', async () => {
	let attempts = 0;
	const refusing: SendSpans = async () => {
		attempts++;
		throw new AppError('network', 'collector answered 503.');
	};
	const {queue, waits, faults} = queueTo(refusing, {lingerMs: 1, retryMs: 10, attempts: 4});
	queue.push(names(3));
	await expect.poll(() => queue.state().dropped).toBe(3);
	expect(attempts).toBe(4);
	expect(waits).toEqual([1, 10, 20, 40]);
	expect(faults).toEqual([{waiting: 0, sent: 0, dropped: 3, fault: 'collector answered 503.'}]);
});

test('[23] the wait that a server asks for is obeyed up to a minute, and a longer one ends the attempts', async () => {
	const askFor = (retryAfter: number): SendSpans => {
		let attempts = 0;
		return async () => {
			if (++attempts === 1) {
				throw new AppError('network', 'Busy.', {retryAfter});
			}

			return {rejected: 0};
		};
	};
	const short = queueTo(askFor(30_000), {lingerMs: 1, retryMs: 10});
	short.queue.push(['a']);
	await expect.poll(() => short.queue.state().sent).toBe(1);
	expect(short.waits).toEqual([1, 30_000]);

	const long = queueTo(askFor(61_000), {lingerMs: 1, retryMs: 10});
	long.queue.push(['a']);
	await expect.poll(() => long.queue.state()).toEqual({waiting: 0, sent: 0, dropped: 1, fault: 'Busy.'});
	expect(long.waits).toEqual([1]);
});

test('a request that can never succeed is not repeated, and the next one is tried', async () => {
	let attempts = 0;
	const {queue} = queueTo(async () => {
		if (++attempts === 1) {
			throw new AppError('auth', 'The key was rejected.');
		}

		return {rejected: 1, why: 'One is odd.'};
	});
	queue.push(['a']);
	await expect.poll(() => queue.state()).toEqual({waiting: 0, sent: 0, dropped: 1, fault: 'The key was rejected.'});
	queue.push(['b', 'c']);
	await expect.poll(() => queue.state()).toEqual({waiting: 0, sent: 1, dropped: 2, fault: 'One is odd.'});
});

test('closing sends what waits at once, and leaves a stalled server behind after the deadline', async () => {
	const prompt = createSpanQueue({
		send: async () => ({rejected: 0}),
		onFault: () => undefined,
		limits: {lingerMs: 3_600_000},
	});
	prompt.push(['a']);
	await prompt.close(3_600_000);
	expect(prompt.state()).toMatchObject({sent: 1, dropped: 0});

	const signals: AbortSignal[] = [];
	const stalled = createSpanQueue({
		send: (_, signal) => {
			signals.push(signal);
			return never();
		},
		onFault: () => undefined,
		limits: {lingerMs: 0},
	});
	stalled.push(['a', 'b']);
	await expect.poll(() => signals.length).toBe(1);
	await stalled.close(1);
	expect(stalled.state()).toMatchObject({waiting: 0, sent: 0, dropped: 2});
	expect(signals[0]?.aborted).toBe(true);
	stalled.push(['c']);
	expect(stalled.state()).toMatchObject({waiting: 0, dropped: 3});
});
