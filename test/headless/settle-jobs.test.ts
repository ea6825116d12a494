import {expect, test, vi} from 'vitest';
import type {Job} from '../../src/agent/tools/command/jobs.ts';
import {settleJobs} from '../../src/headless/settle-jobs.ts';

/** A job that ends when the test says so. */
function job(id: string, command: string) {
	let state: 'running' | 'done' | 'failed' = 'running';
	let settle: () => void = () => undefined;
	const done = new Promise<void>(resolve => {
		settle = resolve;
	});
	const value: Job = {
		...{id, command, startedAt: 0, done},
		isRunning: () => state === 'running',
		hasFailed: () => state === 'failed',
		state: reader =>
			state === 'failed' ? 'exit status 1 after 1 s' : reader === 'user' ? 'done after 1 s' : 'exit status 0 after 1 s',
		endFacts: () => ({status: state === 'done' ? 0 : 1}),
		takeOutput: () => ({text: '', styles: []}),
		lastOutput: () => ({text: '', styles: []}),
		lastLine: () => '',
		stop: async () => undefined,
	};
	return {
		value,
		end(how: 'done' | 'failed') {
			state = how;
			settle();
		},
	};
}

function settling(jobs: readonly Job[], waits: boolean, signal = new AbortController().signal) {
	const [warn, note, show] = [vi.fn(), vi.fn(), vi.fn()];
	const settled = settleJobs(jobs, {waits, signal, losses: {warn, note}, progress: {show}});
	const saidBy = ({mock}: typeof warn) => mock.calls.map(([text]) => text);
	return {settled, said: () => ({warned: saidBy(warn), noted: saidBy(note), shown: saidBy(show)})};
}

test('a job that runs is named with the flag that waits for it, and one that has ended is not', async () => {
	const [running, ended] = [job('1', 'npm run\u001B[2J watch'), job('2', 'true')];
	ended.end('failed');
	const {settled, said} = settling([running.value, ended.value], false);
	await settled;
	const warned = ['Job 1 (npm run␛[2J watch) was still running when the answer was there, and was stopped.'];
	expect(said()).toEqual({warned, noted: [], shown: []});
});

test('waiting ends with the last job, and a failed one is a warning', async () => {
	const [first, second] = [job('1', 'npm test'), job('2', 'npm run lint')];
	const {settled, said} = settling([first.value, second.value], true);
	second.end('done');
	first.end('failed');
	await settled;
	expect(said()).toEqual({
		warned: ['Job 1 (npm test): exit status 1 after 1 s.'],
		noted: ['Job 2 (npm run lint): done after 1 s.'],
		shown: ['Waiting for Job 1 (npm test)'],
	});
});

test('an interrupt ends the wait for all jobs', async () => {
	const stop = new AbortController();
	const {settled, said} = settling([job('1', 'a').value, job('2', 'b').value], true, stop.signal);
	stop.abort();
	await settled;
	expect(said().warned).toEqual([
		'Job 1 (a) was still running when the answer was there, and was stopped.',
		'Job 2 (b) was still running when the answer was there, and was stopped.',
	]);
});
