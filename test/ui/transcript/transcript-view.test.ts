import {expect, test} from 'vitest';
import type {InputToken} from '../../../src/terminal/input/token.ts';
import {lineWidth} from '../../../src/terminal/text/width.ts';
import {countSteps} from '../../growth.ts';
import {call, end, result, say, start, think, user} from '../canvas.ts';
import {ctrl, key, reader, readerAt, readerWithoutClipboard} from './reader.ts';

const talk = [
	start,
	user('Look here'),
	think('I read it\nall of it'),
	call('c1'),
	result('c1', 'done'),
	say('# It\n\nsays hello'),
	end,
];
const keys = 'Enter open · [ ] your messages · / search · c copy · L log · Esc close';

test('Enter opens the details that the conversation leaves out', () => {
	const {shown, press} = reader(...talk);
	expect(shown()).toEqual([
		'Transcript · 4 of 4',
		'  ❯ Look here',
		expect.stringMatching(/^ {2}✻ Thought/),
		expect.stringMatching(/^ {2}✓ Read README\.md/),
		'▌ ● # It',
		'▌ ',
		'▌ says hello',
		keys,
	]);
	press(key('up'), key('enter'));
	expect(shown().slice(3, -4)).toEqual([
		expect.stringMatching(/^▌ ✓ Read README\.md/),
		expect.stringMatching(/^▌ {3}read_file · started \d\d:\d\d:\d\d$/),
		'▌   {',
		'▌     "path": "README.md"',
		'▌   }',
		'▌   done',
	]);
	press(key('up'), key('enter'));
	expect(shown()).toContainEqual('▌   all of it');
	press(key('enter'));
	expect(shown()).not.toContainEqual('▌   all of it');
});

test('it follows new messages until the reader moves, and again from the end', () => {
	const {shown, press, feed} = reader(...talk);
	feed(start, user('More'), say('Yes.'), end);
	expect(shown()[0]).toBe('Transcript · 6 of 6');
	press('k');
	feed(start, user('And more'), end);
	expect(shown()[0]).toBe('Transcript · 5 of 7 · End: jump to latest');
	press('G');
	expect(shown()[0]).toBe('Transcript · 7 of 7');
});

test('new lines never move the lines being read', () => {
	const many = Array.from({length: 40}, (_, index) => [start, user(`Question ${index}`), say(`Answer ${index}`), end]);
	const {draw, press, feed} = reader(...many.flat());
	press(key('page-up'));
	const before = draw(80, 12).slice(1, -1);
	feed(...many.flat());
	expect(draw(80, 12).slice(1, -1)).toEqual(before);
});

test('a search goes backwards from the chosen block, and wraps around', () => {
	const {shown, press} = reader(...talk, start, user('Another thing'), end);
	press('/', 'readme', key('enter'));
	expect(shown()[0]).toBe('Transcript · 3 of 5 · End: jump to latest');
	press('/', 'nowhere', key('enter'));
	expect(shown().at(-1)).toBe('“nowhere” not found.');
	press('/', 'x', key('backspace'), 'hello', key('enter'), 'n', 'N');
	expect(shown()[0]).toBe('Transcript · 4 of 5 · End: jump to latest');
	press('/', 'thing');
	expect(shown().at(-1)).toBe('/thing');
	press(key('escape'));
	expect(shown().at(-1)).toBe(keys);
});

test('[ and ] go from one message of the user to the next', () => {
	const {shown, press} = reader(...talk, start, user('Another thing'), say('Yes.'), end, start, user('Last'), end);
	const place = () => shown()[0]?.replace('Transcript · ', '').replace(' · End: jump to latest', '');
	press('[');
	expect(place()).toBe('5 of 7');
	expect(shown().at(-1)).toBe('Message 2 of 3');
	press('[[');
	expect(shown().at(-1)).toBe('No earlier message of yours.');
	expect(place()).toBe('1 of 7');
	press(']', {type: 'key', name: 'down', ctrl: false, alt: false, shift: true});
	expect(place()).toBe('7 of 7');
	press(']');
	expect(shown().at(-1)).toBe('No later message of yours.');
});

test('a search counts its matches and opens the details that contain one', () => {
	const {shown, press} = reader(...talk);
	press('/', 'DONE', key('enter'));
	expect(shown()).toContainEqual('▌   done');
	expect(shown().at(-1)).toBe('“DONE” · 1 of 1 · n previous · N next');
});

test('the search text may arrive together with its slash, and is edited like a prompt', () => {
	const {shown, press, view} = reader(...talk);
	press('/readm你e', key('left'), key('backspace'));
	expect([shown().at(-1), view.caret?.()]).toEqual(['/readme', {row: 23, column: 6}]);
	press('👩‍👩‍👧', key('backspace'), ctrl('e'), key('enter'));
	expect(shown()[0]).toBe('Transcript · 3 of 4 · End: jump to latest');
});

test('the caret follows any typed text [1]', () => {
	const {draw, press, view} = reader(...talk);
	press('/你好\u001b');
	expect([draw(20, 5).at(-1), view.caret?.()]).toEqual(['/你好␛', {row: 4, column: 6}]);
	press('long'.repeat(10));
	expect([lineWidth(draw(20, 5).at(-1) ?? ''), view.caret?.()]).toEqual([19, {row: 4, column: 19}]);
	press(key('escape'));
	expect(view.caret?.()).toBe(undefined);
});

test('a paste is one line of the search field, and does nothing elsewhere', () => {
	const {shown, press} = reader(...talk);
	const paste: InputToken = {type: 'paste', text: 'says\n hello\n', truncated: false};
	press(paste);
	expect(shown()[0]).toBe('Transcript · 4 of 4');
	press('/', paste);
	expect(shown().at(-1)).toBe('/says hello');
});

test('a key that can do nothing shows a note', () => {
	const {shown, press} = reader(...talk);
	press('n');
	expect(shown().at(-1)).toBe('No search yet. Press / to search.');
	press(key('enter'));
	expect(shown().at(-1)).toBe('Nothing more to show.');
});

test('Space scrolls by a page, as Page Down does', () => {
	const many = Array.from({length: 40}, (_, index) => [start, user(`Question ${index}`), say(`Answer ${index}`), end]);
	const {draw, press} = reader(...many.flat());
	press('g');
	const first = draw(80, 12);
	press(' ');
	const second = draw(80, 12);
	press(key('page-up'));
	expect(draw(80, 12).slice(1)).toEqual(first.slice(1));
	press(key('page-down'));
	expect(draw(80, 12)).toEqual(second);
	expect(second.slice(1)).not.toEqual(first.slice(1));
});

test('Ctrl+L redraws and Ctrl+Z suspends', () => {
	const {press, copied} = reader(...talk);
	press(ctrl('l'), ctrl('z'));
	expect(copied).toEqual(['redrawn', 'suspended']);
});

test('c copies a block, L opens the log at the moment of a call, Esc closes', () => {
	const {press, copied, logs, shown} = reader(...talk);
	press('L');
	expect(shown().at(-1)).toBe('Select a tool call first.');
	press('c');
	expect(shown().at(-1)).toBe('Copied 3 lines (OSC 52).');
	press(key('up'), 'L', key('escape'));
	expect([copied, logs]).toEqual([['# It\n\nsays hello', 'closed'], [[Date.UTC(2026, 2, 1, 12, 0, 3), undefined]]]);
});

test('c saves a file where the terminal may not copy, and names it', async () => {
	const {press, copied, shown} = readerWithoutClipboard(...talk);
	press('c');
	await Promise.resolve();
	expect(copied.at(-1)).toBe('kept # It\n\nsays hello\n');
	expect(shown().at(-1)).toBe('Not copied. Saved to /state/copied.txt');
});

test('[ and ] stop at the first and the last message, and say so', () => {
	const {press, shown} = reader(...talk);
	press('[', '[', '[');
	expect(shown().at(-1)).toBe('No earlier message of yours.');
	press(']', ']', ']');
	expect(shown().at(-1)).toBe('No later message of yours.');
});

test('L opens the log that a call names', () => {
	const args = {path: '', environment: 'e-1'};
	const {press, logs} = reader(start, user('Read it'), call('c1', 'environment_logs', args), result('c1', 'done'), end);
	press('L');
	expect(logs).toEqual([[Date.UTC(2026, 2, 1, 12, 0, 2), 'e-1']]);
});

test.each([
	[80, 24],
	[120, 40],
	[20, 5],
])('at %i x %i every row fits, whatever was said [1]', (columns, rows) => {
	const hostile = '\u001b[2J\u0007\u202Eevil\u200b 你好 👩‍👩‍👧 '.repeat(20);
	const {draw, press} = reader(
		start,
		user(hostile),
		think(hostile),
		call('c1', hostile, {path: hostile}),
		result('c1', `${hostile}\n`.repeat(3000)),
		say(hostile),
		end,
	);
	press('g', key('enter'), 'j', key('enter'), 'j', key('enter'));
	const lines = draw(columns, rows);
	expect(lines).toHaveLength(rows);
	expect(lines.filter(line => lineWidth(line) > columns)).toEqual([]);
	expect(lines.join('')).not.toMatch(/[\u0000-\u001a\u202e]/);
});

function costOfTwentyKeys(turns: number): number {
	const many = Array.from({length: turns}, (_, index) => [start, user(`Question ${index}`), say(`Answer ${index}`)]);
	const {draw, press} = reader(...many.flat());
	return countSteps(() => Array.from({length: 20}, () => [press(key('page-up')), draw()]));
}

test('the cost of a key grows at most linearly with the transcript', () => {
	expect(costOfTwentyKeys(1200)).toBeLessThan(8 * costOfTwentyKeys(300));
});

test('an empty session says so', () => {
	expect(reader().shown()).toEqual(['Transcript · no messages yet', keys]);
});

test('opened at a moment, it chooses the call of that moment', () => {
	const second = (seconds: number) => Date.UTC(2026, 2, 1, 12, 0, seconds);
	const more = [start, call('c2'), result('c2', 'done'), say('Both.'), end];
	const chosen = (at: number) => readerAt(at, ...talk, ...more).shown()[0];
	expect([second(3), second(6), second(60), second(0)].map(chosen)).toEqual(
		[3, 3, 5, 1].map(place => `Transcript · ${place} of 6 · End: jump to latest`),
	);
});
