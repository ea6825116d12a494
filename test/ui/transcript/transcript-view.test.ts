import {expect, test} from 'vitest';
import type {AgentEvent} from '../../../src/core/session/event.ts';
import {emptyTranscript, reduceTranscript} from '../../../src/core/session/transcript.ts';
import type {InputToken} from '../../../src/terminal/input/token.ts';
import {renderMarkdown} from '../../../src/terminal/markdown/markdown.ts';
import {createPalette} from '../../../src/terminal/text/style.ts';
import {lineWidth} from '../../../src/terminal/text/width.ts';
import {createTranscriptView} from '../../../src/ui/transcript/transcript-view.ts';
import {leastCpuMs} from '../../growth.ts';
import {call, end, result, say, start, think, user} from '../canvas.ts';

const palette = createPalette({color: false});
const noModifiers = {ctrl: false, alt: false, shift: false};
const key = (name: string): InputToken => ({type: 'key', name, ...noModifiers});
const ctrl = (name: string): InputToken => ({type: 'key', name, ...noModifiers, ctrl: true});
const text = (typed: string): InputToken => ({type: 'text', text: typed});

function reader(...events: readonly AgentEvent[]) {
	return readerAt(undefined, ...events);
}

function readerAt(at: number | undefined, ...events: readonly AgentEvent[]) {
	let transcript = emptyTranscript('s');
	let seq = -1;
	const feed = (...more: readonly AgentEvent[]) => {
		for (const event of more) {
			const at = new Date(Date.UTC(2026, 2, 1, 12, 0, ++seq)).toISOString();
			transcript = reduceTranscript(transcript, {v: 1, seq, at, session: 's', server: 'local', event});
		}
	};
	feed(...events);
	const copied: string[] = [];
	const logs: unknown[] = [];
	const view = createTranscriptView({
		transcript: () => transcript,
		palette,
		renderMarkdown,
		invalidate: () => undefined,
		close: () => copied.push('closed'),
		redraw: () => copied.push('redrawn'),
		suspend: () => copied.push('suspended'),
		copy: copy => copied.push(copy) > 0,
		openLogAt: (...about) => logs.push(about) > 0,
		at,
	});
	const draw = (columns = 80, rows = 24) => view.draw({columns, rows});
	const shown = (columns = 80, rows = 24) => draw(columns, rows).filter(line => line !== '');
	const press = (...tokens: readonly (InputToken | string)[]) => {
		for (const token of tokens) {
			view.press(typeof token === 'string' ? text(token) : token);
		}
	};
	return {feed, draw, shown, press, copied, logs, view};
}

const talk = [
	start,
	user('Look here'),
	think('I read it\nall of it'),
	call('c1'),
	result('c1', 'done'),
	say('# It\n\nsays hello'),
	end,
];
const keys = 'Enter open · / search · c copy · L log · Esc close';

test('what the conversation leaves out opens where one asks for it', () => {
	const {shown, press} = reader(...talk);
	expect(shown()).toEqual([
		'Transcript · 4 of 4',
		'  ❯ Look here',
		expect.stringMatching(/^ {2}✻ Thought/),
		expect.stringMatching(/^ {2}✓ read_file README\.md/),
		'▌ # It',
		'▌ ',
		'▌ says hello',
		keys,
	]);
	press(key('up'), key('enter'));
	expect(shown().slice(3, -4)).toEqual([
		expect.stringMatching(/^▌ ✓ read_file README\.md/),
		expect.stringMatching(/^▌ {3}started \d\d:\d\d:\d\d$/),
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

test('it follows what is said until one moves, and again from the end', () => {
	const {shown, press, feed} = reader(...talk);
	feed(start, user('More'), say('Yes.'), end);
	expect(shown()[0]).toBe('Transcript · 6 of 6');
	press('k');
	feed(start, user('And more'), end);
	expect(shown()[0]).toBe('Transcript · 5 of 7 · End: jump to latest');
	press('G');
	expect(shown()[0]).toBe('Transcript · 7 of 7');
});

test('new lines never move what is being read', () => {
	const many = Array.from({length: 40}, (_, index) => [start, user(`Question ${index}`), say(`Answer ${index}`), end]);
	const {draw, press, feed} = reader(...many.flat());
	press(key('page-up'));
	const before = draw(80, 12).slice(1, -1);
	feed(...many.flat());
	expect(draw(80, 12).slice(1, -1)).toEqual(before);
});

test('a search goes backwards from where one reads, and around', () => {
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

test('a search says which match it is, and opens what a fold hides', () => {
	const {shown, press} = reader(...talk);
	press('/', 'DONE', key('enter'));
	expect(shown()).toContainEqual('▌   done');
	expect(shown().at(-1)).toBe('“DONE” · 1 of 1 · n up · N down');
});

test('what is searched for may come in one piece with its slash, and is edited as a prompt', () => {
	const {shown, press, view} = reader(...talk);
	press('/readm你e', key('left'), key('backspace'));
	expect([shown().at(-1), view.caret?.()]).toEqual(['/readme', {row: 23, column: 6}]);
	press('👩‍👩‍👧', key('backspace'), ctrl('e'), key('enter'));
	expect(shown()[0]).toBe('Transcript · 3 of 4 · End: jump to latest');
});

test('the caret is where one types, whatever was typed before [1]', () => {
	const {draw, press, view} = reader(...talk);
	press('/你好\u001b');
	expect([draw(20, 5).at(-1), view.caret?.()]).toEqual(['/你好␛', {row: 4, column: 6}]);
	press('long'.repeat(10));
	expect([lineWidth(draw(20, 5).at(-1) ?? ''), view.caret?.()]).toEqual([19, {row: 4, column: 19}]);
	press(key('escape'));
	expect(view.caret?.()).toBe(undefined);
});

test('a paste is searched for as one line, and does nothing elsewhere', () => {
	const {shown, press} = reader(...talk);
	const paste: InputToken = {type: 'paste', text: 'says\n hello\n', truncated: false};
	press(paste);
	expect(shown()[0]).toBe('Transcript · 4 of 4');
	press('/', paste);
	expect(shown().at(-1)).toBe('/says hello');
});

test('what a key cannot do is said', () => {
	const {shown, press} = reader(...talk);
	press('n');
	expect(shown().at(-1)).toBe('No search yet. Press / to search.');
	press(key('enter'));
	expect(shown().at(-1)).toBe('Nothing more to show.');
});

test('Space turns the page, back and forth as Page Down does', () => {
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

test('the screen is drawn anew and the program suspended as anywhere', () => {
	const {press, copied} = reader(...talk);
	press(ctrl('l'), ctrl('z'));
	expect(copied).toEqual(['redrawn', 'suspended']);
});

test('a block is copied, a call leads to the log at its moment, and the view is left', () => {
	const {press, copied, logs, shown} = reader(...talk);
	press('L');
	expect(shown().at(-1)).toBe('Select a tool call first.');
	press('c', key('up'), 'L', key('escape'));
	expect([copied, logs]).toEqual([['# It\n\nsays hello', 'closed'], [[Date.UTC(2026, 2, 1, 12, 0, 3), undefined]]]);
});

test('a call that was about a log leads to that one', () => {
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
	return leastCpuMs(() => Array.from({length: 20}, () => [press(key('page-up')), draw()]));
}

test('what a key costs grows with the transcript in proportion at most', () => {
	costOfTwentyKeys(300);
	expect(costOfTwentyKeys(3000)).toBeLessThan(25 * Math.max(costOfTwentyKeys(300), 2));
});

test('an empty session says so', () => {
	expect(reader().shown()).toEqual(['Transcript · no messages yet', keys]);
});

test('opened at a moment, the call that went on then is chosen', () => {
	const second = (seconds: number) => Date.UTC(2026, 2, 1, 12, 0, seconds);
	const more = [start, call('c2'), result('c2', 'done'), say('Both.'), end];
	const chosen = (at: number) => readerAt(at, ...talk, ...more).shown()[0];
	expect([second(3), second(6), second(60), second(0)].map(chosen)).toEqual(
		[3, 3, 5, 1].map(place => `Transcript · ${place} of 6 · End: jump to latest`),
	);
});
