import {afterEach, beforeEach, expect, test, vi} from 'vitest';
import type {ServerLogEntry} from '../../../src/server/kit/log.ts';
import {repeat} from '../../../src/server/kit/repeat.ts';

beforeEach(() => void vi.useFakeTimers({toFake: ['setTimeout', 'clearTimeout']}));
afterEach(() => void vi.useRealTimers());

const turn = () => new Promise(setImmediate);

test('work is done at once, and again a while after it ended, until it is closed, which waits for it', async () => {
	const ends: Array<() => void> = [];
	const work = () => new Promise<void>(resolve => ends.push(resolve));
	const {first, close} = repeat({log: () => {}, message: 'test', everyMs: 1000}, work);
	expect(ends.length).toBe(1);
	ends[0]?.();
	await first;
	const closed = vi.fn();
	void close().then(closed);
	await turn();
	expect([ends.length, closed.mock.calls.length]).toEqual([1, 1]);

	const slow = repeat({log: () => {}, message: 'test', everyMs: 1000}, work);
	const slowlyClosed = vi.fn();
	void slow.close().then(slowlyClosed);
	await turn();
	expect(slowlyClosed).not.toHaveBeenCalled();
	ends[1]?.();
	await turn();
	expect([ends.length, slowlyClosed.mock.calls.length]).toEqual([2, 1]);
});

test('work that may wait is not done before, nor after it is closed meanwhile', async () => {
	const work = vi.fn(async () => {});
	const {first, close} = repeat({log: () => {}, message: 'test', everyMs: 10, afterMs: 10}, work);
	await turn();
	await close();
	await first;
	expect(work).not.toHaveBeenCalled();
});

test('a fault that stays is logged once, and the work goes on', async () => {
	vi.useRealTimers();
	const entries: ServerLogEntry[] = [];
	let count = 0;
	const {close} = repeat({log: entry => entries.push(entry), message: 'test', everyMs: 1}, async () => {
		count += 1;
		throw new Error(count < 4 ? 'the first fault' : 'another fault');
	});
	await expect.poll(() => count, {interval: 1}).toBeGreaterThan(5);
	await close();
	expect(entries.map(({error}) => error)).toEqual(['the first fault', 'another fault']);
});
