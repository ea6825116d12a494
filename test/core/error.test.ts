import {expect, test} from 'vitest';
import {AppError, exitStatus, isAbort, reportError} from '../../src/core/error.ts';

test('each code has the exit status that scripts rely on', () => {
	expect(exitStatus).toEqual({
		failed: 1,
		usage: 2,
		incomplete: 3,
		auth: 4,
		'not-found': 5,
		network: 6,
		provider: 6,
		budget: 7,
		conflict: 8,
		upgrade: 9,
		interrupted: 130,
	});
});

test('an AppError is reported as it is, without a stack or a cause', () => {
	const error = new AppError('auth', 'No.', {hint: 'Log in.', cause: new Error('secret detail'), retryAfter: 5});
	expect(reportError(error)).toEqual({code: 'auth', message: 'No.', hint: 'Log in.'});
	expect(reportError(new AppError('failed', 'No.'))).toEqual({code: 'failed', message: 'No.'});
	expect([error.name, error.retryAfter]).toEqual(['AppError', 5]);
});

test.each([
	[new TypeError('x is not a function'), 'x is not a function'],
	['text', 'text'],
	[undefined, 'undefined'],
	[null, 'null'],
	[{}, '[object Object]'],
])('any other thrown value is reported as a bug', (thrown, said) => {
	expect(reportError(thrown)).toEqual({code: 'failed', message: `Something went wrong inside service: ${said}`});
});

test('an abort is an interruption, not a bug', () => {
	const abort = new AbortController();
	abort.abort();
	expect(isAbort(abort.signal.reason)).toBe(true);
	expect(reportError(abort.signal.reason)).toEqual({code: 'interrupted', message: 'Interrupted.'});
	expect(isAbort(Object.assign(new Error('late'), {name: 'TimeoutError'}))).toBe(false);
	expect(isAbort('AbortError')).toBe(false);
});

test('a credential is hidden in the message and in the hint [8]', () => {
	const key = `sk-ant-api03-${'a1B2'.repeat(24)}-AAAAAAAA`;
	const error = new AppError('auth', `Anthropic rejected ${key}.`, {hint: `Try again: keys set anthropic ${key}`});
	expect(reportError(error)).toEqual({
		code: 'auth',
		message: 'Anthropic rejected ***.',
		hint: 'Try again: keys set anthropic ***',
	});
});
