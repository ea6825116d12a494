import {expect, test} from 'vitest';
import {AppError} from '../../src/core/error.ts';
import {waitTeller} from '../../src/platform/wait-teller.ts';

function told(milliseconds: number, error: unknown): readonly string[] {
	const lines: string[] = [];
	waitTeller(line => lines.push(line))(milliseconds, error);
	return lines;
}

test('a wait is said with the reason that the server gave [21]', () => {
	expect(told(3000, new AppError('network', 'It gets too many requests.'))).toEqual([
		'Retrying in 3.0 s: It gets too many requests.',
	]);
	expect(told(2001, new Error('ECONNRESET'))).toEqual(["Retrying in 2.0 s: The server isn't responding."]);
});

test.each([0, 600, 2000])('a wait of %i ms passes in silence', milliseconds => {
	expect(told(milliseconds, new AppError('network', 'It failed.'))).toEqual([]);
});
