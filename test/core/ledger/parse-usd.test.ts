import {expect, test} from 'vitest';
import {parseUsd} from '../../../src/core/ledger/parse-usd.ts';

test.each([
	['5', 5],
	['$5', 5],
	[' $ 0.50 ', 0.5],
	['US$2', 2],
	['.25', 0.25],
	['5 USD', 5],
	['5$', 5],
	['0.0001', 0.0001],
	['1000000', 1_000_000],
])('“%s” is an amount', (text, usd) => {
	expect(parseUsd(text)).toBe(usd);
});

test.each([
	'',
	'abc',
	'NaN',
	'Infinity',
	'-5',
	'-$5',
	'$-5',
	'€5',
	'5,50',
	'1e9',
	'0x10',
	'5 EUR',
	'٥',
	'9'.repeat(400),
])('“%s” is no amount', text => {
	expect(() => parseUsd(text)).toThrow(expect.objectContaining({code: 'usage', hint: expect.any(String)}));
});

test.each([
	['0', 'too small'],
	['0.000', 'too small'],
	['0.00001', 'too small'],
	['1000000.01', 'too large'],
])('“%s” is %s', (text, reason) => {
	expect(() => parseUsd(text)).toThrow(reason);
});
