import {expect, onTestFinished, test, vi} from 'vitest';
import {reducesMotion, steppedTime, stillStepMs} from '../../src/terminal/motion.ts';
import {followMoving} from '../../src/ui/screen/live-clock.ts';
import {runningSign} from '../../src/ui/transcript/tool-lines.ts';
import {call, end, result, start} from './canvas.ts';
import {conversation, nextTurn} from './drawing.ts';

test.each([
	['auto', {}, false],
	['auto', {SSH_CONNECTION: '10.0.0.1 5 10.0.0.2 22'}, true],
	['auto', {SSH_TTY: '/dev/pts/1'}, true],
	['auto', {SSH_CONNECTION: ''}, false],
	['full', {SSH_TTY: '/dev/pts/1'}, false],
	['reduced', {}, true],
])('motion %s with %j is reduced: %s', (motion, env, expected) => {
	expect(reducesMotion(motion, env)).toBe(expected);
});

test('the sign of a running call stands still with reduced motion', () => {
	const times = Array.from({length: 600}, (_, index) => 1_767_225_600_123 + index * 100);
	const signsOf = (isStill: boolean) => new Set(times.map(time => runningSign(steppedTime(time, isStill))));
	expect(signsOf(false).size).toBe(10);
	expect(signsOf(true).size).toBe(1);
});

/** Counts the writes of a minute, second by second. */
async function writesOf(minute: ReturnType<typeof conversation>): Promise<number> {
	const before = minute.written.length;
	for (let second = 0; second < 60; second++) {
		vi.advanceTimersByTime(1000);
		await nextTurn();
	}

	return minute.written.length - before;
}

test.each([
	[false, 55, 130],
	[true, 10, 2 * Math.ceil(60_000 / stillStepMs) + 2],
])(
	'with reduced motion %s, a minute of work is from %i to %i writes, and an idle one none',
	async (isStill, least, most) => {
		vi.useFakeTimers({toFake: ['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout', 'Date']});
		onTestFinished(() => void vi.useRealTimers());
		vi.setSystemTime('2026-01-01T00:00:00.000Z');
		const minute = conversation(80, 24, () => [], Date.now);
		const {store, painter, feed} = minute;
		onTestFinished(followMoving({store, draw: painter.advance, intervalMs: 1000}));
		store.setState({isStill});
		await feed(start, call('a'));
		const writes = await writesOf(minute);
		expect(writes).toBeGreaterThanOrEqual(least);
		expect(writes).toBeLessThanOrEqual(most);
		await feed(result('a'), end);
		await nextTurn();
		expect(await writesOf(minute)).toBe(0);
	},
);
