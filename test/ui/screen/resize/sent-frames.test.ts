import {expect, onTestFinished, test, vi} from 'vitest';
import {rowHabits} from '../../../../src/terminal/row-habits.ts';
import {emptyRegion, type Region} from '../../../../src/ui/screen/region.ts';
import {marked} from '../../../../src/ui/screen/resize/frame-mark.ts';
import {createQuestions} from '../../../../src/ui/screen/resize/questions.ts';
import {resizeRegion} from '../../../../src/ui/screen/resize/resize-region.ts';
import {createSentFrames} from '../../../../src/ui/screen/resize/sent-frames.ts';

const size = {columns: 40, rows: 10};
const frameRows = ['x'.repeat(40), '> ', 'status'];
const before: Region = {
	...emptyRegion(40),
	above: ['one', 'two'],
	near: 2,
	drawn: {rows: frameRows, caret: {row: 1, column: 2}, at: 1, isCursorShown: true},
	printed: ['three'],
};
/** Replaces the frame by a line and the frame. */
const data = '\u001B[1A\r\u001B[K\u001B[C\u001B[J\rthree\r\nframe\r\n> \r\nstatus\u001B[1A\u001B[3G';
const frame = {before, kept: 2, data, size};

/** Frames to a terminal whose answers the test gives. */
function follow({keepsBreaks = false, joins = false} = {}) {
	const questions = createQuestions(() => undefined);
	const onLost = vi.fn();
	const frames = createSentFrames({
		questions,
		isNeeded: () => true,
		habits: () => ({...rowHabits([], {}), joins: joins || keepsBreaks, keepsBreaks}),
		onLost,
	});
	const answerRow = (row: number) => void questions.take({type: 'reply', reply: 'cursor-position', row, column: 0});
	const answer = (columns: number, rows: number) =>
		void questions.take({type: 'reply', reply: 'window-size', columns, rows});
	/** A frame that the terminal answers at the right size, so that its answers are understood. */
	frames.send(frame);
	answerRow(3);
	answer(40, 10);
	return {questions, onLost, frames, answerRow, answer};
}

test('a frame that arrives at the size that it was drawn for changes nothing', () => {
	const {frames, onLost} = follow();
	expect(onLost).not.toHaveBeenCalled();
	expect(frames.landed()).toBeUndefined();
});

test('a frame that arrives in a narrower window leaves a row of the frame before, and its line is printed again', () => {
	const {frames, onLost, answerRow, answer} = follow();
	expect(frames.send(frame)).toBe('\u001B[6n\u001B[18t');
	answerRow(4);
	answer(20, 10);
	expect(onLost).toHaveBeenCalledTimes(1);
	const landed = frames.landed();
	// The row of 40 cells takes two: the frame goes up only to the second.
	expect(landed?.drawn.rows.map(row => row.length)).toEqual([20, 5, 5, 2, 6]);
	expect(landed).toMatchObject({columns: 20, above: ['one', 'two'], printed: [], drawn: {at: 3}});
	expect(landed?.back).toEqual(['three']);
	expect(frames.landed()).toBeUndefined();
});

test('a frame that goes too far up in a wider window takes back the lines that it erased', () => {
	const {frames, answerRow, answer} = follow();
	// Drawn for the narrower window, where the first row took two.
	frames.send({...frame, data: data.replace('1A', '2A')});
	answerRow(3);
	answer(60, 10);
	const landed = frames.landed();
	expect(landed).toMatchObject({above: ['one'], drawn: {at: 2}});
	expect(landed?.back).toEqual(['two', 'three']);
});

test('frames behind one that was lost follow it, each at the size at which it arrived', () => {
	const {frames, onLost, answerRow, answer} = follow();
	frames.send(frame);
	frames.send({...frame, before: {...before, printed: ['four']}, data: data.replace('three', 'four')});
	answerRow(4);
	answer(20, 10);
	answerRow(5);
	answer(30, 10);
	expect(onLost).toHaveBeenCalledTimes(1);
	expect(frames.landed()?.back).toEqual(['three', 'four']);
});

test('a frame that printed nothing, and was lost, is as high in a wider window as its rows are joined there', () => {
	const {frames, answer} = follow();
	const still = {...before, printed: []};
	frames.send({before: still, kept: 2, data: '\u001B[1B\rdone\u001B[1A\u001B[3G', size});
	answer(20, 10);
	const landed = {...still, ...frames.landed(), resize: {row: 5}};
	// Its first row took two in the narrower window, of which the cursor was in the third.
	expect(landed.drawn).toMatchObject({at: 2});
	expect(resizeRegion(landed, size, () => true).prefix).toMatch(/^\u001B\[1A/);
});

test('VTE joins what is written behind a row that was wrapped', () => {
	const {frames, answerRow, answer} = follow({joins: true});
	frames.send(frame);
	answerRow(4);
	answer(20, 10);
	expect(frames.landed()?.drawn.rows[0]).toMatch(/^ {20}\u001B/);
});

test('GNU Screen keeps a wrapped row full of blanks when it is erased', () => {
	const {frames, answerRow, answer} = follow({keepsBreaks: true});
	// The first row of the frame takes two, of which the frame erases both, and writes only to the first.
	frames.send({...frame, data: '\u001B[2A\r\u001B[K\u001B[C\u001B[J\rx\u001B[2B'});
	answerRow(4);
	answer(20, 10);
	const [first, ...others] = frames.landed()?.drawn.rows ?? [];
	expect(first).toMatch(/^ {20}\u001B/);
	expect(others).toEqual(['', '', '']);
});

test('a terminal that tells no size is asked for its lower right corner', () => {
	const questions = createQuestions(
		() => undefined,
		() => false,
	);
	const end = vi.fn();
	expect(questions.add('window-size', end)).toBe('\u001B7\u001B[999;999H\u001B[6n\u001B8');
	expect(questions.sizes.isKnown()).toBe(true);
	questions.take({type: 'reply', reply: 'cursor-position', row: 23, column: 79});
	expect(end).toHaveBeenCalledWith({type: 'reply', reply: 'window-size', columns: 80, rows: 24});
});

/** A frame of kitty, with its mark, below the third line. */
const inKitty: Region = {
	...before,
	above: ['one', 'two', 'three'],
	drawn: {...before.drawn, rows: [marked('rule'), '> ', 'status']},
	printed: ['four'],
};
/** Pulls three rows of the scrollback down, and replaces the frame by a line and the frame. */
const pulling = `\u001B[3+T\u001B[2B\r\u001B[999Mfour\r\n${marked('frame')}\r\n> \r\nstatus\u001B[1A\u001B[3G`;

test('a frame that pulls rows of kitty down into a lower window prints the lines again that are gone from it', () => {
	const {frames, answerRow, answer} = follow();
	frames.send({before: inKitty, kept: 3, data: pulling, size});
	// In a window of five rows, the cursor is in the last one, and the frame begins in the one before.
	answerRow(4);
	answer(40, 5);
	const landed = frames.landed();
	expect(landed?.above).toEqual(['one']);
	expect(landed?.back).toEqual(['two', 'three', 'four']);
});

test('a frame that kitty blanked is as many rows above the cursor as its mark', () => {
	const {frames, answerRow, answer} = follow();
	const wide: Region = {
		...inKitty,
		drawn: {...inKitty.drawn, rows: [marked('x'.repeat(40)), '> ', 'status']},
		printed: [],
	};
	frames.send({before: wide, kept: 3, data: '\r\n', size});
	answerRow(4);
	answer(20, 10);
	const landed = frames.landed();
	expect(landed?.drawn.rows).toEqual([marked(''), '', '']);
	expect(landed).toMatchObject({above: ['one', 'two', 'three'], drawn: {at: 2}});
});

test('a terminal that answers the columns first is understood', () => {
	const questions = createQuestions(() => undefined);
	expect(questions.sizes.readFirst({columns: 10, rows: 40}, size)).toEqual(size);
	expect(questions.sizes.readFirst({columns: 24, rows: 80}, size)).toEqual({columns: 80, rows: 24});
});

test('a terminal that tells no size is asked no more', () => {
	vi.useFakeTimers();
	onTestFinished(() => void vi.useRealTimers());
	const questions = createQuestions(() => undefined);
	const frames = createSentFrames({
		questions,
		isNeeded: () => true,
		habits: () => rowHabits([], {}),
		onLost: vi.fn(),
	});
	expect(frames.send(frame)).not.toBe('');
	vi.advanceTimersByTime(2500);
	expect(frames.send(frame)).toBe('');
});
