import {expect, test} from 'vitest';
import {api} from '../commands/api.ts';
import {expectSpoken} from '../ui/line/spoken.ts';
import {openLines} from './lines-in-process.ts';
import type {Answer} from './model-host.ts';

const says =
	(text: string) =>
	({say, finish}: Answer) => {
		say(text);
		finish();
	};

test('a conversation is heard in its order, whole and once: answer, question, tools, failure, usage', async () => {
	const {host, type, answer, waitFor, written} = await openLines();
	const start = written().length;
	host.answerWith(
		({say, call, finish}) => {
			say('I write it.\n\nThen I check it.');
			call('write_file', {path: 'new.txt', content: 'one\ntwo\n'});
			finish();
		},
		({call, finish}) => {
			call('read_file', {path: 'gone.txt'});
			finish();
		},
		says('Two lines are there.'),
		async ({refuse}) => {
			// A run that fails at once may be over before it is heard.
			await waitFor(/You: Working · Ctrl\+C interrupt\n$/);
			refuse(400, 'application/json', '{"error":{"message":"The model is asleep."}}');
		},
	);
	type('write it');
	await answer('Number, 1 to 4, or key; Enter for no: ', '1');
	await waitFor(/are there\.\nReady\..*\nYou: $/);
	type('again');
	await waitFor(/asleep\.\n {2}Hint: [^\n]*\n[^\n]*\nReady\..*\nYou: $/);
	// How long a call took depends on the machine.
	const heard = written()
		.slice(start)
		.replaceAll(/ · [\d.]+ m?s$/gm, '');
	expect(heard.split('\n')).toEqual([
		...['Working · Ctrl+C interrupt', '', 'Answer:', 'I write it.', '', 'Then I check it.'],
		...['new.txt · +2 −0', ' 1 + one', ' 2 + two', 'Create new.txt?'],
		...['1. Yes, once (key y)', '2. Yes, and all edits of this session (key s)'],
		...['3. No, and say why (key r)', '4. No (key n)', 'Number, 1 to 4, or key; Enter for no: 1'],
		// The change was heard with the question.
		...['', 'Tool done: Write new.txt · +2 −0'],
		'Tool failed: Read gone.txt · File not found: “gone.txt”. Call list_files to see the files.',
		...['', 'Answer:', 'Two lines are there.', 'Ready. Model custom/alpha, context 150 tokens, cost unknown.'],
		...['You: Working · Ctrl+C interrupt', '', 'Error: Custom rejected the request (400): The model is asleep.'],
		'  Hint: Select another model: /model use. Go back to before the refused message',
		'    with /rewind, or start over with /new.',
		...['Ready. Model custom/alpha, context 150 tokens, cost unknown.', 'You: '],
	]);

	const before = written().length;
	type('/usage');
	await waitFor(/last request[\s\S]*\nYou: $/);
	const lines = written()
		.slice(before)
		.split('\n')
		.filter(line => line.trim() !== '');
	expect(new Set(lines).size).toBe(lines.length);
	expect(lines.join('\n')).toMatch(
		/\nmessages\ncurrent: 5\n[\s\S]*\ninput tokens\ncurrent: 300\n[\s\S]*\noutput tokens\ncurrent: 90\n/,
	);
	expectSpoken(written());
});

test('a code of two-factor authentication is asked for in words and stays unseen; its recovery codes are lines', async () => {
	const answers = {'POST /api/v1/auth/mfa/enroll/verify': {json: {recovery_codes: ['aaaa-1111', 'bbbb-2222']}}};
	const {env, seen} = await api(answers);
	const {type, answer, waitFor, written} = await openLines({env});
	type('/mfa verify');
	await answer('Save the recovery codes to a new file (leave blank to skip): ', '');
	await answer('Code from your authenticator app: ', '123 456');
	await waitFor(/won't be shown again\.\nYou: $/);
	expect(
		seen.flatMap(({url, body}) => (url.endsWith('/mfa/enroll/verify') ? [JSON.parse(body.toString())] : [])),
	).toEqual([{code: '123456'}]);
	expect(written()).toMatch(/\naaaa-1111\nbbbb-2222\n/);
	expect(written()).not.toMatch(/123.?456/);
	expectSpoken(written());
});

/** The app with a run in the background, which never ends by itself. */
async function withBackground() {
	const lines = await openLines();
	lines.host.answerWith(async ({say, closed}) => {
		say('On and on');
		await closed;
	});
	lines.type('go on');
	await expect.poll(() => lines.host.chats().length).toBe(1);
	lines.type('/bg');
	await lines.waitFor(/background[\s\S]*\nYou: $/);
	return lines;
}

test('with a run in the background, /quit asks in words', async () => {
	const {type, answer, waitFor, written, ended} = await withBackground();
	type('/quit');
	await answer('1 background run will end with the app. Quit? [y/N] ', 'n');
	await waitFor(/Quit\? \[y\/N\] n\n+You: $/);
	type('/quit');
	await expect.poll(() => written().split('Quit? [y/N] ')).toHaveLength(3);
	await answer('Quit? [y/N] ', 'y');
	expect(await ended).toBe(0);
	expectSpoken(written());
});

test('with a run in the background, Ctrl+C says what ends, and quits at the second press; SIGTERM quits at once', async () => {
	const {interrupt, waitFor, ended, written} = await withBackground();
	interrupt('SIGINT');
	await waitFor('\nLine cleared. 1 background run will end with the app. Press Ctrl+C again to quit.\nYou: ');
	interrupt('SIGINT');
	expect(await ended).toBe(0);
	expectSpoken(written());

	const other = await withBackground();
	other.interrupt('SIGTERM');
	expect(await other.ended).toBe(0);
	expect(other.written()).not.toContain('will end with the app');
});
