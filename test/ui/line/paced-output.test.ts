import {expect, onTestFinished, test, vi} from 'vitest';
import {paceOutput} from '../../../src/ui/line/paced-output.ts';

const stepMs = 120;

/** An output in a window of 6 rows, at which a screen reader looks after each step. */
function paced(size = {columns: 20, rows: 6}) {
	vi.useFakeTimers({toFake: ['setTimeout', 'clearTimeout', 'performance']});
	onTestFinished(() => void vi.useRealTimers());
	let written = '';
	const output = paceOutput({...size, write: data => (written += data)}, () => performance.now());
	const step = () => {
		const seen = written;
		written = '';
		vi.advanceTimersByTime(stepMs);
		return seen;
	};
	return {...output, step};
}

const lines = (from: number, to: number) => Array.from({length: to - from + 1}, (_, at) => `${from + at}\n`).join('');

test('a long text is written a window at a time, in order, so that a screen reader sees each row', async () => {
	const {write, written, step} = paced();
	write(lines(1, 12));
	write('You: ');
	const done = vi.fn();
	void written().then(done);
	expect([step(), step()]).toEqual([lines(1, 5), lines(6, 10)]);
	expect(step()).toBe(`${lines(11, 12)}You: `);
	await written();
	expect(done).toHaveBeenCalledOnce();
	expect(step()).toBe('');
});

test('pieces that follow each other at once share a window, and later ones are written at once', () => {
	const {write, step} = paced();
	for (const number of [1, 2, 3, 4, 5, 6]) {
		write(lines(number, number));
	}

	expect([step(), step()]).toEqual([lines(1, 5), lines(6, 6)]);
	write(lines(7, 9));
	expect(step()).toBe(lines(7, 9));
	step();
	write(lines(10, 12));
	expect(step()).toBe(lines(10, 12));
});

test('a line that is wider than the window counts as the rows it takes, and one that is higher is written alone', () => {
	const {write, step} = paced();
	const wide = `${'x'.repeat(50)}\n`;
	const high = `${'y'.repeat(200)}\n`;
	write(wide + wide + high + lines(1, 1));
	expect([step(), step(), step(), step()]).toEqual([wide, wide, high, lines(1, 1)]);
});

test('at the end everything that waits is written', () => {
	const {write, flush, step} = paced();
	write(lines(1, 30));
	flush();
	expect(step()).toBe(lines(1, 30));
	expect(step()).toBe('');
});
