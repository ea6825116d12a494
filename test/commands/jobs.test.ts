import {expect, test} from 'vitest';
import {renderResult} from '../../src/command/render/render.ts';
import {createPalette} from '../../src/terminal/text/style.ts';
import {dataOf, drawn, testContext} from './context.ts';
import {withJobs} from './with-jobs.ts';

test('jobs lists, shows and stops what the agent runs in the background', async () => {
	const jobs = await withJobs('echo listening; sleep 60', 'echo token sk-ant-0123456789abcdefghij; exit 3');
	const {runInApp} = testContext({jobs});
	await expect
		.poll(() =>
			jobs()
				.list()
				.map(job => job.lastLine()),
		)
		.toEqual(['listening', 'token ***']);
	await jobs().list()[1]?.done;
	const list = await runInApp('jobs');
	expect(drawn(list, 120)).toMatch(/1 +echo listening; sleep 60 +running for .+ +listening/);
	expect(drawn(list, 120)).toMatch(/2 +echo token .+exit status 3 after .+ +token \*\*\*/);
	expect(drawn(await runInApp('jobs', 'show', '2'), 80)).toMatch(/^token \*\*\*\njob 2: exit status 3 after /);
	const stopped = await runInApp('jobs', 'stop');
	expect([drawn(stopped, 80), dataOf(stopped)]).toEqual(['Stopped job 1.', ['1']]);
	expect(jobs().list()[0]?.state('user')).toMatch(/^stopped by the user after /);
	expect(drawn(await runInApp('jobs', 'stop', '--all'), 80)).toBe('No running jobs.');
	await expect(runInApp('jobs', 'stop', '7')).rejects.toMatchObject({
		message: 'Job 7 not found.',
		hint: 'List them: /jobs',
	});
});

test('the last output of a job has its colours, but not as data [8]', async () => {
	const shown = "printf 'a \\033[31mred\\033[0m ghp_0123\\033[1m456789abcdefghijABCDEFGHIJ012345\\n'";
	const jobs = await withJobs(shown);
	await jobs().list()[0]?.done;
	expect(drawn(await testContext({jobs}).runInApp('jobs'), 120)).toMatch(/ done after /);
	const result = await testContext({jobs}).runInApp('jobs', 'show');
	expect(drawn(result, 80)).toMatch(/^a red \*\*\*\njob 1: done after /);
	expect(renderResult(result, {width: 80, palette: createPalette({color: true})})[0]).toBe(
		'a \u001B[31mred\u001B[0m ***',
	);
	expect(dataOf(result)).toMatchObject({output: 'a red ***'});
});

test('without jobs, jobs says so', async () => {
	const {runInApp} = testContext();
	expect(drawn(await runInApp('jobs'), 80)).toBe(
		'No background jobs in this session. Ask the agent to run a command in the\nbackground.',
	);
	await expect(runInApp('jobs', 'show')).rejects.toMatchObject({message: 'No background jobs.'});
});
