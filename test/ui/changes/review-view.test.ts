import {expect, test} from 'vitest';
import {keyToken} from '../../../src/terminal/input/token.ts';
import {lineWidth} from '../../../src/terminal/text/width.ts';
import {file, openReview, twoHunks} from './reviewer.ts';

const enter = keyToken('enter');

test('lists files with their hunks and line numbers, and names the keys', () => {
	expect(openReview([twoHunks]).draw()).toEqual([
		'Changes',
		'❯ [ ] ▾ a.txt +1 −1',
		'    [ ] lines 1–6',
		'      1   line 1',
		'      2   line 2',
		'      3 - line 3',
		'      3 + x',
		'      4   line 4',
		'      5   line 5',
		'      6   line 6',
		'    [ ] lines 28–34',
		'Space select to undo · ↑↓ move · Tab fold · Esc close',
	]);
});

test('says why nothing can be selected while the agent works', () => {
	const {type, draw} = openReview([twoHunks], {isReadOnly: true});
	type('jx');
	expect(draw().at(-1)).toBe('read-only during a run · ↑↓ move · Tab fold · Esc close');
});

test('takes back one hunk after a question, and nothing without it', () => {
	const {type, ended, draw, press} = openReview([twoHunks]);
	type('jx');
	expect(draw()[2]).toBe('❯   [x] lines 1–6');
	press(enter);
	expect(draw().slice(-4)).toEqual([
		'? Undo 1 change?',
		'  y  Yes',
		'❯ n  No',
		'  ↑↓ move · Enter select · Esc cancel',
	]);
	type('n');
	press(enter);
	press(enter);
	expect([draw().at(-1), ended]).toEqual(['Nothing was undone.', []]);
	press(enter);
	press(keyToken('up'));
	expect(draw().slice(-3, -1)).toEqual(['❯ y  Yes', '  n  No']);
	press(enter);
	expect(ended).toEqual([[{file: twoHunks, hunks: [twoHunks.hunks[0]]}]]);
});

test('a file stands for all of its hunks', () => {
	const {type, ended, press} = openReview([twoHunks]);
	type('x');
	press(enter);
	type('y');
	expect(ended).toEqual([[{file: twoHunks, hunks: 'all'}]]);
});

test('shows the lines of the user, but not as a change of the agent', () => {
	const mixed = file('b.txt', 'one\ntwo\n', 'one\n2\n', 'mine\none\n2\n');
	const shown = openReview([mixed]).draw();
	expect(shown[1]).toBe('❯ [ ] ▾ b.txt +1 −1 · you changed it, too (~)');
	expect(shown.slice(3, 7)).toEqual(['      1 ~ mine', '      2   one', '      3 - two', '      3 + 2']);
});

test('what cannot be taken back says why', () => {
	const {type, draw} = openReview([
		file('.env', '', '', '', {canTakeBack: false, note: 'content not saved', hunks: []}),
	]);
	type('x');
	expect(draw(80).at(-1)).toBe('Its earlier content is not saved, so it can’t be undone here.');
});

test('[1] names and lines from outside are drawn safely, and nothing is wider than the window', () => {
	const evil = file('\u001b[2Jx\u202e.txt', 'a\n', `\u001b]0;title\u0007${'wide 字 '.repeat(80)}\n`);
	for (const columns of [20, 60, 120]) {
		const shown = openReview([evil]).draw(columns, 20);
		expect(shown.join('')).not.toMatch(/[\p{Cc}\u202E]/u);
		expect(shown.filter(line => lineWidth(line) > columns)).toEqual([]);
	}
});

test('closes without taking anything back', () => {
	const {type, ended} = openReview([twoHunks]);
	type('xq');
	expect(ended).toEqual([undefined]);
});
