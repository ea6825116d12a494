import {readFileSync, statSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {copyables} from '../../../src/command/copy/copyable.ts';
import type {AgentEvent} from '../../../src/core/session/event.ts';
import {answered, done, said, start, toRecords, user} from '../../core/records.ts';
import {drawn, type TestContext, testContext} from '../context.ts';

const answer = 'Run it:\n\n1. First\n   ```sh\n   npm test\n   ```\n\n```ts\nconst a = 1;\n\n\tlet b;\n```\n\nDone.';
const kitty = {TERM: 'xterm-kitty'};

/** A context whose screen shows these events. */
function shown(
	events: readonly AgentEvent[],
	env: Readonly<Record<string, string>> = kitty,
	answers: readonly (string | undefined)[] = [],
): TestContext {
	const place = testContext({env, answers});
	const {session} = place.store.getState().transcript;
	place.store.getState().applyRecords(toRecords(events).map(record => ({...record, session})));
	return place;
}

const call: AgentEvent = {
	type: 'tool-call',
	id: 'c1',
	messageId: 'm1',
	name: 'run_command',
	arguments: {command: 'ls -l\nwc x'},
};
const events = [
	start,
	user('Fix it'),
	said('Looking.'),
	call,
	answered('c1', 'a\u001B[31mb\n'),
	said(answer, 'm2'),
	done,
];

test.each([
	[['copy'], answer, 'Copied the last answer, 14 lines (OSC 52).'],
	[['copy', 'message'], 'Fix it', 'Copied your last message, 1 line (OSC 52).'],
	[['copy', 'code'], 'const a = 1;\n\n\tlet b;', 'Copied code 1 (ts), 3 lines (OSC 52).'],
	[['copy', 'code', '2'], 'npm test', 'Copied code 2 (sh), 1 line (OSC 52).'],
	[['copy', 'command'], 'ls -l\nwc x', 'Copied command 1, 2 lines (OSC 52).'],
	[['copy', 'output', '1'], 'ab', 'Copied output of command 1, 1 line (OSC 52).'],
])('%j copies the source and nothing else', async (words, text, sentence) => {
	const place = shown(events);
	expect(drawn(await place.runInApp(...words), 80)).toBe(sentence);
	expect(place.copied).toEqual([text]);
});

test('a text too long for terminals, or one that a terminal refuses, is in a private file', async () => {
	const long = shown([start, user('x'), said('y'.repeat(100_000)), done]);
	const path = join(long.home, 'copied.txt');
	expect(drawn(await long.runInApp('copy'), 500)).toBe(
		`Saved the last answer, 1 line, to ${path}.\nIt's too long for the clipboard of a terminal.`,
	);
	expect(readFileSync(path, 'utf8')).toBe(`${'y'.repeat(100_000)}\n`);
	expect(statSync(path).mode & 0o777).toBe(0o600);
	expect(long.copied).toEqual([]);

	const vte = shown(events, {TERM: 'xterm-256color', VTE_VERSION: '7600'});
	expect(drawn(await vte.runInApp('copy', 'code'), 500)).toContain("This terminal doesn't let programs copy.");
	expect(readFileSync(join(vte.home, 'copied.txt'), 'utf8')).toBe('const a = 1;\n\n\tlet b;\n');
	expect(vte.copied).toEqual([]);
});

test('in a terminal that may copy or not, both happen, and the user reads where', async () => {
	const place = shown(events, {TERM: 'xterm-256color', SSH_TTY: '/dev/pts/1'});
	expect(drawn(await place.runInApp('copy', 'code', '2'), 500)).toBe(
		`Copied code 2 (sh), 1 line (OSC 52).\nIf your terminal blocks this: ${join(place.home, 'copied.txt')}`,
	);
	expect(place.copied).toEqual(['npm test']);
	expect(readFileSync(join(place.home, 'copied.txt'), 'utf8')).toBe('npm test\n');
});

test('a list shows what can be copied, the newest first', async () => {
	const place = shown(events, kitty, ['2', undefined]);
	expect(drawn(await place.runInApp('copy', 'pick'), 80)).toBe('Copied code 2 (sh), 1 line (OSC 52).');
	expect(place.asked).toEqual([
		{
			title: 'Copy',
			choices: [
				{id: '0', label: 'the last answer', detail: expect.stringMatching(/^Run it: 1\. First/)},
				{id: '1', label: 'code 1 (ts)', detail: 'const a = 1; let b;'},
				{id: '2', label: 'code 2 (sh)', detail: 'npm test'},
				{id: '3', label: 'command 1', detail: 'ls -l wc x'},
				{id: '4', label: 'output of command 1', detail: expect.stringMatching(/^ls -l wc x: a/)},
				{id: '5', label: 'your last message', detail: 'Fix it'},
			],
		},
	]);
	expect(drawn(await place.runInApp('copy', 'pick'), 80)).toBe('Nothing copied.');
});

test.each([
	[['copy'], [], 'Nothing to copy: no answer yet.'],
	[['copy', 'pick'], [], 'Nothing to copy: the session is empty.'],
	[['copy', 'code', '3'], events, 'Nothing to copy: only 2 of code here.'],
	[['copy', 'code', '0'], events, '<number> must be at least 1.'],
	[['copy', 'cod'], events, '<what> must be one of answer, code, command, output, message, pick.'],
])('%j says why nothing is copied', async (words, given, message) => {
	const place = shown(given);
	await expect(place.runInApp(...words)).rejects.toThrow(message);
	expect(place.copied).toEqual([]);
});

test('a very long conversation of hostile Markdown is searched at once', () => {
	const hostile = `${'> '.repeat(5000)}\n${'- '.repeat(5000)}\n${'`'.repeat(5000)}\n    code`;
	const blocks = Array.from({length: 5000}, () => ({kind: 'user', id: 'u', text: hostile, open: false}) as const);
	expect(copyables(blocks)).toHaveLength(1);
	const answer = {
		kind: 'text',
		id: 't',
		messageId: 'm',
		model: 'x',
		text: hostile,
		open: true,
		at: '',
		endedAt: undefined,
	} as const;
	expect(copyables([answer])[0]?.text).toBe(hostile);
});

test('an output is printed whole instead, with its own colours and nothing that moves the cursor [1]', async () => {
	const place = shown([start, user('Fix it'), call, answered('c1', 'a\u001B[31mb\u001B[2J\nlast\n'), done]);
	const result = await place.runInApp('copy', 'output', '--print');
	expect(drawn(result, 80)).toBe('ab␛[2J\nlast');
	expect(place.copied).toEqual([]);
	await expect(place.runInApp('copy', 'output', '2', '--print')).rejects.toMatchObject({code: 'not-found'});
});
