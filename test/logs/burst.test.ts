import {expect, test} from 'vitest';
import {levelOf} from '../../src/logs/levels.ts';
import {createLogBuffer} from '../../src/logs/log-buffer.ts';
import {tailLog} from '../../src/logs/tail.ts';
import {systemTailClock} from '../../src/logs/tail-clock.ts';
import {notFound} from './tail-script.ts';

const text = (from: number, count: number) =>
	Array.from({length: count}, (_, index) => `INFO: request ${from + index}\n`).join('');

/** The answers of a server: a few lines, then a million at once. */
function* windows() {
	yield text(0, 1000);
	yield text(500, 1_000_000);
}

test('a million lines at once keep keys and memory within their bounds, and none is lost', async () => {
	const answers = windows();
	const source = async () => {
		const {value} = answers.next();
		if (!value) {
			throw notFound;
		}

		return {kind: 'window' as const, text: value};
	};
	// The time that was worked between two keys, not that of the clock: others may keep the machine busy.
	const delays: number[] = [];
	let last = process.cpuUsage();
	const keys = setInterval(() => {
		const {user, system} = process.cpuUsage(last);
		delays.push((user + system) / 1000);
		last = process.cpuUsage();
	}, 5);
	const buffer = createLogBuffer();
	let seq = 0;
	try {
		for await (const event of tailLog({source, signal: new AbortController().signal, clock: systemTailClock})) {
			for (const line of event.type === 'lines' ? event.lines : []) {
				buffer.push({kind: 'line', seq: ++seq, at: 0, text: line, level: levelOf(line)});
			}
		}
	} finally {
		clearInterval(keys);
	}

	expect(seq).toBe(1_000_500);
	expect(buffer.at(buffer.end() - 1)).toMatchObject({text: 'INFO: request 1000499', level: 'info'});
	expect([buffer.end() - buffer.start(), buffer.droppedLines()]).toEqual([50_000, 950_500]);
	expect(buffer.bytes()).toBeLessThan(32 * 1024 * 1024);
	const sorted = delays.toSorted((one, other) => one - other);
	expect(sorted.length).toBeGreaterThan(20);
	expect(sorted[Math.floor(sorted.length * 0.95)]).toBeLessThan(50);
});
