import {expect, test} from 'vitest';
import {AppError} from '../../src/core/error.ts';
import {isRetryableStatus, parseRetryAfter, systemClock, withRetry} from '../../src/net/retry.ts';

/** Runs what always fails with `error`, and tells how often, with which waits, and with what it ended. */
async function attempts(error: unknown, {random = 0.5, retryable = true} = {}) {
	const waits: number[] = [];
	let count = 0;
	const ended: unknown = await withRetry(
		async () => {
			count += 1;
			throw error;
		},
		{
			isRetryable: () => retryable,
			clock: {sleep: () => Promise.resolve(), random: () => random},
			signal: new AbortController().signal,
			onWait: wait => waits.push(wait),
		},
	).catch((thrown: unknown) => thrown);
	return {count, waits, ended};
}

const network = new AppError('network', 'Cut off.');

test('two retries, after 0.5 s to 2 s and then to 8 s by chance [23]', async () => {
	expect(await attempts(network)).toEqual({count: 3, waits: [1250, 4250], ended: network});
	expect((await attempts(network, {random: 0})).waits).toEqual([500, 500]);
	expect((await attempts(network, {random: 0.999_999})).waits.map(Math.round)).toEqual([2000, 8000]);
});

test('an error that may not be retried is thrown at once [23]', async () => {
	expect(await attempts(network, {retryable: false})).toEqual({count: 1, waits: [], ended: network});
	for (const code of ['usage', 'auth', 'not-found', 'budget', 'conflict', 'upgrade'] as const) {
		expect(await attempts(new AppError(code, 'No.', {retryAfter: 10}))).toMatchObject({count: 1, waits: []});
	}
});

test('an error that a retry cannot change is thrown at once [23]', async () => {
	const redirect = new AppError('network', 'Redirected.', {permanent: true});
	expect(await attempts(redirect)).toEqual({count: 1, waits: [], ended: redirect});
});

test('a requested wait of up to a minute is respected, and a longer one becomes the hint [23]', async () => {
	const asking = (retryAfter: number) =>
		new AppError('provider', 'Too many requests.', {retryAfter, hint: 'Slow down.'});
	expect((await attempts(asking(60_000))).waits).toEqual([60_000, 60_000]);
	expect((await attempts(asking(0))).waits).toEqual([0, 0]);
	const {count, waits, ended} = await attempts(asking(61_000));
	expect([count, waits]).toEqual([1, []]);
	expect(ended).toMatchObject({
		code: 'provider',
		message: 'Too many requests.',
		hint: 'Try again in 2 minutes.',
		retryAfter: 61_000,
	});
	expect((await attempts(asking(86_400_000))).ended).toMatchObject({hint: 'Try again in 24 hours.'});
});

test('a failure that took longer than all attempts may is thrown at once', async () => {
	let time = 0;
	const waits: number[] = [];
	const attempts: number[] = [];
	const run = withRetry(
		async attempt => {
			time += attempt === 0 ? 100 : 250;
			throw network;
		},
		{
			isRetryable: () => true,
			clock: {sleep: () => Promise.resolve(), random: () => 0.5, now: () => time},
			signal: new AbortController().signal,
			onWait(wait, _error, attempt) {
				waits.push(wait);
				attempts.push(attempt);
			},
			maxElapsedMs: 300,
		},
	);
	await expect(run).rejects.toBe(network);
	expect([waits, attempts]).toEqual([[1250], [2]]);
});

test('a success after a retry counts, and gets the number of its attempt', async () => {
	const result = await withRetry(
		async attempt => {
			if (attempt < 2) {
				throw network;
			}

			return `attempt ${attempt}`;
		},
		{
			isRetryable: error => error === network,
			clock: {sleep: () => Promise.resolve(), random: () => 0},
			signal: new AbortController().signal,
		},
	);
	expect(result).toBe('attempt 2');
});

test('an abort ends the wait', async () => {
	const controller = new AbortController();
	const run = withRetry(() => Promise.reject(network), {
		isRetryable: () => true,
		clock: systemClock,
		signal: controller.signal,
		onWait: () => controller.abort(),
	});
	await expect(run).rejects.toMatchObject({name: 'AbortError'});
});

test('a failure after an interrupt is thrown at once', async () => {
	const controller = new AbortController();
	const waits: number[] = [];
	const run = withRetry(
		() => {
			controller.abort();
			return Promise.reject(network);
		},
		{
			isRetryable: () => true,
			clock: {sleep: () => Promise.resolve(), random: () => 0},
			signal: controller.signal,
			onWait: wait => waits.push(wait),
		},
	);
	await expect(run).rejects.toBe(network);
	expect(waits).toEqual([]);
});

test('statuses that a retry cannot change are never retried [23]', () => {
	expect([400, 401, 402, 403, 404, 409, 422, 426].filter(isRetryableStatus)).toEqual([]);
	expect([408, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524, 529].every(isRetryableStatus)).toBe(true);
});

test.each([
	['30', 30_000],
	[' 0.5 ', 500],
	['Thu, 01 Jan 2026 00:01:00 GMT', 60_000],
	['Wed, 31 Dec 2025 00:00:00 GMT', 0],
	['999999999', 999_999_999_000],
	['9'.repeat(400), undefined],
	['-5', undefined],
	['soon', undefined],
	['', undefined],
])('Retry-After “%s” is %s ms', (text, milliseconds) => {
	expect(parseRetryAfter({'retry-after': text}, Date.UTC(2026, 0, 1))).toBe(milliseconds);
	expect(parseRetryAfter({}, 0)).toBeUndefined();
});

test('the date of Retry-After is compared with that of the server, not with the clock of this machine', () => {
	const headers = {'retry-after': 'Thu, 01 Jan 2026 00:01:00 GMT', date: 'Thu, 01 Jan 2026 00:00:50 GMT'};
	expect(parseRetryAfter(headers, Date.UTC(2026, 0, 1, 6))).toBe(10_000);
	expect(parseRetryAfter(headers, Date.UTC(2025, 11, 31))).toBe(10_000);
	expect(parseRetryAfter({...headers, date: 'now'}, Date.UTC(2026, 0, 1))).toBe(60_000);
});
