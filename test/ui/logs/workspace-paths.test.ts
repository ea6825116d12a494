import fc from 'fast-check';
import {expect, test} from 'vitest';
import {plainText} from '../../../src/terminal/text/ansi.ts';
import {parseSgr} from '../../../src/terminal/text/sgr.ts';
import {createPalette} from '../../../src/terminal/text/style.ts';
import {lineWidth} from '../../../src/terminal/text/width.ts';
import {drawEntry, type LineStyle} from '../../../src/ui/logs/log-lines.ts';
import {withoutMatches, workspacePattern} from '../../../src/ui/logs/workspace-paths.ts';
import {anyText} from '../../any-text.ts';
import {expectLinear} from '../../growth.ts';
import {logOf, shop} from '../log-parts.ts';

const folder = '/home/ada/web (shop)+';
const runtime = '0b5f33a8-1111-4222-8333-0123456789ab';
const shorten = (text: string, given = folder) =>
	withoutMatches([{text, style: {}}], workspacePattern(given))
		.map(span => span.text)
		.join('');

test.each([
	[`    at f (${folder}/src/a.ts:1:2)`, '    at f (src/a.ts:1:2)'],
	[`    at file://${folder}/src/a.mjs:3`, '    at src/a.mjs:3'],
	[`  File "${folder}/a.py", line 3`, '  File "a.py", line 3'],
	[`PATH=${folder}/bin:${folder}/sbin:/usr/bin`, 'PATH=bin:sbin:/usr/bin'],
	[`/var/lib/server/sandboxes/${shop}/workspace/shop.mjs:12:9`, 'shop.mjs:12:9'],
	[`open '/data/workspaces/${runtime}/rates.json'`, "open 'rates.json'"],
	[`rm ${folder} ${folder}/ ${folder}2/x /mnt${folder}/x`, undefined],
	[`https://ada.test${folder}/x?at=${folder}//x`, undefined],
	[`/data/${shop}/tmp/x workspace/x ${shop}/workspace/x`, undefined],
])('%j is shown as %j', (text, shown = text) => {
	expect(shorten(text)).toBe(shown);
});

test('without a folder, and in the root folder, other paths stay', () => {
	expect(shorten('/src/a.ts', '/')).toBe('/src/a.ts');
	expect(shorten('/src/a.ts', '')).toBe('/src/a.ts');
});

test('whatever stands beside a path and whatever its colours are, only its folder is left out', () => {
	const beside = fc.constantFrom(' ', '\t', '(', '"', "'", '[', '=', ',', ';', '|', '<');
	const name = fc.stringMatching(/^[\w.-]{1,8}$/);
	const colour = fc.constantFrom('', '\u001b[31m', '\u001b[0m', '\u001b[1m');
	const other = anyText({maxLength: 12}).filter(text => !text.includes('/'));
	const home = fc.array(name, {minLength: 1, maxLength: 4}).map(names => `/${names.join('/')}`);
	fc.assert(
		fc.property(
			home,
			other,
			beside,
			name,
			fc.array(colour, {minLength: 6}),
			fc.nat(60),
			(given, text, before, end, ...rest) => {
				const [[first = '', second = ''], at] = rest;
				const whole = `${given}/${end}`;
				const cut = at % whole.length;
				const path = `${first}${whole.slice(0, cut)}${second}${whole.slice(cut)}`;
				const spans = withoutMatches(parseSgr(`${text}${before}${path}`), workspacePattern(given));
				const plain = parseSgr(text)
					.map(span => span.text)
					.join('');
				expect(spans.map(span => span.text).join('')).toBe(`${plain}${before}${end}`);
				expect(spans.filter(span => span.text === '')).toEqual([]);
			},
		),
	);
});

test('what is left of a hostile line is safe, and as received it is whole [1] [2]', () => {
	const style: LineStyle = {
		width: 200,
		palette: createPalette({color: true}),
		workspaces: workspacePattern('/w'),
		wrap: false,
		sideways: 0,
		raw: false,
		times: 'off',
		search: undefined,
		highlights: [],
	};
	const part = fc.oneof(
		anyText({maxLength: 6}),
		fc.constantFrom('/w/', '\u001b', '\u001b[', '[2J', ']0;x\u0007', 'm', ' '),
	);
	const rowsOf = (text: string, raw: boolean) =>
		drawEntry(logOf([text]), 0, {...style, raw}).rows.map(row => {
			expect(plainText(row)).not.toMatch(/\p{Cc}/u);
			expect(lineWidth(row)).toBeLessThanOrEqual(style.width);
			return row;
		});
	fc.assert(
		fc.property(fc.array(part, {maxLength: 20}), parts => {
			const text = parts.join('').replaceAll('\n', '');
			rowsOf(text, false);
			const {workspaces: _, ...received} = style;
			expect(rowsOf(text, true)).toEqual(drawEntry(logOf([text]), 0, {...received, raw: true}).rows);
		}),
		{examples: [[['\u001b', ' /w/', '[2Jx']], [['\u001b', '(/w/x', '\u001b]7501;', '/w/state=done\u0007']]]},
	);
});

test.each(['/a', '/a /', ' /w', 'file://', `/${shop}/workspace`, '/workspaces/', '//', `/${shop}`])(
	'a line of many %j takes linear time',
	part => {
		const pattern = workspacePattern('/w');
		expectLinear(count => withoutMatches([{text: part.repeat(count), style: {}}], pattern), 300);
	},
);
