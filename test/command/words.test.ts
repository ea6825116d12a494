import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import {lastWord, splitWords} from '../../src/command/words.ts';
import {anyText} from '../any-text.ts';

test.each([
	['', []],
	['  \t ', []],
	['a b', ['a', 'b']],
	[' a\u00A0b\n', ['a', 'b']],
	['"a b" c', ['a b', 'c']],
	["'a \"b' c", ['a "b', 'c']],
	['a"b c"d', ['ab cd']],
	['""', ['']],
	["a '' b", ['a', '', 'b']],
	['a\\ b', ['a b']],
	['"a\\"b\\\\c\\n"', ['a"b\\c\\n']],
	["'a\\b'", ['a\\b']],
	['C:\\\\dir', ['C:\\dir']],
	['end\\', ['end\\']],
])('%j splits into %j', (line, words) => {
	expect(splitWords(line)).toEqual(words);
});

test.each(['"open', "it's", 'a "b'])('%j is refused for its unclosed quote', line => {
	expect(() => splitWords(line)).toThrowError(
		expect.objectContaining({code: 'usage', hint: 'Close it, or put a backslash before it.'}),
	);
});

test.each([
	['', [], '', 0, ''],
	['a b', ['a'], 'b', 2, ''],
	['a  ', ['a'], '', 3, ''],
	['a "b c', ['a'], 'b c', 2, '"'],
	["a 'b c' ", ['a', 'b c'], '', 8, ''],
	['"a b" c"d e', ['a b'], 'cd e', 6, ''],
	['a "', ['a'], '', 2, '"'],
	['a\\ b', [], 'a b', 0, ''],
])('the last word of %j is read while it is typed', (line, before, word, start, quote) => {
	expect(lastWord(line)).toEqual({before, word, start, quote});
});

test('the last word is the last one of the line, or a new one after a space', () => {
	fc.assert(
		fc.property(fc.string({unit: fc.constantFrom('a', ' ', '"', "'", '\\')}), line => {
			const {before, word, start} = lastWord(line);
			expect(start).toBeLessThanOrEqual(line.length);
			const whole = [...before, ...(start < line.length ? [word] : [])];
			try {
				expect(whole).toEqual(splitWords(line));
			} catch (error) {
				expect(error).toMatchObject({code: 'usage'});
			}
		}),
	);
});

test('quoted words survive splitting', () => {
	const double = (word: string) => `"${word.replace(/["\\]/g, '\\$&')}"`;
	const single = (word: string) => `'${word.replaceAll("'", `'"'"'`)}'`;
	const escaped = (word: string) => word.replace(/./gsu, '\\$&') || "''";
	const quoted = fc.tuple(anyText(), fc.constantFrom(double, single, escaped));
	fc.assert(
		fc.property(fc.array(quoted), words => {
			expect(splitWords(words.map(([word, quote]) => quote(word)).join('  '))).toEqual(words.map(([word]) => word));
		}),
	);
});

test('any line splits, or is refused only for an unclosed quote', () => {
	fc.assert(
		fc.property(fc.string({unit: fc.constantFrom('a', ' ', '"', "'", '\\', '\n')}), line => {
			try {
				splitWords(line);
			} catch (error) {
				expect(error).toMatchObject({code: 'usage'});
			}
		}),
	);
});
