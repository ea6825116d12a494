import {expect, test} from 'vitest';
import {AppError} from '../../src/core/error.ts';
import {retryNotice} from '../../src/platform/retry-notice.ts';

function told(milliseconds: number, error: unknown): readonly string[] {
	const lines: string[] = [];
	retryNotice(line => lines.push(line))(milliseconds, error);
	return lines;
}

test('a retry is announced with the reason from the server [21]', () => {
	expect(told(3000, new AppError('network', 'It gets too many requests.'))).toEqual([
		'Retrying in 3.0 s: It gets too many requests.',
	]);
	expect(told(2001, new Error('ECONNRESET'))).toEqual(["Retrying in 2.0 s: The server isn't responding."]);
});

test.each([0, 600, 2000])('a wait of %i ms is not announced', milliseconds => {
	expect(told(milliseconds, new AppError('network', 'It failed.'))).toEqual([]);
});
