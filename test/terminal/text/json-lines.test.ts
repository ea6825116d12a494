import fc from 'fast-check';
import {expect, test} from 'vitest';
import {breakJson, isJson, jsonSpans} from '../../../src/terminal/text/json-lines.ts';
import {safeText} from '../../../src/terminal/text/safe-text.ts';
import {paint} from '../../../src/terminal/text/sgr.ts';
import {createPalette} from '../../../src/terminal/text/style.ts';
import {anyText} from '../../any-text.ts';
import {expectLinear} from '../../growth.ts';

const palette = createPalette({color: true});
const broken = (text: string, width = 40, maxLines = 100) => breakJson(text, {width, maxLines});

test('values that fit stay on one line, others are broken and indented', () => {
	const value = '{"name":"web-shop","ports":[80,443],"env":{"A":"1","B":"a long text that fills a line"},"tags":[]}';
	expect(broken(value).lines).toEqual([
		'{',
		'  "name": "web-shop",',
		'  "ports": [80, 443],',
		'  "env": {',
		'    "A": "1",',
		'    "B": "a long text that fills a line"',
		'  },',
		'  "tags": []',
		'}',
	]);
	expect(broken(value, 200)).toEqual({lines: [value.replace(/(?<=[":\d}\]])([,:])(?=["[{\d])/g, '$1 ')], more: 0});
	expect(broken(value, 40, 2)).toEqual({lines: ['{', '  "name": "web-shop",'], more: 7});
});

test('numbers, escapes, order and repeated names stay as they were written', () => {
	const value = '{"b":1.0,"a":12345678901234567890,"b":"\\u0041\\/\\"","c":1e400}';
	expect(broken(value, 10).lines.join('')).toBe(
		'{  "b": 1.0,  "a": 12345678901234567890,  "b": "\\u0041\\/\\"",  "c": 1e400}',
	);
});

test('breaking changes no value, and cut JSON is broken, too', () => {
	fc.assert(
		fc.property(fc.json({maxDepth: 6}), fc.nat(80), fc.nat(400), (json, width, cut) => {
			expect(JSON.parse(broken(json, width, 10_000).lines.join('\n'))).toEqual(JSON.parse(json));
			const {lines, more} = broken(json.slice(0, cut), width, 3);
			expect(lines.length).toBeLessThanOrEqual(3);
			expect(broken(json.slice(0, cut), width, 10_000).lines).toHaveLength(lines.length + more);
		}),
	);
});

test('names, strings, numbers and literals have their colours, and the rest none', () => {
	const {attribute, string, number, literal} = palette.syntax;
	expect(paint(jsonSpans('  "a" : ["b", -1.5e3, true, null],', palette), palette)).toBe(
		`  ${attribute('"a"')} : [${string('"b"')}, ${number('-1.5e3')}, ${literal('true')}, ${literal('null')}],`,
	);
});

test('a line loses nothing, and what a terminal obeys is drawn [1] [2]', () => {
	fc.assert(
		fc.property(fc.oneof(anyText(), fc.json()), text => {
			const spans = jsonSpans(text, palette);
			expect(spans.map(span => span.text).join('')).toBe(safeText(text));
		}),
		{examples: [['{"a\u001b[2J":"\u009b1m\u202e"}'], ['"\u001b]0;x\u0007']]},
	);
});

test.each([
	['deep brackets', (size: number) => '['.repeat(size) + ']'.repeat(size)],
	['deep objects', (size: number) => '{"a":'.repeat(size)],
	['escapes in a string', (size: number) => `["${'\\"'.repeat(size)}`],
	['a long list', (size: number) => `[${'1,{"a":"b"},'.repeat(size)}2]`],
	['closing brackets', (size: number) => `[${']'.repeat(size)}`],
])('%s take linear time', (_, text) => {
	expectLinear(size => broken(text(size), 80, 8), 2000);
	expectLinear(size => jsonSpans(text(size), palette), 2000);
});

test.each([
	['{"a":1}', true],
	[' [1, 2] ', true],
	['[INFO] started [1]', false],
	['{not json}', false],
	['1', false],
	['"text"', false],
	['{"a":"\u001b[31m"}', false],
	['[1] + done', false],
])('%j is JSON: %s', (text, is) => {
	expect(isJson(text)).toBe(is);
});
