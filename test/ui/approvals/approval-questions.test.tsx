import {describe, expect, test} from 'vitest';
import type {ApprovalRequest} from '../../../src/agent/approval/approval.ts';
import {editedHash} from '../../../src/agent/approval/approval.ts';
import {redactKnown} from '../../../src/core/secrets/redact.ts';
import type {Act} from '../../../src/core/session/approval.ts';
import {App} from '../../../src/ui/app.tsx';
import {approvalQuestions} from '../../../src/ui/approvals/approval-questions.ts';
import {createPanelInteraction} from '../../../src/ui/interaction.ts';
import {draw} from '../frame.ts';

const hash = 'a'.repeat(64);
const signal = new AbortController().signal;
const npmTest: Act = {kind: 'command', command: 'npm test -- a', folder: '/repo', containment: 'sandbox'};

function requestFor(act: Act, more: Partial<ApprovalRequest> = {}): ApprovalRequest {
	return {id: 'c', hash, act, summary: 'Run it?', verdict: {suggestions: []}, ...more};
}

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
		['once', {answer: 'yes', hash}],
		['session', {answer: 'yes', hash, keep: 'session'}],
		['folder', {answer: 'yes', hash, keep: 'folder'}],
		[undefined, {answer: 'no'}],
	])('%s is %j', async (given, expected) => {
		expect(await answering(given).decide(requestFor(npmTest), signal)).toEqual(expected);
	});

	test('an edited command is asked for again, and allowed by a hash of its own [4]', async () => {
		const {decide, shown} = answering('edit', 'npm test -- b', 'once');
		const request = requestFor(npmTest, {verdict: {suggestions: ['run_command(npm test *)']}});
		expect(await decide(request, signal)).toEqual({
			answer: 'yes',
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
		expect(await decide(requestFor(npmTest), signal)).toEqual({answer: 'yes', hash});
	});

	test('a refusal may carry a reason; without one the question is asked again', async () => {
		const {decide, waiting} = answering('reason', undefined, 'reason', 'use the mock');
		expect(await decide(requestFor(npmTest), signal)).toEqual({answer: 'no', reason: 'use the mock'});
		expect(waiting).toEqual([]);
	});

	test('[8] a reason goes to the model without its credentials', async () => {
		const {decide} = answering('reason', `use ghp_${'aB3'.repeat(12)}`);
		expect(await decide(requestFor(npmTest), signal)).toEqual({answer: 'no', reason: 'use ***'});
	});
});

/** Shows the question for a request in the app. */
async function ask(request: ApprovalRequest, columns: number, rows: number) {
	let answer: (value: string | undefined) => void = () => undefined;
	const drawn = draw(<App />, {columns, rows, answer: value => answer(value)});
	const interact = createPanelInteraction(drawn.store, {now: () => 0});
	({answer} = interact);
	const decided = approvalQuestions({...interact, workspace: () => '/repo', hide: redactKnown})(request, signal);
	await expect.poll(() => drawn.lines().join('\n'), {interval: 5}).toMatch(/N(?: no)?\]/);
	return {...drawn, decided, answer: interact.answer};
}

test('a command is shown whole, with what holds it and the rule that a key would keep [4]', async () => {
	const facts = [
		['Folder', '/repo/web'],
		['Sandbox', 'no network, writes only in this folder'],
	] as const;
	const act: Act = {...npmTest, command: 'cd a &&\n\tnpm test \u202Ex\r', folder: '/repo/web'};
	const verdict = {why: 'runs another', suggestions: ['run_command(npm test *)']};
	const {lines, decided, answer} = await ask(requestFor(act, {facts, verdict}), 80, 24);
	expect(lines().slice(0, -3)).toEqual([
		'',
		'─'.repeat(80),
		'Folder   /repo/web',
		'Note     It has control or invisible characters, shown like ␛ or ⟨U+202E⟩.',
		'Sandbox  no network, writes only in this folder',
		'Asked    because it runs another',
		'Command',
		'$ cd a &&',
		'>     npm test ⟨U+202E⟩x␍',
		'? Run this command? [y once · s allow npm test * this session · f always in this',
		'  folder · e edit · r say why not · N no]',
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
		const facts = [['Not contained', 'bubblewrap is not installed']] as const;
		const {lines, decided, answer} = await ask(
			requestFor(npmTest, {facts, verdict: {suggestions: ['run_command(npm test *)']}}),
			columns,
			rows,
		);
		const shown = lines().join('\n');
		expect(shown).toContain('$ npm test -- a');
		expect(shown.replace(/\n */g, ' ')).toMatch(/\? Run this command\? \[(?:y\/s\/f\/e\/r\/N|y once.*N no)\]/);
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

test('the only row for a command says that there is more, and scrolls through all of it [4]', async () => {
	const command = ['echo a', ...Array.from({length: 11}, (_, index) => `echo ${index}`)].join('\n');
	const {lines, store, decided, answer} = await ask(requestFor({...npmTest, command}), 20, 5);
	expect(lines()).toContain('$ echo a   … 11 ↑↓');
	const seen = new Set<string>();
	for (let offset = 0; offset < 12; offset++) {
		seen.add(/^[$>] echo (\w+)/m.exec(lines().join('\n'))?.[1] ?? '');
		store.getState().scrollBy(1);
		await expect.poll(() => lines().join('\n'), {interval: 5}).toContain(`echo ${Math.min(offset, 10)} `);
	}

	expect([...seen]).toEqual(['a', ...Array.from({length: 11}, (_, index) => String(index))]);
	answer(undefined);
	await decided;
});

test('the only row for a command without more has no such mark', async () => {
	const {lines, decided, answer} = await ask(requestFor({...npmTest, command: 'npm run a-script-x'}), 20, 5);
	expect(lines().join('\n')).not.toContain('↑↓');
	answer(undefined);
	await decided;
});
