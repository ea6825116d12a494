import {expect, test} from 'vitest';
import type {LogAnswer} from '../../src/contract/log-cursor.ts';
import {AppError} from '../../src/core/error.ts';
import {follow} from './tail-script.ts';

const gone = '<ended: the environment is gone>';
const piece = (text: string, offset: number, more: Partial<LogAnswer> = {}): LogAnswer => ({
	kind: 'window',
	text,
	offset,
	...more,
});
const cursors = (asked: readonly {readonly after?: number | undefined; readonly etag?: string | undefined}[]) =>
	asked.map(({after, etag}) => ({after, etag}));

test('a tail with offsets is exact and says so', async () => {
	const {told, asked} = await follow([
		piece('tick\ntick\n', 110, {etag: '"1"'}),
		piece('tick\nta', 117, {etag: '"2"'}),
		piece('ck\n', 120),
		piece('', 120, {etag: '"3"'}),
		{kind: 'unchanged'},
		piece('tick\n', 125),
	]);
	expect(told).toEqual(['<connecting>', 'tick', 'tick', '<live, complete>', 'tick', 'tack', 'tick', gone]);
	expect(cursors(asked)).toEqual([
		{after: undefined, etag: undefined},
		{after: 110, etag: undefined},
		{after: 117, etag: undefined},
		{after: 120, etag: undefined},
		{after: 120, etag: '"3"'},
		{after: 120, etag: '"3"'},
		{after: 125, etag: undefined},
	]);
});

test('a log that the server calls ended ends once nothing follows, with its incomplete line', async () => {
	const {told, asked} = await follow([
		piece('a\n', 2),
		piece('b\n', 4, {ended: 'torn_down'}),
		piece('stopp', 9, {ended: 'torn_down'}),
		piece('', 9, {ended: 'torn_down', etag: '"9"'}),
	]);
	expect(told).toEqual(['<connecting>', 'a', '<live, complete>', 'b', 'stopp', '<ended: the sandbox is gone>']);
	expect(asked).toHaveLength(4);
});

test('a log that ended before the first request is live for a moment, then ended, also by 304', async () => {
	const {told} = await follow([piece('a\n', 2, {ended: 'failed'}), {kind: 'unchanged', ended: 'failed'}]);
	expect(told).toEqual(['<connecting>', 'a', '<live, complete>', '<ended: the sandbox failed>']);
});

test('a log that ends and resumes is followed', async () => {
	const {told} = await follow([piece('a\n', 2, {ended: 'torn_down'}), piece('', 2), piece('b\n', 4)]);
	expect(told).toEqual(['<connecting>', 'a', '<live, complete>', 'b', gone]);
});

test('a tail without offsets sends the tag of the answer, and no cursor that the server did not offer', async () => {
	const {told, asked} = await follow([{kind: 'window', text: 'a\n', etag: '"1"'}, {kind: 'unchanged'}, 'a\nb\n']);
	expect(told).toEqual(['<connecting>', 'a', '<live>', 'b', gone]);
	expect(cursors(asked)).toEqual([
		{after: undefined, etag: undefined},
		{after: undefined, etag: '"1"'},
		{after: undefined, etag: '"1"'},
		{after: undefined, etag: undefined},
	]);
});

test('a part that is gone is a gap, and the incomplete line before it is shown', async () => {
	const {told} = await follow([piece('a\nbeg', 5), piece('x\n', 102, {start: 100}), piece('y\n', 104)]);
	expect(told).toEqual(['<connecting>', 'a', '<live, complete>', 'beg', '-- gap', 'x', '<gap>', 'y', '<live>', gone]);
});

test('an offset before the one that was asked for means a new log', async () => {
	expect((await follow([piece('aaa\nbbb\n', 8), piece('c\n', 2), piece('d\n', 4)])).told).toEqual([
		'<connecting>',
		'aaa',
		'bbb',
		'<live, complete>',
		'-- restarted',
		'c',
		'<gap>',
		'd',
		'<live>',
		gone,
	]);
});

test('an answer that starts before the offset brings no line twice', async () => {
	const {told} = await follow([piece('ä\nb\n', 5), piece('ä\nb\nc\n', 7)]);
	expect(told).toEqual(['<connecting>', 'ä', 'b', '<live, complete>', 'c', gone]);
});

test('a server that rejects its own offsets is read without them, and doubtful lines are marked once', async () => {
	const refuses = new AppError('failed', 'No such parameter.');
	const {told, asked} = await follow([
		piece('a\n', 2),
		piece('b\n', 4),
		refuses,
		piece('b\nc\n', 6),
		piece('c\nd\n', 8),
	]);
	expect(told).toEqual([
		'<connecting>',
		'a',
		'<live, complete>',
		'b',
		'-- ambiguous',
		'b',
		'c',
		'<gap>',
		'd',
		'<live>',
		gone,
	]);
	expect(asked.map(({after}) => after)).toEqual([undefined, 2, 4, undefined, undefined, undefined]);
});

test('a server that stops giving offsets makes the next lines doubtful', async () => {
	const {told} = await follow([piece('a\n', 2), piece('b\n', 4), 'b\nc\n', 'c\nd\n']);
	expect(told.slice(3)).toEqual(['b', '-- ambiguous', 'b', 'c', '<gap>', 'd', '<live>', gone]);
});

test('a tail from the start reads everything that the server has, in pieces, without waiting', async () => {
	const long = `${'x'.repeat(70_000)}\n`;
	const {told, times, asked} = await follow(
		[piece('end\n', 70_005), piece(long, 70_001), piece('end\n', 70_005), piece('', 70_005)],
		{sinceStart: true},
	);
	expect(told.map(line => line.slice(0, 40))).toEqual([
		'<connecting>',
		'<live, complete>',
		'x'.repeat(40),
		'end',
		gone,
	]);
	expect(asked.map(({after}) => after)).toEqual([undefined, 0, 70_001, 70_005, 70_005]);
	expect(times.slice(0, 3)).toEqual([0, 0, 0]);
});

test.each([
	['the beginning is gone', [piece('b\n', 12, {start: 10}), piece('a\nb\n', 12, {start: 8})], ['-- gap', 'a', 'b']],
	['the server gives no offsets', ['a\nb\n'], ['-- gap', 'a', 'b']],
	['the first window is all there is', [piece('a\n', 2)], ['a']],
] as const)('from the start, where %s', async (_, replies, lines) => {
	const {told} = await follow(replies, {sinceStart: true});
	expect(told.filter(line => !line.startsWith('<'))).toEqual(lines);
});
