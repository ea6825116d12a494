import fc from 'fast-check';
import {expect, test} from 'vitest';
import {createPump} from '../../src/session/recorder.ts';

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
