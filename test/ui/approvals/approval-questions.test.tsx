import {describe, expect, test} from 'vitest';
import {editedHash} from '../../../src/agent/approval/approval.ts';
import {redactKnown} from '../../../src/core/secrets/redact.ts';
import type {Act} from '../../../src/core/session/approval.ts';
import {App} from '../../../src/ui/app.tsx';
import {approvalQuestions} from '../../../src/ui/approvals/approval-questions.ts';
import {createPanelInteraction} from '../../../src/ui/interaction.ts';
import {chosenAnswer} from '../../../src/ui/panels/question.ts';
import {draw} from '../frame.ts';
import {ask, hash, npmTest, requestFor, signal, uncontained} from './asking.tsx';

/** Answers the questions and fields in order; undefined cancels. */
function answering(...answers: readonly (string | undefined)[]) {
	const shown: unknown[] = [];
	const waiting = [...answers];
	const next = async (panel: unknown) => {
		shown.push(panel);
		return waiting.shift();
	};
	return {
		decide: approvalQuestions({inquire: next, edit: next, workspace: () => '/repo', hide: redactKnown}),
		shown,
		waiting,
	};
}

describe('an answer', () => {
	test.each([
		['once', {allowed: true, hash}],
		['session', {allowed: true, hash, keep: 'session'}],
		['folder', {allowed: true, hash, keep: 'folder'}],
		[undefined, {allowed: false}],
	])('%s is %j', async (given, expected) => {
		expect(await answering(given).decide(requestFor(npmTest), signal)).toEqual(expected);
	});

	test('an edited command is asked for again, and allowed by a hash of its own [4]', async () => {
		const {decide, shown} = answering('edit', 'npm test -- b', 'once');
		const request = requestFor(npmTest, {verdict: {effect: 'ask', suggestions: ['run_command(npm test *)']}});
		expect(await decide(request, signal)).toEqual({
			allowed: true,
			hash: editedHash(hash, 'npm test -- b'),
			command: 'npm test -- b',
		});
		const keys = shown.flatMap(panel => {
			const {answers} = panel as {readonly answers?: readonly {readonly key: string}[]};
			return answers ? [answers.map(({key}) => key).join('')] : [];
		});
		// No rule is kept for a command that the model didn't ask for.
		expect(keys).toEqual(['ysfer', 'yer']);
	});

	test('an edit that is cancelled, or changes nothing, leaves the command as it was', async () => {
		const {decide} = answering('edit', undefined, 'edit', 'npm test -- a', 'once');
		expect(await decide(requestFor(npmTest), signal)).toEqual({allowed: true, hash});
	});

	test('a refusal may carry a reason; without one the question is asked again', async () => {
		const {decide, waiting} = answering('reason', undefined, 'reason', 'use the mock');
		expect(await decide(requestFor(npmTest), signal)).toEqual({allowed: false, reason: 'use the mock'});
		expect(waiting).toEqual([]);
	});

	test('[8] a reason goes to the model without its credentials', async () => {
		const {decide} = answering('reason', `use ghp_${'aB3'.repeat(12)}`);
		expect(await decide(requestFor(npmTest), signal)).toEqual({allowed: false, reason: 'use ***'});
	});
});

test('a command is shown whole, with what holds it and the rule that a key would keep [4]', async () => {
	const facts = [
		['Folder', '/repo/web'],
		['Sandbox', 'no network, writes only in this folder'],
	] as const;
	const act: Act = {...npmTest, command: 'cd a &&\n\tnpm test \u202Ex\r', folder: '/repo/web'};
	const verdict = {effect: 'ask', why: 'runs another', suggestions: ['run_command(npm test *)']} as const;
	const {lines, decided, answer} = await ask(requestFor(act, {facts, verdict}), 80, 24);
	expect(lines().slice(0, -3)).toEqual([
		'',
		'━'.repeat(80),
		'Command',
		'$ cd a &&',
		'>     npm test ⟨U+202E⟩x␍',
		'',
		'Folder   /repo/web',
		'Note     It has control or invisible characters, shown like ␛ or ⟨U+202E⟩.',
		'Sandbox  no network, writes only in this folder',
		'Asked    because it runs another',
		'',
		'? Run this command?',
		'  y  Yes, once',
		'  s  Yes, and allow npm test * this session',
		'  f  Yes, and always in this folder',
		'  e  Edit the command',
		'  r  No, and say why',
		'❯ n  No',
		'  ↑↓ move · Enter select · Esc cancel',
	]);
	answer(undefined);
	await decided;
});

test.each([
	[20, 5],
	[20, 6],
	[30, 7],
	[40, 10],
])(
	'in a window of %i columns and %i rows neither the question nor the command is cut away [4]',
	async (columns, rows) => {
		const {lines, decided, answer} = await ask(uncontained, columns, rows);
		const shown = lines().join('\n');
		expect(shown).toContain('$ npm test -- a');
		expect(shown.replace(/\n */g, ' ')).toMatch(/\? Run this command\?.* (?:\[y\/s\/f\/e\/r\/N\]|❯ n {1,2}No)/);
		expect(lines().length).toBeLessThan(rows);
		answer(undefined);
		await decided;
	},
);

test('a long command scrolls to its end, and no row stays empty', async () => {
	const command = Array.from({length: 60}, (_, index) => `echo ${index + 1}`).join('\n');
	const {lines, store, decided, answer} = await ask(requestFor({...npmTest, command}), 80, 20);
	expect(lines()).toContain('$ echo 1');
	const height = lines().length;
	store.getState().scrollBy(500);
	await expect.poll(() => lines().includes('> echo 60'), {interval: 5}).toBe(true);
	expect([lines().length, lines().filter(line => line === '').length]).toEqual([height, 1]);
	answer(undefined);
	await decided;
});

test('a request shows its method, the whole URL and its host', async () => {
	const url = `https://user@example.com/a?${'q'.repeat(100)}#end`;
	const {lines, decided, answer} = await ask(
		requestFor({kind: 'fetch', url, method: 'POST'}, {summary: 'Send POST to example.com?'}),
		80,
		24,
	);
	expect(lines().join('').replaceAll(' ', '')).toContain(`POST${url}`);
	answer(undefined);
	await decided;
});

test('a request says what it sends once, and where it was meant to go if that differs', async () => {
	const {decide, shown} = answering(undefined, undefined);
	const url = 'http://127.0.0.1:9/';
	const header = ['Header', 'accept: */*'] as const;
	for (const named of [url, 'http://shop.example:9/']) {
		const facts = [['Request', `GET ${named}`], header] as const;
		await decide(requestFor({kind: 'fetch', url, method: 'GET'}, {facts}), signal);
	}

	expect(shown.map(panel => (panel as {about: {facts: unknown}}).about.facts)).toEqual([
		[header],
		[['Request', 'GET http://shop.example:9/'], header],
	]);
});

test('an interrupted run closes the question and its editor', async () => {
	const abort = new AbortController();
	const {store} = draw(<App />, {columns: 80, rows: 24});
	const interact = createPanelInteraction(store, {now: () => 0});
	const decided = approvalQuestions({...interact, workspace: () => '/repo', hide: redactKnown})(
		requestFor(npmTest),
		abort.signal,
	);
	await expect.poll(() => store.getState().panel?.kind, {interval: 5}).toBe('confirm');
	interact.answer('edit');
	await expect.poll(() => store.getState().panel?.kind, {interval: 5}).toBe('edit');
	abort.abort();
	await expect(decided).rejects.toThrow('aborted');
	expect(store.getState().panel).toBe(undefined);
});

test('with the setting for it, the answer that Enter gives at first is yes, once', async () => {
	const {store, lines} = draw(<App />, {columns: 80, rows: 24});
	const interact = createPanelInteraction(store, {now: () => 0});
	const decide = approvalQuestions({
		...{...interact, workspace: () => '/repo', hide: redactKnown},
		enterAllows: () => true,
	});
	const decided = decide(requestFor(npmTest), new AbortController().signal);
	await expect.poll(lines, {interval: 5}).toContain('❯ y  Yes, once');
	const {panel, marked} = store.getState();
	interact.answer(chosenAnswer(panel as never, marked));
	expect(await decided).toMatchObject({allowed: true});
});

test('a very low window scrolls from the question through all of the command, above the keys [4]', async () => {
	const command = ['echo a', ...Array.from({length: 11}, (_, index) => `echo ${index}`)].join('\n');
	const {lines, store, decided, answer} = await ask(requestFor({...npmTest, command}), 20, 5);
	expect(lines().slice(0, 2)).toEqual(['? Run this command?', '$ echo a ⋯ echo 10']);
	expect(lines()[2]).toMatch(/^ {2}\[y\/e\/r\/N\] …\d+ PgDn$/);
	store.getState().scrollBy(1);
	for (let index = 0; index < 11; index++) {
		store.getState().scrollBy(1);
		await expect.poll(lines, {interval: 5}).toContain(`> echo ${index}`);
		expect(lines()[2]).toContain('[y/e/r/N]');
	}

	answer(undefined);
	await decided;
});

test('the only row for a command without more has no such mark', async () => {
	const {lines, decided, answer} = await ask(requestFor({...npmTest, command: 'npm run a-script-x'}), 20, 5);
	expect(lines().join('\n')).not.toContain('↑↓');
	answer(undefined);
	await decided;
});

test('[4] a yes to the services of a sandbox says so: it covers more than the host of a rule', async () => {
	const act = {kind: 'fetch', url: 'https://web.example.com/a', method: 'GET'} as const;
	const {decide, shown} = answering('session');
	const request = requestFor(act, {
		keepsSubject: true,
		verdict: {effect: 'ask', suggestions: ['fetch_url(web.example.com)']},
	});
	expect(await decide(request, signal)).toEqual({allowed: true, hash, keep: 'session'});
	expect(shown).toMatchObject([
		{
			answers: [
				{key: 'y'},
				{key: 's', label: 'Yes, and allow these services this session', keeps: {rules: []}},
				{key: 'f', keeps: {rules: ['web.example.com']}},
				{key: 'r'},
			],
		},
	]);
});
