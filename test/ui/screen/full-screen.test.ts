import {expect, onTestFinished, test} from 'vitest';
import type {InputToken} from '../../../src/terminal/input/token.ts';
import {createFullScreen} from '../../../src/ui/screen/full-screen.ts';
import {createEmulator} from '../emulator.ts';

function harness(columns = 20, rows = 4) {
	const emulator = createEmulator(columns, rows);
	const events: string[] = [];
	const size = {columns, rows};
	const fullScreen = createFullScreen({
		size: () => size,
		write: data => void emulator.stdout.write(data),
		enter() {
			events.push('enter');
			emulator.stdout.write('\u001b[?1049h');
		},
		leave() {
			events.push('leave');
			emulator.stdout.write('\u001b[?1049l');
		},
		showCursor: isShown => void emulator.stdout.write(isShown ? '\u001b[?25h' : '\u001b[?25l'),
		together: change => change(),
		hold: () => events.push('hold'),
		release: () => events.push('release'),
	});
	onTestFinished(fullScreen.close);
	return {...emulator, events, fullScreen, size};
}

const key = (name: string): InputToken => ({type: 'text', text: name});

test('a view has the whole window, and the conversation returns when it closes', async () => {
	const {fullScreen, stdout, window, settle, events} = harness();
	stdout.write('the conversation');
	fullScreen.open({draw: () => ['first', 'second'], press: () => undefined, onClose: () => events.push('left')});
	await settle();
	expect([window(), fullScreen.isOpen()]).toEqual([['first', 'second', '', ''], true]);
	fullScreen.close();
	fullScreen.close();
	await settle();
	expect([window()[0], fullScreen.isOpen(), events]).toEqual([
		'the conversation',
		false,
		['hold', 'enter', 'left', 'leave', 'release'],
	]);
});

test('nothing is erased after a row, which may be as wide as the window', async () => {
	const {fullScreen, written, window, settle} = harness();
	fullScreen.open({draw: () => ['x'.repeat(20)], press: () => undefined});
	await settle();
	expect(window()[0]).toBe('x'.repeat(20));
	expect(written.join('')).not.toMatch(/x(?:\u001b\[0m)?\u001b\[[01]?K/);
});

test('a burst of changes is painted once, and an unchanged row is not written again', async () => {
	const {fullScreen, written, window, settle} = harness();
	let count = 0;
	let draws = 0;
	fullScreen.open({
		draw() {
			draws++;
			return ['title', `line ${count}`];
		},
		press: () => undefined,
	});
	for (count = 1; count < 1000; count++) {
		fullScreen.invalidate();
	}

	await settle(100);
	expect([draws, window()[1]]).toEqual([2, 'line 1000']);
	expect(written.at(-2) ?? written.at(-1)).not.toContain('title');
	expect(written.filter(data => data.includes('line 1000'))).toHaveLength(1);
});

test('a resize draws everything again at the new size', async () => {
	const {fullScreen, resize, size, window, settle} = harness();
	fullScreen.open({draw: ({columns, rows}) => [`${columns}x${rows}`], press: () => undefined});
	resize(30, 6);
	Object.assign(size, {columns: 30, rows: 6});
	fullScreen.redraw();
	await settle();
	expect(window()).toEqual(['30x6', '', '', '', '', '']);
});

test('a redraw writes unchanged rows, too', async () => {
	const {fullScreen, stdout, window, settle} = harness();
	fullScreen.open({draw: () => ['first', 'second'], press: () => undefined});
	stdout.write('\u001b[2J');
	fullScreen.redraw();
	await settle();
	expect(window()).toEqual(['first', 'second', '', '']);
});

test('an open view receives all keys, and a text by characters until it closes', () => {
	const {fullScreen} = harness();
	const pressed: InputToken[] = [];
	expect(fullScreen.press(key('a'))).toEqual(key('a'));
	fullScreen.open({
		draw: () => [],
		press(token) {
			pressed.push(token);
			if (pressed.length === 3) {
				fullScreen.close();
			}
		},
	});
	expect([fullScreen.press(key('b')), fullScreen.press(key('👩cde'))]).toEqual([undefined, key('de')]);
	expect(pressed).toEqual([key('b'), key('👩'), key('c')]);
});

test('a view replaces another without leaving the alternate screen', async () => {
	const {fullScreen, events, window, settle} = harness();
	fullScreen.open({draw: () => ['one'], press: () => undefined, onClose: () => events.push('one left')});
	fullScreen.open({draw: () => ['two'], press: () => undefined});
	await settle();
	expect([window()[0], events]).toEqual(['two', ['hold', 'enter', 'one left']]);
});

test('the cursor is where the view has its caret, else hidden', async () => {
	const {fullScreen, cursor, settle} = harness();
	let caret: {row: number; column: number} | undefined = {row: 2, column: 5};
	fullScreen.open({draw: () => ['x'], press: () => undefined, caret: () => caret});
	await settle();
	expect(cursor()).toEqual({row: 2, column: 5});
	caret = undefined;
	fullScreen.redraw();
	await settle();
	expect(cursor()).toBeUndefined();
});
