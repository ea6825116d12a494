import fc from 'fast-check';
import {expect, onTestFinished, test, vi} from 'vitest';
import {emptyTranscript} from '../../src/core/session/transcript.ts';
import {createPump, createRecorder} from '../../src/session/recorder.ts';
import {createAppStore} from '../../src/store/store.ts';

/** A pump on a clock that a test moves. */
function pumpWithClock() {
	const batches: (readonly number[])[] = [];
	let time = 1000;
	let timers: {readonly at: number; readonly run: () => void}[] = [];
	const pump = createPump<number>(items => batches.push(items), {
		now: () => time,
		setTimeout: (run, milliseconds) => timers.push({at: time + milliseconds, run}),
	});
	const wait = (milliseconds: number) => {
		const until = time + milliseconds;
		for (;;) {
			const [next] = timers.filter(({at}) => at <= until).sort((a, b) => a.at - b.at);
			if (!next) {
				time = until;
				return;
			}

			time = next.at;
			timers = timers.filter(timer => timer !== next);
			next.run();
		}
	};

	return {batches, wait, ...pump};
}

test('the pump applies the first item after a pause at once, and the following ones together', () => {
	const {push, wait, batches} = pumpWithClock();
	push(1);
	push(2);
	wait(0);
	expect(batches).toEqual([[1, 2]]);
	push(3);
	wait(10);
	push(4);
	wait(22);
	expect(batches).toEqual([[1, 2]]);
	wait(1);
	expect(batches).toEqual([
		[1, 2],
		[3, 4],
	]);
});

test('the pump applies an awaited item at once, with those before it, and nothing after it early', () => {
	const {push, wait, batches} = pumpWithClock();
	push(1);
	wait(0);
	push(2);
	wait(5);
	push(3, true);
	wait(0);
	expect(batches).toEqual([[1], [2, 3]]);
	push(4);
	wait(32);
	expect(batches).toEqual([[1], [2, 3]]);
	wait(1);
	expect(batches).toEqual([[1], [2, 3], [4]]);
});

test('a flush applies waiting items once', () => {
	const {push, flush, wait, batches} = pumpWithClock();
	push(1);
	flush();
	flush();
	wait(100);
	expect(batches).toEqual([[1]]);
});

test('the pump never loses, repeats or reorders items, holds them for 33 ms at most, and applies no more often', () => {
	const steps = fc.array(fc.tuple(fc.integer({min: 0, max: 60}), fc.boolean()), {maxLength: 60});
	fc.assert(
		fc.property(steps, list => {
			const {push, flush, wait, batches} = pumpWithClock();
			let total = 0;
			for (const [index, [pause, flushes]] of list.entries()) {
				push(index);
				if (flushes) {
					flush();
				}

				wait(pause);
				total += pause;
			}

			wait(33);
			expect(batches.flat()).toEqual(list.map((_, index) => index));
			expect(batches.length).toBeLessThanOrEqual(total / 33 + 2 + list.filter(([, flushes]) => flushes).length);
		}),
	);
});

test('the first piece of each answer and the end of its run reach the screen without a tick', () => {
	vi.useFakeTimers();
	onTestFinished(() => void vi.useRealTimers());
	const store = createAppStore();
	const log = {
		append: () => undefined,
		flush: async () => undefined,
		settle: async () => undefined,
		close: async () => undefined,
	};
	const now = () => '2026-01-01T00:00:00Z';
	const recorder = createRecorder({store, now, hide: text => text, openLog: () => log});
	recorder.begin(emptyTranscript('session'));
	const piece = (text: string, messageId: string) =>
		recorder.emit({type: 'text-delta', id: 'text', messageId, text}, 'server');
	const shown = () => {
		const {settled, open, run} = store.getState().transcript;
		return [[...settled, ...open].flatMap(block => (block.kind === 'text' ? [block.text] : [])), run !== undefined];
	};

	recorder.emit({type: 'run-start', runId: 'run', model: 'custom/bench'}, 'server');
	vi.advanceTimersByTime(1);
	expect(shown()).toEqual([[], true]);
	piece('One', 'a');
	vi.advanceTimersByTime(1);
	expect(shown()).toEqual([['One'], true]);
	piece(' two', 'a');
	vi.advanceTimersByTime(1);
	expect(shown()).toEqual([['One'], true]);
	piece(' three', 'a');
	recorder.emit({type: 'run-end', reason: 'done', stopReason: 'end_turn'}, 'server');
	vi.advanceTimersByTime(1);
	expect(shown()).toEqual([['One two three'], false]);
});
