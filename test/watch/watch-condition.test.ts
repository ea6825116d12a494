import fc from 'fast-check';
import {expect, test} from 'vitest';
import {intervalText, readCondition, readInterval} from '../../src/watch/watch-condition.ts';

const lines = ['[error] GET /a 500', '[info] timed out', 'FATAL: no disk', 'plain error text', '[warn] slow'];
const found = (text: string) => {
	const matched = readCondition(text).match(lines);
	return lines.filter((_, index) => matched[index]);
};

test.each<[string, readonly number[]]>([
	['timed out', [1]],
	['level>=error', [0, 2]],
	['LEVEL>=Warn', [0, 2, 4]],
	['timed out|level>=fatal', [1, 2]],
	['slow|timed|level>=fatal', [1, 2, 4]],
	['error', [0, 3]],
	['ERROR', []],
	['nowhere', []],
])('%j finds its lines, and no line of unknown level by its level', (text, expected) => {
	expect(found(text)).toEqual(expected.map(index => lines[index]));
});

test.each([
	['level>=loud', 'Invalid level “loud”.'],
	['level>=', 'Invalid level “”.'],
	['|level>=error', 'The condition is empty.'],
	[' ', 'The condition is empty.'],
	['a(', 'Invalid regex “a(”: unterminated group.'],
])('%j is rejected with the reason', (text, message) => {
	expect(() => readCondition(text)).toThrowError(expect.objectContaining({code: 'usage', message}));
});

test('an expression that takes forever is stopped [21]', () => {
	expect(() => readCondition('(a+)+$|level>=error').match([`${'a'.repeat(50)}!`])).toThrowError(/takes too long/);
});

test.each([
	['5s', 5000, '5 s'],
	['90s', 90_000, '90 s'],
	['60s', 60_000, '1 min'],
	['90m', 5_400_000, '90 min'],
	['24h', 86_400_000, '24 h'],
])('%s is an interval', (text, milliseconds, said) => {
	expect([readInterval('every', text), intervalText(milliseconds)]).toEqual([milliseconds, said]);
});

test.each(['', '1', 'm', '4s', '25h', '1.5m', '-1m', '1d', '1m 30s'])('“%s” is not an interval', text => {
	expect(() => readInterval('every', text)).toThrowError(
		expect.objectContaining({code: 'usage', message: `--every takes a time between 5s and 24h, not “${text}”.`}),
	);
});

test('any text is a condition, or rejected with a sentence', () => {
	const piece = fc.constantFrom('level>=', 'error', '|', '(', ')', '*', '[', '\\', 'a', ' ', '\n', '\u{1F600}');
	fc.assert(
		fc.property(fc.array(piece, {maxLength: 8}), pieces => {
			try {
				expect(readCondition(pieces.join('')).match(lines).length).toBe(lines.length);
			} catch (error) {
				expect(error).toMatchObject({name: 'AppError', code: 'usage', hint: expect.stringMatching(/\.$/)});
			}
		}),
	);
});
