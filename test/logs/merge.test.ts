import {expect, test} from 'vitest';
import {merge, type ReadWindow, readWindow} from '../../src/logs/merge.ts';

const merged = (previous: string | undefined, next: string) =>
	merge(previous === undefined ? undefined : readWindow(previous), readWindow(next));

test.each([
	['nothing was seen yet', undefined, 'a\nb\n', 'first', ['a', 'b']],
	['the log was empty', '', 'a\nb\n', 'first', ['a', 'b']],
	['the log was empty, and so much came that it may be cut', '', 'a\n'.repeat(100), 'ambiguous', Array(100).fill('a')],
	['it stays empty', '', '', 'unchanged', []],
	['nothing came', 'a\nb\n', 'a\nb\n', 'unchanged', []],
	['lines came', 'a\nb\n', 'a\nb\nc\nd\n', 'appended', ['c', 'd']],
	['the window moved on', 'a\nb\nc\n', 'c\nd\n', 'appended', ['d']],
	['equal lines came', 'tick\ntick\n', 'tick\ntick\ntick\n', 'appended', ['tick']],
	['repeats stand around one line of its own', 'a\nx\na\n', 'x\na\na\n', 'appended', ['a']],
	['the window shrank', 'a\nb\nc\n', 'c\n', 'unchanged', []],
	['the window is cut in a line', 'one two\nb\nc\n', 'two\nb\nc\nd\n', 'appended', ['d']],
	['the window is cut at a newline', 'one two\nb\nc\n', '\nb\nc\nd\n', 'appended', ['d']],
	['nothing is in common', 'a\nb\n', 'c\nd\n', 'gap', ['c', 'd']],
	['the end of one line alone is in common', 'a\nstep 14\n', '4\nstep 25\n', 'gap', ['4', 'step 25']],
	['it holds fewer lines', 'alpha\nbeta\n', 'c\n', 'restarted', ['c']],
	['it holds fewer lines, and more bytes', 'a\nb\n', 'a long line\n', 'restarted', ['a long line']],
	['it holds as many lines, and fewer bytes', 'alpha\nbeta\n', 'c\nd\n', 'gap', ['c', 'd']],
	['it was emptied', 'a\nb\n', '', 'restarted', []],
	['it holds fewer lines and begins as before', 'start\nb\nc\n', 'start\n', 'restarted', ['start']],
	['only repeats are in common', 'a\ntick\ntick\n', 'tick\ntick\nb\n', 'ambiguous', ['b']],
	['the last line has no end yet', 'a\n', 'a\nb', 'unchanged', []],
	['the last line grew', 'a\nb', 'a\nbc', 'unchanged', []],
	['the last line is complete now', 'a\nb', 'a\nbc\n', 'appended', ['bc']],
	['it is complete just as it stood', 'a\nb', 'a\nb\n', 'appended', ['b']],
	['a line alone goes on', 'par', 'partial\nb\n', 'appended', ['partial', 'b']],
	['a line alone is another one', 'par', 'b\nb\nb\n', 'gap', ['b', 'b', 'b']],
	['what was held back contradicts the overlap', 'x\na\nbegun', 'a\nother\n', 'gap', ['a', 'other']],
	['a CR before the newline is kept', 'a\r\n', 'a\r\nb\r\n', 'appended', ['b\r']],
] as const)('%s', (_, previous, next, verdict, appended) => {
	expect(merged(previous, next)).toEqual({verdict, appended});
});

test('two windows that the server cut to as many bytes are a gap, even if the new one has fewer lines', () => {
	const cut = (text: string) => text.slice(text.indexOf('\n', text.length - 20_000) + 1);
	const log = (length: number) => Array.from({length: 1000}, (_, index) => `${index} ${'x'.repeat(length)}\n`).join('');
	const [short, long] = [cut(log(60)), cut(log(90))];
	expect([merged(short, long).verdict, merged(long, short).verdict]).toEqual(['gap', 'gap']);
	expect(merged(short, long.slice(0, 10_000)).verdict).toBe('restarted');
	expect(merged(short.slice(0, 10_000), long.slice(0, 10_000)).verdict).toBe('restarted');
});

test('an overlap of repeats is accepted if it covers the whole previous window', () => {
	expect(merged('tick\n'.repeat(5), 'tick\n'.repeat(7))).toEqual({verdict: 'appended', appended: ['tick', 'tick']});
});

/** How often the lines of both windows are read: that is the work of a merge, whatever the machine does beside it. */
function readsOf(previous: string, next: string): number {
	let reads = 0;
	const counted = (text: string): ReadWindow => {
		const window = readWindow(text);
		const get = (lines: readonly string[], key: string | symbol) => {
			reads += typeof key === 'string' && /^\d+$/.test(key) ? 1 : 0;
			return Reflect.get(lines, key);
		};
		return {...window, lines: new Proxy(window.lines, {get})};
	};
	merge(counted(previous), counted(next));
	return reads;
}

test.each([
	['lines that all differ', (index: number) => `line ${index} ${'x'.repeat(40)}`],
	['equal lines', () => 'a'],
	['lines that differ late', (index: number) => `${'a'.repeat(50)}${index % 3}`],
	['a pattern that fails at its end', (index: number) => (index % 1000 === 999 ? 'b' : 'a')],
])('each line is read a limited number of times: %s', (_, line) => {
	const text = (from: number, count: number) =>
		Array.from({length: count}, (__, index) => `${line(from + index)}\n`).join('');
	for (const lines of [1200, 10_000, 40_000]) {
		expect(readsOf(text(0, lines), text(777, lines)) / lines).toBeLessThan(12);
	}
});
