import {randomUUID} from 'node:crypto';
import {readFileSync, statSync} from 'node:fs';
import {join} from 'node:path';
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {createLogBuffer} from '../../src/logs/log-buffer.ts';
import type {LogEntry} from '../../src/logs/log-entry.ts';
import {createMatcher} from '../../src/logs/matcher.ts';
import {saveLog} from '../../src/ui/logs/viewer/log-chosen.ts';
import {searchLog} from '../../src/ui/logs/viewer/log-find.ts';
import {temporaryFolder} from '../storage/temporary.ts';

const line = (seq: number, text = `line ${seq}`): LogEntry => ({kind: 'line', seq, at: 0, text, level: undefined});
const mark: LogEntry = {kind: 'mark', seq: 2, at: 0, mark: 'gap'};
const signal = new AbortController().signal;

test('a buffer keeps the newest entries at their places, and counts dropped lines', () => {
	const buffer = createLogBuffer({entries: 3});
	[line(1), line(2), mark, line(3), line(4)].forEach(buffer.push);
	expect([buffer.start(), buffer.end(), buffer.droppedLines()]).toEqual([2, 5, 2]);
	expect([1, 2, 3, 4, 5].map(buffer.at)).toEqual([undefined, mark, line(3), line(4), undefined]);
});

test('a buffer is limited by entries and bytes, and keeps at least one line', () => {
	fc.assert(
		fc.property(fc.array(fc.nat({max: 500}), {maxLength: 200}), sizes => {
			const buffer = createLogBuffer({entries: 20, bytes: 4000});
			for (const [index, size] of sizes.entries()) {
				buffer.push(line(index + 1, 'x'.repeat(size)));
				expect(buffer.end() - buffer.start()).toBeLessThanOrEqual(20);
				expect(buffer.bytes()).toBeLessThanOrEqual(4000);
				expect(buffer.at(buffer.end() - 1)).toEqual(line(index + 1, 'x'.repeat(size)));
			}

			expect(buffer.droppedLines()).toBe(buffer.start());
		}),
	);
	const buffer = createLogBuffer({bytes: 100});
	buffer.push(line(1, 'x'.repeat(10_000)));
	expect([buffer.start(), buffer.end()]).toEqual([0, 1]);
});

test('a search goes both ways, skips marks and hidden lines, and ends with undefined', async () => {
	const buffer = createLogBuffer();
	for (let seq = 1; seq <= 3000; seq++) {
		buffer.push(seq === 700 ? mark : line(seq));
	}

	const matcher = createMatcher('^line \\d?999$');
	const find = (from: number, direction: 'forward' | 'backward') =>
		searchLog(buffer, {matcher, from, direction, signal});
	expect([await find(0, 'forward'), await find(999, 'forward'), await find(5000, 'backward')]).toEqual([
		998, 1998, 2998,
	]);
	expect([await find(998, 'backward'), await find(997, 'backward'), await find(2999, 'forward')]).toEqual([
		998,
		undefined,
		undefined,
	]);
	const isShown = ({seq}: LogEntry) => seq !== 999;
	expect(await searchLog(buffer, {matcher, from: 0, direction: 'forward', signal, isShown})).toBe(1998);
});

test('a log is saved with whole lines, readable only by the user, and never over another file [10]', async () => {
	const path = join(temporaryFolder(), `${randomUUID()}.log`);
	const long = 'y'.repeat(200_000);
	expect(await saveLog(path, [line(1, 'a\u001B[31m\r'), line(2, long), mark, line(3)])).toBe(path);
	expect(readFileSync(path, 'utf8')).toBe(`a\u001B[31m\r\n${long}\n-- lines may be missing here --\nline 3\n`);
	expect(statSync(path).mode & 0o777).toBe(0o600);
	await expect(saveLog(path, [line(4)])).rejects.toMatchObject({code: 'conflict'});
});
