import {expect, test} from 'vitest';
import {savedChoices, seenText} from '../../../src/command/picker/resume-choices.ts';
import {titleFrom} from '../../../src/core/session/session-title.ts';

const id = '0b5e0a1c-9c1f-4d4e-8b57-0123456789ab';
const seen = {profile: 'lab', server: 'https://lab.test', org: 'acme', workspace: 'lab', at: '2026-11-23T10:00:00Z'};
const textOf = (state: string, expires_at: string) =>
	seenText({kind: 'environment', id, ...seen, shown: {id, state, task_ref: 'web-shop', expires_at}});

test.each([
	['ready', '2999-01-01T00:00:00Z', /^web-shop · ready · expires 2999-01-01$/],
	['ready', '2020-01-01T00:00:00Z', /^web-shop · ready · expired$/],
	['torn_down', '2999-01-01T00:00:00Z', /^web-shop · torn down$/],
	['failed', '2999-01-01T00:00:00Z', /^web-shop · failed$/],
])('a sandbox that is %s and expires %s says when it ends only if it has not ended', (state, expiresAt, text) => {
	expect(textOf(state, expiresAt)).toMatch(text);
});

const session = (index: number, preview: string, latest = preview) => ({
	...{id: `${index}0000000-5a37-4c8e-9d3a-000000000000`, path: '', folder: '', title: '', model: '', messages: 1},
	...{about: titleFrom(preview), preview, latest, updatedAt: `2026-01-0${index}T00:00:00Z`},
});
const options = {usage: new Map(), priceOf: () => undefined, exact: false};

test('runs of -p stand in a group of their own, below the conversations', () => {
	const sessions = [
		{...session(4, 'Summarize the log'), isPrinted: true as const},
		session(3, 'Fix the login'),
		{...session(2, 'Summarize the log'), isPrinted: true as const},
		{...session(1, 'Imported'), client: 'Codex'},
	];
	const choices = savedChoices(sessions, options).map(({choice: {group, label, fields}}) => [
		group,
		label,
		fields?.['kind'],
	]);
	expect(choices).toEqual([
		['Conversations', 'Fix the login', 'saved session'],
		['Conversations', 'Imported', 'saved session'],
		['-p runs', 'Summarize the log (2)', '-p run'],
		['-p runs', 'Summarize the log (1)', '-p run'],
	]);
});

test('a session that was handed over says where it is, and an imported one where it is from', () => {
	const handoff = {state: 'moved', key: id, to: 'ann@there', at: ''} as const;
	const choices = savedChoices(
		[
			{...session(2, 'Moved'), handoff},
			{...session(1, 'Imported'), client: 'Codex'},
		],
		options,
	);
	expect(choices.map(({choice}) => choice.detail)).toEqual([
		'2026-01-02 · 20000000 · handed over to ann@there · 1 message',
		'2026-01-01 · 10000000 · from Codex · 1 message',
	]);
});

test('sessions of one name are told apart by their last message, or by a number from the oldest one', () => {
	const sessions = [
		session(5, 'Fix the failing test', 'And add one for the parser'),
		session(4, 'Fix the failing test'),
		session(3, 'Fix the failing test'),
		session(2, 'Rename the module to something that says what it does. Then run the tests, all of them'),
		session(1, 'Explain how the reducer of the transcript joins adjacent pieces of one text as one record'),
	];
	const choices = savedChoices(sessions, options);
	expect(choices.map(({choice}) => choice.label)).toEqual([
		'Fix the failing test … And add one for the parser',
		'Fix the failing test (2)',
		'Fix the failing test (1)',
		'Rename the module to something that says what…',
		'Explain how the reducer of the transcript joins…',
	]);
	expect(new Set(choices.map(({choice}) => choice.group))).toEqual(new Set(['Conversations']));
});
