import {existsSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {refuseElsewhere} from '../../src/session/resume-session.ts';
import {says, world} from './background-world.ts';

test('ask_user of a run in the background waits until its session is shown, and the answer goes to that run', async () => {
	const {program, host, session, run, background, texts} = await world();
	const questions: string[] = [];
	program.answerWith(async ({question}) => {
		questions.push(`${session()} ${question}`);
		return 'SQLite';
	});
	let release = () => {};
	const gate = new Promise<void>(resolve => {
		release = resolve;
	});
	host.answerWith(
		async ({say, call, finish}) => {
			say('Soon.');
			await gate;
			call('ask_user', {question: 'Which database?'});
			finish('tool_calls');
		},
		says('Free.'),
		says('Chosen.'),
	);
	const first = session();
	const sent = program.conversation.send('Choose');
	await expect.poll(texts).toContain('Soon.');
	await run('bg');
	await program.conversation.send('What now?');
	release();
	await expect.poll(background).toEqual([[first, 'waiting']]);
	expect(questions).toEqual([]);
	await program.resume(first, refuseElsewhere);
	await sent;
	expect(questions).toEqual([`${first} Which database?`]);
	expect(texts().at(-1)).toBe('Chosen.');
	expect(JSON.stringify(host.chats().at(-1))).toContain('The user answered: SQLite');
});

test('/bg takes no argument', async () => {
	const {run} = await world();
	await expect(run('bg', 'nope')).rejects.toMatchObject({code: 'usage', message: 'bg takes no argument: “nope”.'});
});

test('a rule that the user keeps meanwhile answers the question of a run in the background', async () => {
	const {program, host, session, run, background, asked, folder, texts} = await world();
	let release = () => {};
	const gate = new Promise<void>(resolve => {
		release = resolve;
	});
	host.answerWith(
		async ({say, call, finish}) => {
			say('Soon.');
			await gate;
			call('run_command', {command: 'touch made'});
			finish('tool_calls');
		},
		says('Free.'),
		says('Made.'),
	);
	const first = session();
	const sent = program.conversation.send('Touch it');
	await expect.poll(texts).toContain('Soon.');
	await run('bg');
	await program.conversation.send('What now?');
	release();
	await expect.poll(background).toEqual([[first, 'waiting']]);
	await run('approvals', 'allow', 'run_command(touch *)');
	await sent;
	await expect.poll(background).toEqual([[first, 'ended']]);
	expect(existsSync(join(folder, 'made'))).toBe(true);
	expect(asked).toHaveLength(0);
});
