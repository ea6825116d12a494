import {expect, test} from 'vitest';
import {jsonFault} from '../../src/config/json-fault.ts';
import {expectLinear} from '../growth.ts';

test.each([
	['', 'it is empty'],
	['\uFEFF\r\n', 'it is empty'],
	['{', 'it is not valid JSON'],
	["{'deny': []}", 'it is not valid JSON'],
	['{"deny": []} // }', 'it has comments or trailing commas, which JSON does not allow'],
	[
		'{/* why\n*/ "deny": ["run_command(rm \\"//*\\")", ], // no\n}',
		'it has comments or trailing commas, which JSON does not allow',
	],
	['{"deny": [,]}', 'it is not valid JSON'],
	['{"deny": "//", ,}', 'it is not valid JSON'],
])('what is wrong with the JSON %j is said', (text, fault) => {
	expect(jsonFault(text)).toBe(fault);
});

test.each(['/*', '"\\\\"', '//', ',]', ', ', '"\\\\'])('a file of nothing but %j costs one pass', part => {
	expectLinear(size => jsonFault(part.repeat(size)), 500);
});
