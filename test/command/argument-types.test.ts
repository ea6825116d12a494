import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import * as z from 'zod/mini';
import {readInputs, readPairs, wholeNumber} from '../../src/command/argument-types.ts';
import {parseArguments} from '../../src/command/arguments.ts';

const usage = (message: string) => expect.objectContaining({code: 'usage', message});

test('an input is split at its first equals sign', () => {
	expect(readPairs('input', ['a=b', 'url=http://h?x=y', 'empty=', 'blank= b '])).toEqual({
		a: 'b',
		url: 'http://h?x=y',
		empty: '',
		blank: ' b ',
	});
	expect(readPairs('input', [])).toEqual({});
});

test('any name and text survive reading', () => {
	const name = fc.string({minLength: 1}).filter(text => !/[=:]/.test(text));
	fc.assert(
		fc.property(name, fc.string(), (key, text) => {
			expect(Object.entries(readPairs('input', [`${key}=${text}`]))).toEqual([[key, text]]);
		}),
	);
});

test('a colon before the equals sign makes the value JSON', () => {
	expect(readInputs('input', ['n=3', 'm:=3', 'list:=["a",null]', '__proto__:={"a":1}'])).toEqual(
		Object.fromEntries([
			['n', '3'],
			['m', 3],
			['list', ['a', null]],
			['__proto__', {a: 1}],
		]),
	);
});

test.each([
	[['novalue'], '--input takes name=value, not “novalue”.'],
	[['=value'], '--input takes name=value, not “=value”.'],
	[[':=1'], '--input takes name=value, not “:=1”.'],
	[[''], '--input takes name=value, not “”.'],
	[['a=1', 'a=2'], '--input names “a” twice.'],
	[['a=1', 'a:=2'], '--input names “a” twice.'],
	[['a:={'], '--input a:=… is not valid JSON.'],
])('%j is refused', (words, message) => {
	expect(() => readInputs('input', words)).toThrowError(usage(message));
});

test('a whole number is accepted, and an error names the flag of anything else', () => {
	const schema = z.object({limit: z.optional(wholeNumber)});
	expect(['0', '-5', '1000'].map(limit => parseArguments(schema, {limit}))).toEqual([
		{limit: 0},
		{limit: -5},
		{limit: 1000},
	]);
	expect(parseArguments(schema, {})).toEqual({});
	for (const limit of ['', ' ', '1.5', '1e3', '0x10', 'ten', '１']) {
		expect(() => parseArguments(schema, {limit})).toThrowError(usage('--limit must be a whole number.'));
	}
});
