import {expect, test} from 'vitest';
import {levelOf} from '../../src/logs/levels.ts';
import {createLogBuffer} from '../../src/logs/log-buffer.ts';
import {mergeSteps, windowSteps} from '../../src/logs/merge.ts';
import {tailLog} from '../../src/logs/tail.ts';
import {systemTailClock} from '../../src/logs/tail-clock.ts';
import {notFound} from './tail-script.ts';

const text = (from: number, count: number) =>
	Array.from({length: count}, (_, index) => `INFO: request ${from + index}\n`).join('');

const burst = 300_000;

/** The answers of a server: a few lines, then many times what is kept, at once. */
function* windows() {
	yield text(0, 1000);
	yield text(500, burst);
}

test('300,000 lines at once give keys a turn every 2,000 lines, stay under the memory cap, and none is lost', async () => {
	const answers = windows();
	const source = async () => {
		const {value} = answers.next();
		if (!value) {
			throw notFound;
		}

		return {kind: 'window' as const, text: value};
	};
	let turns = 0;
	const countTurns = () => {
		turns++;
		immediate = setImmediate(countTurns);
	};
	let immediate = setImmediate(countTurns);
	const buffer = createLogBuffer();
	let seq = 0;
	try {
		for await (const event of tailLog({source, signal: new AbortController().signal, clock: systemTailClock})) {
			for (const line of event.type === 'lines' ? event.lines : []) {
				buffer.push({kind: 'line', seq: ++seq, at: 0, text: line, level: levelOf(line)});
			}
		}
	} finally {
		clearImmediate(immediate);
	}

	expect(seq).toBe(burst + 500);
	expect(buffer.at(buffer.end() - 1)).toMatchObject({text: `INFO: request ${burst + 499}`, level: 'info'});
	expect([buffer.end() - buffer.start(), buffer.droppedLines()]).toEqual([50_000, burst - 49_500]);
	expect(buffer.bytes()).toBeLessThan(32 * 1024 * 1024);
	expect(turns).toBeGreaterThanOrEqual(burst / 2000);
});

test('a large answer is read and merged in steps of 2,000 lines, so that keys can be handled in between', () => {
	const before = stepsOf(windowSteps(text(0, 40_000)));
	const next = stepsOf(windowSteps(text(20_000, 100_000)));
	const merged = stepsOf(mergeSteps(before.value, next.value));
	expect([before.steps, next.steps]).toEqual([20, 50]);
	expect(merged.value).toMatchObject({verdict: 'appended'});
	expect(merged.steps).toBeGreaterThanOrEqual(20);
});

/** Runs work to its end. Returns its value and how often it could be interrupted. */
function stepsOf<Value>(work: Generator<void, Value>): {readonly value: Value; readonly steps: number} {
	for (let steps = 0; ; steps++) {
		const {done, value} = work.next();
		if (done) {
			return {value, steps};
		}
	}
}
