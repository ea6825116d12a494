import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import {parseEnvFile} from '../../../src/agent/mcp/env-file.ts';

test('lines of NAME=value are read as other programs read .env files', () => {
	const source = [
		'\uFEFF# a comment',
		'',
		'A=one',
		'export B = two words  # and a comment',
		'C=\'single # "quoted"\' # comment',
		'D="double \\"quoted\\"\\nline"',
		'E="several',
		'lines"',
		'F=',
		'G=https://example.com/#anchor',
		'A=last\r',
	].join('\n');
	expect(parseEnvFile(source)).toEqual({
		variables: {
			...{A: 'last', B: 'two words', C: 'single # "quoted"', D: 'double "quoted"\nline', E: 'several\nlines'},
			...{F: '', G: 'https://example.com/#anchor'},
		},
	});
	expect(parseEnvFile('')).toEqual({variables: {}});
});

test.each([
	['A=1\nnot a variable\n', 2],
	['A=1\n\n1B=2', 3],
	['A="no end', 1],
	["A='x' y", 1],
	['{"A": 1}', 1],
])('%j: line %i is named', (source, wrongLine) => {
	expect(parseEnvFile(source)).toEqual({wrongLine});
});

test('a variable comes back from its quotes, whatever it holds, and every text ends', () => {
	fc.assert(
		fc.property(fc.string({unit: fc.constantFrom(...'ab=#\'" \t\r\n\\ü💡')}), value => {
			const quoted = value.replaceAll(/[\\"]/g, '\\$&');
			const variables = {A: value.replace(/\r(?=\n)/g, '')};
			expect(parseEnvFile(`A="${quoted}"`)).toEqual({variables});
			parseEnvFile(value);
		}),
	);
});

test('a hostile file costs little', () => {
	const sources = [`A=${' '.repeat(60_000)}x`, `A="${'\\'.repeat(60_001)}`, 'A='.repeat(30_000), ' '.repeat(60_000)];
	expect(sources.map(source => Object.keys(parseEnvFile(source)))).toEqual([
		...[['variables'], ['wrongLine'], ['variables'], ['variables']],
	]);
});
