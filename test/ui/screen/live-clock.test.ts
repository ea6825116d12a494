import {afterEach, beforeEach, expect, test, vi} from 'vitest';
import {followMoving} from '../../../src/ui/screen/live-clock.ts';
import {call, canvas, end, result, say, start, user} from '../canvas.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Returns the number of drawings in each second. */
function moving() {
	const {store, feed} = canvas();
	let draws = 0;
	const stop = followMoving({store, draw: () => void draws++, intervalMs: 200});
	return {
		feed,
		stop,
		second() {
			draws = 0;
			vi.advanceTimersByTime(1000);
			return draws;
		},
	};
}

test('only a running call is drawn again, until it ends', () => {
	const {feed, second} = moving();
	feed(start, user('Go'), say('Text'));
	expect(second()).toBe(0);
	feed(call('a'), call('b'));
	expect(second()).toBe(5);
	feed(result('a'));
	expect(second()).toBe(5);
	feed(result('b'));
	expect(second()).toBe(0);
	feed(call('c'));
	expect(second()).toBe(5);
	feed(end);
	expect([second(), vi.getTimerCount()]).toEqual([0, 0]);
});

test('a call that waits for the user stands still', () => {
	const {feed, second} = moving();
	feed(start, call('a'), {type: 'approval-request', id: 'a', summary: 'May I?', hash: 'h'});
	expect(second()).toBe(0);
	feed({type: 'approval-answer', id: 'a', allowed: true, hash: 'h'});
	expect(second()).toBe(5);
});

test('nothing is drawn after it stopped', () => {
	const {feed, second, stop} = moving();
	feed(start, call('a'));
	stop();
	expect([second(), vi.getTimerCount()]).toEqual([0, 0]);
});

test('a call that waits for those before it has not begun: neither its sign nor a time moves', () => {
	const {feed, live} = canvas({clock: () => Date.UTC(2026, 0, 1, 0, 1)});
	const run = (id: string) => call(id, 'run_command', {command: `echo ${id}`});
	const waiting = '◌ Run echo b …';
	feed(start, run('a'), run('b'), {type: 'approval-request', id: 'a', summary: 'Run it?', hash: 'h'});
	expect(live()).toEqual([waiting]);
	feed({type: 'approval-answer', id: 'a', allowed: true, hash: 'h'});
	expect(live()).toEqual([expect.stringMatching(/^\S Run echo a +5\d s$/), waiting]);
	feed(result('a', 'a'));
	expect(live()).toEqual([expect.stringMatching(/^[^◌] Run echo b +\d+ s$/)]);
});
