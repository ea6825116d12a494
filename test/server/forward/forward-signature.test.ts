import {randomBytes} from 'node:crypto';
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {
	createForwardCheck,
	type Forward,
	maxClockDifferenceMs,
	signForward,
} from '../../../src/server/forward/forward-signature.ts';

const key = randomBytes(32);
const at = new Date('2026-03-01T12:00:00.000Z');
const later = (ms: number) => new Date(at.getTime() + ms);
const forward: Forward = {
	to: 'server-1',
	method: 'POST',
	target: '/api/v1/org/acme?x=1',
	caller: {userId: 'ada', apiKeyId: null},
};
const checkOf = ({self = 'server-1', now = at, with: other = key} = {}) =>
	createForwardCheck({key: other, self, now: () => now});

test('[28] a signed request is accepted once, with its caller', () => {
	const check = checkOf();
	const signed = signForward(key, forward, at);
	expect(check(signed, forward)).toEqual({caller: forward.caller});
	expect(check(signed, forward)).toEqual({refusal: 'This request was already accepted once.'});
	expect(check(signForward(key, forward, at), forward)).toEqual({caller: forward.caller});
});

test('[28] a request of another method, path, server, start, key or time is refused', () => {
	const signed = signForward(key, forward, at);
	const refusals = [
		checkOf()(signed, {...forward, method: 'GET'}),
		checkOf()(signed, {...forward, target: '/api/v1/org/acme?x=2'}),
		checkOf({self: 'server-2'})(signed, forward),
		checkOf({with: randomBytes(32)})(signed, forward),
		checkOf({now: later(maxClockDifferenceMs + 1)})(signed, forward),
		checkOf({now: later(-maxClockDifferenceMs - 1)})(signed, forward),
		...['', '.', 'e30.', `${signed}.x`, signed.slice(1), signed.slice(0, -1)].map(text => checkOf()(text, forward)),
	];
	expect(refusals.every(answer => 'refusal' in answer)).toBe(true);
	expect(checkOf({now: later(maxClockDifferenceMs)})(signed, forward)).toEqual({caller: forward.caller});
	expect(checkOf({now: later(-maxClockDifferenceMs)})(signed, forward)).toEqual({caller: forward.caller});
});

test('[28] no replay is accepted, however the clock of the server moves', () => {
	fc.assert(
		fc.property(fc.array(fc.integer({min: -200_000, max: 200_000}), {minLength: 1, maxLength: 30}), steps => {
			let now = at;
			const check = createForwardCheck({key, self: 'server-1', now: () => now});
			const signed = signForward(key, forward, at);
			let accepted = 0;
			for (const step of steps) {
				now = later(step);
				// Others keep coming, so that old nonces are dropped.
				check(signForward(key, forward, now), forward);
				accepted += 'caller' in check(signed, forward) ? 1 : 0;
			}

			expect(accepted).toBeLessThanOrEqual(1);
		}),
		{numRuns: 50},
	);
});
