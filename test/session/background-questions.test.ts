import {existsSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {refuseElsewhere} from '../../src/session/resume-session.ts';
import {says, world, writes} from './background-world.ts';

/**
 * Sends a message whose run goes to the background before it calls a tool, and then `last`. Waits until the run waits for the
 * user. Returns its session, and the end of the message.
 */
async function waitInBackground(
	{program, host, session, run, background, texts}: Awaited<ReturnType<typeof world>>,
	[name, args]: readonly [name: string, args: object],
	last: string,
) {
	let release = () => {};
	const gate = new Promise<void>(resolve => {
		release = resolve;
	});
	host.answerWith(
		async ({say, call, finish}) => {
			say('Soon.');
			await gate;
			call(name, args);
			finish('tool_calls');
		},
		says('Free.'),
		says(last),
	);
	const first = session();
	const sent = program.session.conversation.send('Begin');
	await expect.poll(texts).toContain('Soon.');
	await run('bg');
	await program.session.conversation.send('What now?');
	release();
	await expect.poll(background).toEqual([[first, 'waiting']]);
	return {first, sent};
}

test('ask_user of a run in the background waits until its session is shown, and the answer goes to that run', async () => {
	const opened = await world();
	const {program, host, session, texts} = opened;
	const questions: string[] = [];
	program.session.answerWith(async ({question}) => {
		questions.push(`${session()} ${question}`);
		return 'SQLite';
	});
	const {first, sent} = await waitInBackground(opened, ['ask_user', {question: 'Which database?'}], 'Chosen.');
	expect(questions).toEqual([]);
	await program.session.resume(first, refuseElsewhere);
	await sent;
	expect(questions).toEqual([`${first} Which database?`]);
	expect(texts().at(-1)).toBe('Chosen.');
	expect(JSON.stringify(host.chats().at(-1))).toContain('The user answered: SQLite');
});

test('a question that is open when its session goes to the background is taken back, and asked again there', async () => {
	const opened = await world();
	const {program, host, session, run, background, asked, allow, texts, folder} = opened;
	host.answerWith(writes('made.txt'), says('Free.'), says('Written.'));
	const first = session();
	const sent = program.session.conversation.send('Write');
	await expect.poll(() => asked.length).toBe(1);
	await run('bg');
	await expect.poll(background).toEqual([[first, 'waiting']]);
	// The answer to the question that was taken back counts no more.
	allow();
	await program.session.conversation.send('What now?');
	expect(existsSync(join(folder, 'made.txt'))).toBe(false);
	await program.session.background.next();
	await expect.poll(() => asked.length).toBe(2);
	expect(session()).toBe(first);
	allow();
	await sent;
	expect(existsSync(join(folder, 'made.txt'))).toBe(true);
	expect(texts().at(-1)).toBe('Written.');
});

test('ask_user is asked once more in the session that left with its question, and its run ends with that', async () => {
	const opened = await world();
	const {program, host, session, run, background} = opened;
	const open: string[] = [];
	let reply: ((text: string) => void) | undefined;
	program.session.answerWith(async ({question}, until) => {
		open.push(`${session()} ${question}`);
		return new Promise<string>((resolve, reject) => {
			reply = resolve;
			until.addEventListener('abort', () => reject(until.reason), {once: true});
		});
	});
	host.answerWith(({call, finish}) => {
		call('ask_user', {question: 'Which database?'});
		finish('tool_calls');
	}, says('Chosen.'));
	const first = session();
	const sent = program.session.conversation.send('Begin');
	await expect.poll(() => open.length).toBe(1);
	for (let turns = 1; turns <= 3; turns++) {
		await run('bg');
		await expect.poll(background).toEqual([[first, 'waiting']]);
		await program.session.background.next();
		await expect.poll(() => open.length).toBe(turns + 1);
	}

	reply?.('SQLite');
	await sent;
	expect(new Set(open)).toEqual(new Set([`${first} Which database?`]));
	expect(JSON.stringify(host.chats().at(-1))).toContain('The user answered: SQLite');
});

test('/bg takes no argument', async () => {
	const {run} = await world();
	await expect(run('bg', 'nope')).rejects.toMatchObject({code: 'usage', message: 'bg takes no argument: “nope”.'});
});

test('a rule that the user keeps meanwhile answers the question of a run in the background', async () => {
	const opened = await world();
	const {run, background, asked, folder} = opened;
	const {first, sent} = await waitInBackground(opened, ['run_command', {command: 'touch made'}], 'Made.');
	await run('approvals', 'allow', 'run_command(touch *)');
	await sent;
	await expect.poll(background).toEqual([[first, 'ended']]);
	expect(existsSync(join(folder, 'made'))).toBe(true);
	expect(asked).toHaveLength(0);
});
