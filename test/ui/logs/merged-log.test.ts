import fc from 'fast-check';
import {expect, test} from 'vitest';
import type {LogEntry} from '../../../src/logs/log-entry.ts';
import {lineTime} from '../../../src/logs/structured.ts';
import {createMergedLog, type MergedLog, windowMs} from '../../../src/ui/logs/merged-log.ts';

const line = (text: string, seq = 1, at = 0): LogEntry => ({kind: 'line', seq, at, text, level: undefined});
const second = (count: number) => `2026-03-02T09:41:${String(count).padStart(2, '0')}Z`;
const textsOf = (log: MergedLog) =>
	Array.from({length: log.end() - log.start()}, (_, index) => log.at(log.start() + index)).map(entry =>
		entry?.kind === 'line' ? entry.text.replace(/^\S+ /, '') : '--',
	);

test.each([
	['2026-03-02T09:41:07.352Z up', Date.UTC(2026, 2, 2, 9, 41, 7, 352)],
	['2026-03-02 09:41:07,352 - root - INFO - up', Date.UTC(2026, 2, 2, 9, 41, 7, 352)],
	['[2026-03-02T10:41:07+01:00] up', Date.UTC(2026, 2, 2, 9, 41, 7)],
	['2026-03-02 10:41:07 +0100 up', Date.UTC(2026, 2, 2, 9, 41, 7)],
	['2026-03-02 04:41:07.352-05 up', Date.UTC(2026, 2, 2, 9, 41, 7, 352)],
	['2026/03/02 09:41:07 [error] up', Date.UTC(2026, 2, 2, 9, 41, 7)],
	['2026/03-02 09:41:07 up', undefined],
	['2026-03-02T09:41:07.123456789Z up', Date.UTC(2026, 2, 2, 9, 41, 7, 123)],
	['\u001B[2m2026-03-02T09:41:07Z\u001B[0m up', Date.UTC(2026, 2, 2, 9, 41, 7)],
	['1%\r2026-03-02T09:41:07Z up', Date.UTC(2026, 2, 2, 9, 41, 7)],
	['{"ts":1772444467.5,"level":"info","msg":"up"}', 1_772_444_467_500],
	['time=2026-03-02T09:41:07Z level=info msg=up', Date.UTC(2026, 2, 2, 9, 41, 7)],
	['2026-13-40T09:41:07Z', undefined],
	['up since 2026-03-02T09:41:07Z', undefined],
	['09:41:07 up', undefined],
	['', undefined],
])('the time of %j is %s', (text, time) => {
	expect(lineTime(text)).toBe(time);
});

test('lines of two logs stand in the order of their times, and each log keeps its own order', () => {
	const log = createMergedLog();
	for (const count of [1, 3, 5]) {
		log.push('a', line(`${second(count)} a${count}`), 0);
	}

	expect(log.settle(0, ['a', 'b'])).toBe(true);
	expect(textsOf(log)).toEqual([]);
	for (const count of [2, 4, 6]) {
		log.push('b', line(`${second(count)} b${count}`), 100);
	}

	log.settle(100, ['a', 'b']);
	expect(textsOf(log)).toEqual(['a1', 'b2', 'a3', 'b4', 'a5']);
	log.settle(100 + windowMs, ['a', 'b']);
	expect(textsOf(log)).toEqual(['a1', 'b2', 'a3', 'b4', 'a5', 'b6']);
	expect(log.order?.()).toEqual({by: 'time', late: 0});
});

test('a line waits for a silent log only so long; what comes later is counted as late', () => {
	const log = createMergedLog();
	log.push('a', line(`${second(5)} a5`), 0);
	expect(log.settle(windowMs - 1, ['a', 'b'])).toBe(true);
	expect(log.settle(windowMs, ['a', 'b'])).toBe(false);
	log.push('b', line(`${second(4)} b4`), windowMs + 1);
	log.settle(windowMs + 1, ['a', 'b']);
	log.settle(2 * windowMs + 1, ['a', 'b']);
	expect(textsOf(log)).toEqual(['a5', 'b4']);
	expect(log.order?.()).toEqual({by: 'time', late: 1});
});

test('a log that has ended, or a clock that was set back, holds nothing up', () => {
	const log = createMergedLog();
	log.push('a', line(`${second(1)} a1`), 1000);
	expect(log.settle(1000, ['a'])).toBe(false);
	log.push('a', line(`${second(2)} a2`), 5000);
	expect(log.settle(10, ['a', 'b'])).toBe(false);
	expect(textsOf(log)).toEqual(['a1', 'a2']);
});

test('lines of a trace follow the line with their time; a log without times stands by arrival, which is said', () => {
	const log = createMergedLog();
	log.push('a', line(`${second(1)} error`), 0);
	log.push('a', line('at main.ts:7'), 0);
	log.push('a', line(`${second(9)} next`), 0);
	log.push('b', line(`${second(5)} b5`), 0);
	log.settle(windowMs, []);
	expect(textsOf(log)).toEqual(['error', 'main.ts:7', 'b5', 'next']);
	expect(log.order?.().by).toBe('time');
	log.push('c', line('plain', 1, Date.UTC(2026, 2, 2, 9, 50)), windowMs);
	log.settle(3 * windowMs, []);
	expect(log.order?.()).toEqual({by: 'arrival', late: 0});
});

test('without one log the others keep their order; with another all are ordered once more', () => {
	const log = createMergedLog();
	for (const [owner, count] of [
		['a', 1],
		['b', 2],
		['a', 3],
	] as const) {
		log.push(owner, line(`${second(count)} ${owner}${count}`), 0);
	}

	log.settle(windowMs, []);
	log.push('b', line(`${second(4)} b4`), windowMs);
	const rest = log.without('a');
	rest.settle(3 * windowMs, []);
	expect(textsOf(rest)).toEqual(['b2', 'b4']);
	const more = log.reopened(windowMs);
	more.push('c', line(`${second(0)} c0`), windowMs);
	more.settle(3 * windowMs, []);
	expect(textsOf(more)).toEqual(['c0', 'a1', 'b2', 'a3', 'b4']);
});

test('whenever lines arrive, none is lost or doubled, and those in time are in order', () => {
	const arrivals = fc.array(fc.record({owner: fc.constantFrom('a', 'b', 'c'), stamp: fc.nat(59), wait: fc.nat(1500)}), {
		maxLength: 40,
	});
	fc.assert(
		fc.property(arrivals, given => {
			const log = createMergedLog();
			let now = 0;
			for (const [index, {owner, stamp, wait}] of given.entries()) {
				now += wait;
				log.push(owner, line(`${second(stamp)} ${index} ${owner}`), now);
				log.settle(now, ['a', 'b', 'c']);
			}

			expect(log.settle(now + windowMs, ['a', 'b', 'c'])).toBe(false);
			const texts = textsOf(log);
			expect([...texts].sort()).toEqual(given.map(({owner}, index) => `${index} ${owner}`).sort());
			for (const owner of ['a', 'b', 'c']) {
				const own = texts.filter(text => text.endsWith(owner)).map(text => Number.parseInt(text, 10));
				expect(own).toEqual([...own].sort((one, other) => one - other));
			}
		}),
		{numRuns: 200},
	);
});
