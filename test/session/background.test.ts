import {readdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {refuseElsewhere} from '../../src/session/resume-session.ts';
import {type Answer, halves} from '../e2e/model-host.ts';
import {says, world, writes} from './background-world.ts';

const hangs = async ({say, closed}: Answer) => {
	say('Working.');
	await closed;
};

test('/bg starts a session beside the run, which goes on with a journal of its own and says when it ends', async () => {
	const {program, host, session, run, background, texts, store, home} = await world();
	const {release, script} = halves();
	host.answerWith(script, says('Hello there.'));
	const first = session();
	const sent = program.session.conversation.send('Do the long thing');
	await expect.poll(texts).toContain('First half.');
	expect(await run('bg')).toMatchObject({kind: 'text', data: {session: first}});
	expect(session()).not.toBe(first);
	expect(store.getState().transcript.run).toBeUndefined();
	expect(background()).toEqual([[first, 'running']]);

	await program.session.conversation.send('Meanwhile');
	expect(texts()).toEqual(['Meanwhile', 'Hello there.']);
	const second = session();
	// The journal is written in steps of its own.
	await expect
		.poll(() => run('sessions'))
		.toMatchObject({
			data: expect.arrayContaining([
				expect.objectContaining({id: first, background: 'running'}),
				expect.objectContaining({id: second}),
			]),
		});

	release();
	await sent;
	expect(background()).toEqual([[first, 'ended']]);
	expect(texts().at(-1)).toBe(`Background session ${first.slice(0, 8)} has ended its run: Do the long thing`);

	await program.session.resume(first.slice(0, 8), refuseElsewhere);
	expect(texts()).toEqual(['Do the long thing', 'First half. Second half.']);
	expect([session(), background()]).toEqual([first, []]);
	host.answerWith(says('Still here.'));
	await program.session.conversation.send('And now?');
	expect(texts().at(-1)).toBe('Still here.');
	expect(host.chats().at(-1)?.slice(1)).toEqual([
		'user: Do the long thing',
		'assistant: First half. Second half.',
		'user: And now?',
	]);
	await program.close();
	const [place = ''] = readdirSync(join(home, 'sessions'));
	const journal = (id: string) => readFileSync(join(home, 'sessions', place, `${id}.jsonl`), 'utf8');
	expect(journal(first)).toContain('And now?');
	expect(journal(first)).not.toContain('Meanwhile');
	expect(journal(second)).toContain('Meanwhile');
});

test('requests in the background stay as they began while the user plans in the session in front', async () => {
	const {program, host, run, store, texts} = await world();
	let release = () => {};
	const gate = new Promise<void>(resolve => {
		release = resolve;
	});
	host.answerWith(async ({say, call, finish}) => {
		say('Soon.');
		await gate;
		call('list_files', {});
		finish();
	}, says('Done.'));
	const sent = program.session.conversation.send('Look around');
	await expect.poll(texts).toContain('Soon.');
	await run('bg');
	await run('approvals', 'mode', 'plan');
	expect(store.getState().approvalMode).toBe('plan');
	release();
	await sent;
	const prompts = host.chats().map(([system]) => system);
	expect(prompts).toEqual([prompts[0], prompts[0]]);
});

test('a question of a run in the background waits until its session is shown, and the mode selected elsewhere does not count for it [4]', async () => {
	const {program, host, session, run, background, texts, asked, allow, folder} = await world();
	let release = () => {};
	const gate = new Promise<void>(resolve => {
		release = resolve;
	});
	host.answerWith(
		async answer => {
			answer.say('Soon.');
			await gate;
			writes('a.txt')(answer);
		},
		says('Free.'),
		says('Written.'),
	);
	const first = session();
	const sent = program.session.conversation.send('Write a.txt');
	await expect.poll(texts).toContain('Soon.');
	await run('bg');
	await program.session.conversation.send('What now?');
	// Allowed here, which says nothing about the session in the background.
	await run('approvals', 'mode', 'edits');
	release();
	await expect.poll(background).toEqual([[first, 'waiting']]);
	expect(asked).toEqual([]);
	expect(texts().at(-1)).toContain('waits for your answer');

	const second = session();
	await program.session.resume(first, refuseElsewhere);
	expect(session()).toBe(first);
	await expect.poll(() => asked.length).toBe(1);
	allow();
	await sent;
	expect(readFileSync(join(folder, 'a.txt'), 'utf8')).toBe('x\n');
	expect(texts().at(-1)).toBe('Written.');
	expect(background()).toEqual([]);
	await program.session.resume(second, refuseElsewhere);
	expect(texts()).toContain('What now?');
});

test('a run that goes on when another session is brought back goes to the background itself; the end ends all', async () => {
	const {program, host, session, run, background, texts} = await world();
	host.answerWith(hangs);
	const first = session();
	const one = program.session.conversation.send('One');
	await expect.poll(texts).toContain('Working.');
	await run('bg');
	const second = session();
	const two = program.session.conversation.send('Two');
	await expect.poll(texts).toContain('Working.');
	await program.session.resume(first, refuseElsewhere);
	expect([session(), background()]).toEqual([first, [[second, 'running']]]);
	await program.close();
	await Promise.all([one, two]);
});

test('a session of the background comes back at once, by its id or the prefix that was named, before its journal is written', async () => {
	const {program, host, session, run, background, texts} = await world();
	host.answerWith(hangs, hangs);
	const first = session();
	const one = program.session.conversation.send('One');
	await expect.poll(texts).toContain('Working.');
	await run('bg');
	await program.session.resume(first.slice(0, 8), refuseElsewhere);
	expect([session(), background()]).toEqual([first, []]);
	await run('bg');
	await program.session.resume(` ${first.toUpperCase()} `, refuseElsewhere);
	expect([session(), background()]).toEqual([first, []]);
	await program.close();
	await one;
});

test('without a run there is nothing to send to the background', async () => {
	const {run} = await world();
	await expect(run('bg')).rejects.toMatchObject({code: 'conflict'});
});

test('before a signal ends the process, the journals of sessions in the background are written too', async () => {
	const {program, host, session, run, texts, home} = await world();
	host.answerWith(async ({say, closed}) => {
		say('Half of it.');
		await closed;
	});
	const first = session();
	const sent = program.session.conversation.send('Do the long thing');
	await expect.poll(texts).toContain('Half of it.');
	await run('bg');
	await program.session.conversation.saved();
	const [place = ''] = readdirSync(join(home, 'sessions'));
	expect(readFileSync(join(home, 'sessions', place, `${first}.jsonl`), 'utf8')).toContain('Half of it.');
	await program.close();
	await sent;
});
