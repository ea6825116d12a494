import {afterEach, beforeEach, expect, test, vi} from 'vitest';
import {createConnectionQueue} from '../../../src/server/database/connection-queue.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('a queue that moves fails nobody, however long it is, and serves in order', async () => {
	const {enter, leave} = createConnectionQueue(2, 5000);
	const served: number[] = [];
	const all = Array.from({length: 100}, async (_, index) => {
		await enter();
		served.push(index);
	});
	for (let left = 100; left > 0; left -= 1) {
		await vi.advanceTimersByTimeAsync(4000);
		leave();
	}

	await Promise.all(all);
	expect(served).toEqual([...served.keys()]);
	expect(vi.getTimerCount()).toBe(0);
});

test('when no connection becomes free, all who wait are told, and later ones get what is freed', async () => {
	const {enter, leave} = createConnectionQueue(1, 5000);
	await enter();
	const [first, second] = [enter(), enter()].map(waiting => waiting.catch((error: Error) => error.message));
	await vi.advanceTimersByTimeAsync(5000);
	expect([await first, await second]).toEqual(Array.from({length: 2}, () => 'timeout exceeded when trying to connect'));
	const third = enter();
	leave();
	await third;
	leave();
	await enter();
});
