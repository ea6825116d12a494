import fc from 'fast-check';
import {expect, test} from 'vitest';
import {formatClock} from '../../../src/core/format.ts';
import {createMatcher} from '../../../src/logs/matcher.ts';
import {plainText} from '../../../src/terminal/text/ansi.ts';
import {createPalette} from '../../../src/terminal/text/style.ts';
import {lineWidth} from '../../../src/terminal/text/width.ts';
import {drawEntry, type LineStyle} from '../../../src/ui/logs/log-lines.ts';
import {anyText} from '../../any-text.ts';
import {expectLinear} from '../../growth.ts';
import {logOf, shop} from '../log-parts.ts';

const style: LineStyle = {
	width: 40,
	palette: createPalette({color: false}),
	wrap: false,
	sideways: 0,
	raw: false,
	times: 'off',
	search: undefined,
	highlights: [],
};
const colored = createPalette({color: true});
const rowsOf = (text: string, given: Partial<LineStyle> = {}) => drawEntry(logOf([text]), 0, {...style, ...given}).rows;

test.each([
	['\u001b]0;owned\u0007\u001b[2Jx', ['␛]0;owned␇␛[2Jx']],
	['a\r', ['a']],
	['a\rb\u0008\u009bc', ['⟨U+009B⟩c']],
	['1%\r\u001b]0;owned\u0007100%', ['␛]0;owned␇100%']],
	['a\u001b]7501;state=done:app=service\u001b\\b\u001b]7501;state=blocked\u0007c', ['abc']],
	['a\u001b]7501;state=done', ['a␛]7501;state=done']],
	['\u202Eabc\u200B', ['⟨U+202E⟩abc⟨U+200B⟩']],
	['\u001b[31mred\u001b[0m plain', ['red plain']],
	['a\tb', ['a       b']],
	['日本語'.repeat(10), [`${'日本語'.repeat(6)}日…`]],
	['e\u0301'.repeat(50), [`${'e\u0301'.repeat(39)}…`]],
] as const)('%j is drawn as %j [1] [2]', (text, rows) => {
	expect(rowsOf(text)).toEqual(rows);
});

test('of a line that was redrawn, the last state is drawn, and as it was received all of it [2]', () => {
	const bar = '\rProgress 1%\rProgress 100%\r';
	expect(rowsOf(bar)).toEqual(['Progress 100%']);
	expect(rowsOf(bar, {raw: true})).toEqual(['␍Progress 1%␍Progress 100%']);
	expect(rowsOf(`10%\r\u001b[K{"level":"error","msg":"no rate"}`)).toEqual(['error no rate']);
	expect(rowsOf('10%\rERROR: no', {palette: colored})).toEqual(['\u001b[31mERROR: no\u001b[0m']);
});

test('a match behind what is drawn of a long line is marked', () => {
	const log = logOf([`${'x'.repeat(100_000)}needle`, 'x']);
	const search = createMatcher('needle');
	expect([0, 1].map(place => drawEntry(log, place, {...style, search}).isMatch)).toEqual([true, false]);
});

test('colours of a line are redrawn, and a line without colours gets that of its level [2]', () => {
	expect(rowsOf('\u001b[38;2;255;0;0mred\u001b[0m', {palette: colored})).toEqual(['\u001b[91mred\u001b[0m']);
	expect(rowsOf('ERROR: no', {palette: colored})).toEqual(['\u001b[31mERROR: no\u001b[0m']);
});

test('a structured line has time, level and message first, and its fields dimmed', () => {
	const line = '{"pid":7,"level":"error","msg":"no rate\\nat total","host":"a b","time":"2026-03-02T09:41:07.352Z"}';
	const clock = formatClock(Date.UTC(2026, 2, 2, 9, 41, 7));
	expect(rowsOf(line, {width: 80})).toEqual([`${clock}.352 error no rate (+1 line) pid=7 host="a b"`]);
	const [row = ''] = rowsOf(line, {width: 80, palette: colored});
	expect(row.split('\u001b[0m').filter(Boolean)).toEqual([
		`\u001b[2m${clock}.352 `,
		'\u001b[31merror ',
		'\u001b[31mno rate (+1 line)',
		'\u001b[2m pid=7',
		'\u001b[2m host="a b"',
	]);
	const nested = '{"level":"info","msg":"up","in":{"a":{"b":[1,"c d"]}},"said":"a \\"b\\""}';
	expect(rowsOf(nested, {width: 80})).toEqual(['info  up in.a={"b":[1,"c d"]} said="a \\"b\\""']);
	expect(rowsOf('level=info msg=up port=1')).toEqual(['info  up port=1']);
	expect(rowsOf(line, {raw: true, width: 200})).toEqual([line]);
});

test('escape sequences in the fields of a structured line are drawn [1] [2]', () => {
	const line = '{"level":"i\\u001b[2Jn","msg":"a\\u001b]0;b\\u0007","\\u202ek":"\\u009b1m","time":"\\u001b[3J"}';
	const [row = ''] = rowsOf(line, {width: 120, palette: colored});
	expect(plainText(row)).toBe('␛[3J i␛[2jn a␛]0;b␇ ⟨U+202E⟩k=⟨U+009B⟩1m');
});

test('a stack trace in a line of JSON is opened line by line, and its escapes stay what they are', () => {
	const stack = 'Error: no rate\n\tat total (C:\\new\\rates.ts:3)\r\n    at main';
	const line = JSON.stringify({level: 'error', err: {stack, code: '\u001b[2J'}});
	const open = (given: Partial<LineStyle> = {}) =>
		drawEntry(logOf([line]), 0, {...style, width: 60, ...given}, {folded: 0, isOpen: true});
	expect(open().rows).toEqual([
		'{',
		'  "level": "error",',
		'  "err": {',
		'    "stack": "Error: no rate',
		'          at total (C:\\\\new\\\\rates.ts:3)',
		'          at main",',
		'    "code": "\\u001b[2J"',
		'  }',
		'}',
	]);
	expect(open({palette: colored}).rows[5]).toBe(`\u001b[32m          at main"\u001b[0m,`);
	const isMatch = (text: string) => open({search: createMatcher(text)}).isMatch;
	expect(['at main', '"level":"error"', 'at nothing'].map(isMatch)).toEqual([true, true, false]);
});

test('a string of many lines in JSON is opened up to a limit, and the others are counted', () => {
	const line = JSON.stringify({stack: 'a\n'.repeat(3000)});
	const {rows} = drawEntry(logOf([line]), 0, style, {folded: 0, isOpen: true});
	expect([rows.length, rows.at(-1)]).toEqual([401, '… 2,603 more lines']);
});

test('a match in the received text of a structured line marks it', () => {
	const search = createMatcher('"level":"error"');
	const log = logOf(['{"level":"error","msg":"no"}', '{"level":"info","msg":"up"}']);
	const isMatch = (place: number) => drawEntry(log, place, {...style, search}).isMatch;
	expect([isMatch(0), isMatch(1)]).toEqual([true, false]);
});

test('the frames of libraries are dimmed below the error of a stack trace', () => {
	const palette = colored;
	expect(rowsOf('Error: no rate', {palette})).toEqual(['\u001b[31mError: no rate\u001b[0m']);
	const line = '    at f (node:fs:3:1)';
	const rows = (kind: 'own' | 'minor') =>
		drawEntry(logOf([line]), 0, {...style, palette}, {kind, folded: 0, isOpen: false}).rows;
	expect(rows('minor')).toEqual([`\u001b[2m${line}\u001b[0m`]);
	expect(rows('own')).toEqual([line]);
});

test('matches stand out, even without colour', () => {
	const given = {search: createMatcher('two'), highlights: [createMatcher('o')]};
	expect(rowsOf('one two', {...given, palette: colored})).toEqual([
		'\u001b[1;4;33mo\u001b[0mne \u001b[7mtw\u001b[0m\u001b[7m\u001b[1;4;33mo\u001b[0m',
	]);
	expect(drawEntry(logOf(['one two']), 0, {...style, ...given})).toEqual({rows: ['one two'], isMatch: true});
	expect(drawEntry(logOf(['six']), 0, {...style, ...given}).isMatch).toBe(false);
});

test('the arrival time is before the line', () => {
	const log = logOf(['one', 'two']);
	const at = (times: LineStyle['times']) => drawEntry(log, 1, {...style, times}).rows;
	expect(at('UTC')).toEqual(['00:00:02.000Z two']);
	expect(at('delta')).toEqual(['    +1.0 s two']);
	expect(at('local')[0]).toMatch(/^\d\d:\d\d:02\.000 two$/);
});

test('each line of several logs has the name of its log, in its colour', () => {
	const log = {...logOf(['one']), environmentAt: () => shop};
	const tags = new Map([[shop, {title: 'web-shop', hue: 1}]]);
	expect(drawEntry(log, 0, {...style, tags}).rows).toEqual(['web-shop│ one']);
	expect(drawEntry(log, 0, {...style, tags, palette: colored}).rows[0]).toContain('\u001b[32mweb-shop\u001b[0m');
});

test('a long line is wrapped or scrolled sideways; half a wide character is a blank', () => {
	const long = 'abcdefghij'.repeat(5);
	expect(rowsOf(long, {wrap: true, times: 'UTC'})).toHaveLength(2);
	const {rows} = drawEntry(logOf([long]), 0, {...style, palette: colored, wrap: true});
	expect(rows.map(row => row.includes('\u001b[7m'))).toEqual(rows.map((_, index) => index < rows.length - 1));
	expect(rowsOf(long, {sideways: 16})).toEqual([long.slice(16)]);
	expect(rowsOf('日本語', {sideways: 1})).toEqual([' 本語']);
	expect(rowsOf('abc', {sideways: 16})).toEqual(['']);
});

test('a line of 10 MB is cut on the screen, says so, and takes few rows', () => {
	const huge = '\u001b[31mé'.repeat(1_600_000);
	const log = logOf([huge]);
	const {rows} = drawEntry(log, 0, {...style, width: 80, wrap: true});
	expect(rows.join('')).toContain('cut (9.6 MB in total)');
	expect(rows.length).toBeLessThan(300);
});

test('no row of any line is too wide or contains a control character [1] [2]', () => {
	const part = fc.oneof(
		anyText(),
		fc.constantFrom('\u001b[31m', '\u001b[0m', '\u001b]8;;x\u0007', '\t', '日', '👩‍💻', '\u0301', '\ufffd', '\r'),
	);
	fc.assert(
		fc.property(
			fc.array(part, {maxLength: 20}),
			fc.integer({min: 8, max: 60}),
			fc.boolean(),
			fc.nat(40),
			fc.constantFrom('off', 'UTC', 'delta'),
			(parts, width, wrap, sideways, times) => {
				const text = parts.join('').replaceAll('\n', '');
				for (const row of rowsOf(text, {width, wrap, sideways, times, highlights: [createMatcher('.')]})) {
					expect(lineWidth(row)).toBeLessThanOrEqual(width);
					expect(row).not.toMatch(/\p{Cc}/u);
				}
			},
		),
		{numRuns: 300},
	);
});

test('a stack frame that is too wide keeps its file and line, until one looks sideways or at the whole', () => {
	const frame = '    at checkout (file:///srv/sandboxes/af125414/workspace/shop.mjs:12:9)';
	const kind = {kind: 'own', folded: 0, isOpen: false} as const;
	const draw = (text: string, given: Partial<LineStyle> = {}) =>
		drawEntry(logOf([text]), 0, {...style, ...given}, kind).rows.map(plainText);
	expect(draw(frame)).toEqual(['    at checkout (…rkspace/shop.mjs:12:9)']);
	expect(draw(frame, {palette: colored})).toEqual(['    at checkout (…rkspace/shop.mjs:12:9)']);
	expect(draw(frame, {width: 90})).toEqual([frame]);
	expect(draw(frame, {sideways: 4})).toEqual(['at checkout (file:///srv/sandboxes/af12…']);
	expect(draw(frame, {wrap: true}).join('')).toBe(frame);
	const other = '    at 日本語日本語 (/srv/sandboxes/af125414/workspace/shop.mjs:12:9)';
	expect(draw(other).map(lineWidth)).toEqual([40]);
});

test('a frame that is one long word without a path costs linear time', () => {
	const frame = {kind: 'minor', folded: 0, isOpen: false} as const;
	expectLinear(size => drawEntry(logOf([`    ${'x'.repeat(size)}`]), 0, style, frame), 1000);
});
