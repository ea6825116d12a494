import {afterEach, beforeEach, expect, test, vi} from 'vitest';
import {createRunProgress} from '../../src/headless/run-progress.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const call = {
	type: 'tool-call',
	id: 'c',
	messageId: 'm',
	name: 'run_command',
	arguments: {command: 'npm\u001B[2J test'},
} as const;

function terminal(columns = 80) {
	const written: string[] = [];
	return {written, isTTY: true, columns, write: (data: string) => written.push(data)};
}

test('a wait is shown after two seconds, updated every second and cleared [21]', () => {
	const output = terminal();
	const progress = createRunProgress(output);
	vi.advanceTimersByTime(1900);
	expect(output.written).toEqual([]);
	vi.advanceTimersByTime(200);
	progress.follow(call);
	vi.advanceTimersByTime(1000);
	progress.follow({type: 'notice', level: 'warning', text: 'Printed to stay.'});
	progress.follow({type: 'notice', level: 'info', text: 'It is busy. Trying again in 4 s.'});
	vi.advanceTimersByTime(1000);
	progress.end();
	vi.advanceTimersByTime(5000);
	expect(output.written).toEqual([
		'\rWaiting for the model… 2.0 s\u001B[K',
		'\rRun npm␛[2J test… 3.0 s\u001B[K',
		'\rIt is busy. Trying again in 4 s… 4.0 s\u001B[K',
		'\r\u001B[K',
	]);
});

test('the line is cleared for lasting output and drawn again', () => {
	const output = terminal();
	const progress = createRunProgress(output);
	progress.clear();
	vi.advanceTimersByTime(2000);
	progress.clear();
	progress.clear();
	vi.advanceTimersByTime(1000);
	expect(output.written).toEqual([
		'\rWaiting for the model… 2.0 s\u001B[K',
		'\r\u001B[K',
		'\rWaiting for the model… 3.0 s\u001B[K',
	]);
	progress.end();
});

test('a quick run writes nothing, and a line never wraps', () => {
	const quick = terminal();
	createRunProgress(quick).end();
	expect(quick.written).toEqual([]);

	const narrow = terminal(12);
	createRunProgress(narrow);
	vi.advanceTimersByTime(2000);
	expect(narrow.written).toEqual(['\rWaiting fo…\u001B[K']);
});

test('no progress is shown without a terminal', () => {
	const written: string[] = [];
	const progress = createRunProgress({write: data => written.push(data)});
	progress.follow(call);
	vi.advanceTimersByTime(10_000);
	progress.end();
	expect(written).toEqual([]);
});
