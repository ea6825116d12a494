import {expect, test} from 'vitest';
import {clearAttempts, countAttempt} from '../../../src/server/accounts/attempts.ts';
import {emptyDatabase} from '../database/engine.ts';

async function prepare() {
	const clock = {now: Date.UTC(2026, 2, 1, 12)};
	const database = await emptyDatabase();
	return {clock, services: {database, now: () => new Date(clock.now)}};
}

test('ten logins are allowed in 15 minutes, then the user waits for the rest of the period', async () => {
	const {clock, services} = await prepare();
	const attempt = () => countAttempt(services, 'sign-in', 'ada@example.com');
	for (let count = 0; count < 10; count += 1) {
		expect(await attempt()).toBeUndefined();
		clock.now += 1000;
	}

	expect(await attempt()).toBe(890);
	clock.now += 889_001;
	expect(await attempt()).toBe(1);
	clock.now += 999;
	expect(await attempt()).toBeUndefined();
});

test('concurrent attempts are all counted', async () => {
	const {services} = await prepare();
	const answers = await Promise.all(
		Array.from({length: 25}, () => countAttempt(services, 'sign-in', 'ada@example.com')),
	);
	expect(answers.filter(seconds => seconds === undefined)).toHaveLength(10);
});

test('attempts count by subject and by kind', async () => {
	const {services} = await prepare();
	await Promise.all(Array.from({length: 11}, () => countAttempt(services, 'sign-in', 'ada@example.com')));
	expect(await countAttempt(services, 'sign-in', 'bob@example.com')).toBeUndefined();
	expect(await countAttempt(services, 'user-code', 'ada@example.com')).toBeUndefined();
	await clearAttempts(services, 'sign-in', 'ada@example.com');
	expect(await countAttempt(services, 'sign-in', 'ada@example.com')).toBeUndefined();
});

test('[8] the typed text is not stored', async () => {
	const {services} = await prepare();
	await countAttempt(services, 'sign-in', 'my password, in the wrong field');
	const rows = await services.database.selectFrom('attempts').selectAll().execute();
	expect(rows).toEqual([
		{key: expect.stringMatching(/^sign-in:[\da-f]{64}$/), count: 1, resets_at: '2026-03-01T12:15:00.000Z'},
	]);
});

test('a clock that was hours ahead for a while locks nobody out, and a small difference forgets nothing', async () => {
	const {clock, services} = await prepare();
	const attempt = () => countAttempt(services, 'sign-in', 'ada@example.com');
	const right = clock.now;
	clock.now += 10 * 60 * 60_000;
	await Promise.all(Array.from({length: 11}, attempt));
	clock.now = right;
	expect(await attempt()).toBeUndefined();
	await Promise.all(Array.from({length: 9}, attempt));
	clock.now -= 10 * 60_000;
	expect(await attempt()).toBe(25 * 60);
});
