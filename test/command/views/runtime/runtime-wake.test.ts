import {expect, test, vi} from 'vitest';
import {stepsLine, withSteps} from '../../../../src/command/views/runtime/runtime-wake.ts';

/** The steps that are shown while an answer takes so long. */
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

test('a quick answer is asked for and over: no wait is told', async () => {
	expect(await steps(299)).toEqual({
		shown: ['runtime box: asked', ''],
		answer: 'awake',
		askedAt: 0,
		took: 299,
		timers: 0,
	});
});

test('a longer wait is counted from 300 ms on', async () => {
	const {shown} = await steps(1400);
	expect(shown).toEqual([
		'runtime box: asked',
		'runtime box: asked, waiting 300 ms',
		'runtime box: asked, waiting 800 ms',
		'runtime box: asked, waiting 1.3 s',
		'',
	]);
});

test('where a line that was shown stays, a wait is told once', async () => {
	expect((await steps(200, true)).shown).toEqual([]);
	expect((await steps(3000, true)).shown).toEqual(['runtime box: asked, waiting']);
});

test('what fails leaves no step behind', async () => {
	const shown: string[] = [];
	const ask = () => Promise.reject(new Error('no'));
	await expect(withSteps('x', ask, {show: step => shown.push(step), isStill: false})).rejects.toThrow('no');
	expect(shown).toEqual(['x: asked', '']);
});

test('the steps stand in one line when they are over', () => {
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
