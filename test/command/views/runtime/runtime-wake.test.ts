import {expect, test, vi} from 'vitest';
import {stepsLine, withSteps} from '../../../../src/command/views/runtime/runtime-plan.ts';

/** Returns the steps shown while a response takes that long. */
async function steps(milliseconds: number, isStill = false) {
	vi.useFakeTimers({now: 0});
	try {
		const shown: string[] = [];
		const ask = () => new Promise<string>(resolve => setTimeout(() => resolve('awake'), milliseconds));
		const asked = withSteps('runtime box', ask, {show: step => shown.push(step), isStill});
		await vi.advanceTimersByTimeAsync(milliseconds);
		return {shown, ...(await asked), timers: vi.getTimerCount()};
	} finally {
		vi.useRealTimers();
	}
}

test('a quick response shows no wait', async () => {
	expect(await steps(299)).toEqual({
		shown: ['runtime box: asked', ''],
		answer: 'awake',
		askedAt: 0,
		took: 299,
		timers: 0,
	});
});

test('a wait is counted after 300 ms', async () => {
	const {shown} = await steps(1400);
	expect(shown).toEqual([
		'runtime box: asked',
		'runtime box: asked, waiting 300 ms',
		'runtime box: asked, waiting 800 ms',
		'runtime box: asked, waiting 1.3 s',
		'',
	]);
});

test("a wait is shown once if lines can't be redrawn", async () => {
	expect((await steps(200, true)).shown).toEqual([]);
	expect((await steps(3000, true)).shown).toEqual(['runtime box: asked, waiting']);
});

test('a failure leaves no step on screen', async () => {
	const shown: string[] = [];
	const ask = () => Promise.reject(new Error('no'));
	await expect(withSteps('x', ask, {show: step => shown.push(step), isStill: false})).rejects.toThrow('no');
	expect(shown).toEqual(['x: asked', '']);
});

test('finished steps are one line', () => {
	const askedAt = new Date(2026, 10, 21, 9, 5, 7).getTime();
	const server = 'https://lab.test';
	expect(stepsLine({server, askedAt, took: 1300, status: 'running'})).toBe(
		'Asked https://lab.test at 09:05:07 · waited 1.3 s · running as of 09:05:08',
	);
	expect(stepsLine({server, askedAt, took: 30, status: 'hibernating'})).toBe(
		'Asked https://lab.test at 09:05:07 · hibernating at 09:05:07',
	);
	expect(stepsLine({server, askedAt, took: 30, status: undefined})).toMatch(/ · answered at 09:05:07$/);
});
