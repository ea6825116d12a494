import {expect, test} from 'vitest';
import {AppError} from '../../src/core/error.ts';
import {describeState, finalState, type TailState} from '../../src/logs/tail-state.ts';

const error = new AppError('network', 'Nothing listens.');
const now = 1_000_000;

test.each<[string, TailState]>([
	['connecting', {name: 'connecting'}],
	['live', {name: 'live', isComplete: false}],
	['live, complete', {name: 'live', isComplete: true}],
	['gap', {name: 'gap'}],
	['suspended', {name: 'suspended'}],
	['login needed', {name: 'login', error}],
	['stale 42 s', {name: 'stale', since: now - 42_000}],
	['stale 3 m 05 s', {name: 'stale', since: now - 185_000}],
	['stale 0 s', {name: 'stale', since: now + 99_000}],
	['reconnecting in 3 s (attempt 2)', {name: 'reconnecting', attempt: 2, retryAt: now + 2100, error}],
	['reconnecting in 0 s (attempt 2)', {name: 'reconnecting', attempt: 2, retryAt: now - 5000, error}],
	['ended: it is over', {name: 'ended', why: 'it is over', error}],
])('a state reads “%s”, even if the clock was set back', (text, state) => {
	expect(describeState(state, now)).toBe(text);
});

test('a failure that may pass does not end a tail, except for an address that never answered', () => {
	const lasting = new AppError('network', 'The certificate has expired.', {permanent: true});
	expect([finalState(error, true), finalState(error, false), finalState(lasting, false)]).toEqual([
		undefined,
		undefined,
		undefined,
	]);
	expect(finalState(lasting, true)).toEqual({name: 'ended', why: 'The certificate has expired', error: lasting});
	expect(() => finalState(new RangeError('bug'), true)).toThrow(RangeError);
});
