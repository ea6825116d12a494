import {expect, test} from 'vitest';
import {waitText} from '../../src/command/wait-text.ts';
import {AppError} from '../../src/core/error.ts';

test('a wait is said with the reason that the server gave', () => {
	expect(waitText(1000, new AppError('network', 'It gets too many requests.'))).toBe(
		'Trying again in 1.0 s: It gets too many requests.',
	);
	expect(waitText(400, new Error('ECONNRESET'))).toBe('Trying again in 400 ms: The server does not answer.');
});
