import {readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {openChat} from './app-in-process.ts';
import {connectedTo, quit, waitForIdle} from './chat.ts';
import {runInProcess} from './in-process.ts';
import {type Answer, startModelHost} from './model-host.ts';
import {folderWith} from './program.ts';

const poem = 'roses are red\nviolets are blu\nsugar is sweet\n';
const fixed = poem.replace('blu\n', 'blue\n');
const edits = [{old_text: 'violets are blu', new_text: 'violets are blue'}];

/** A model that reads the poem, fixes it, and then says what it was told. */
const script: readonly ((answer: Answer) => void)[] = [
	({call, finish}) => {
		call('read_file', {path: 'poem.txt'});
		finish();
	},
	({call, finish}) => {
		call('edit_file', {path: 'poem.txt', edits});
		finish();
	},
	({say, finish}) => {
		say('That is all.');
		finish();
	},
];

describe('-p', () => {
	async function run(...args: readonly string[]) {
		const host = await startModelHost();
		host.answerWith(...script);
		const connected = connectedTo(host);
		const folder = folderWith({'poem.txt': poem});
		const home = join(folderWith(), 'home');
		const {status, stdout, stderr} = await runInProcess([...connected.args, '-p', 'fix the poem', ...args], {
			env: connected.env,
			folder,
			home,
		});
		const told = host.chats().at(-1)?.at(-1);
		return {status, stdout, stderr, told, text: readFileSync(join(folder, 'poem.txt'), 'utf8'), folder};
	}

	test.each([[[]], [['--approve', 'never']]])(
		'with %j changes nothing, and tells the model and the user why',
		async args => {
			const {text, told, stderr, status, folder} = await run(...args);
			expect([text, status, readdirSync(folder)]).toEqual([poem, 0, ['poem.txt']]);
			expect(told).toContain("Not allowed: Change poem.txt? This run can't ask the user for approval.");
			expect(stderr).toBe(
				'service: Refused without asking (not interactive): Change poem.txt?\n  Allow it with --approve edits or --allow "edit_file(./poem.txt)".\n',
			);
		},
	);

	test.each([
		['edit_file(poem.txt)', fixed],
		['edit_file(docs/**)', poem],
	])('with --allow "%s" writes what the rule covers and nothing else', async (rule, expected) => {
		const {text, stdout} = await run('--allow', rule, '--output-format', 'stream-json');
		expect(text).toBe(expected);
		expect(stdout).toContain(expected === fixed ? `"allowed":true` : `"allowed":false`);
	});

	test('an invalid rule ends before the model is asked', async () => {
		const {status, stderr, text} = await run('--allow', 'npm test');
		expect([status, text]).toEqual([2, poem]);
		expect(stderr).toContain('Invalid rule “npm test”.');
	});

	test.each(['edits', 'all'])('with --approve %s writes the edit, and the result has the call', async mode => {
		const {text, told, stderr, status, stdout} = await run('--approve', mode, '--output-format', 'stream-json');
		expect({text, status, stderr}).toEqual({text: fixed, status: 0, stderr: ''});
		expect(told).toBe('tool: Changed poem.txt (+1 -1 lines).');
		const lines = stdout
			.trimEnd()
			.split('\n')
			.map(line => JSON.parse(line));
		const change = {path: 'poem.txt', added: 1, removed: 1, diff: expect.stringContaining('\n+violets are blue\n')};
		expect(lines.map(({event}) => event).filter(event => event?.change)).toMatchObject([
			{type: 'approval-request', kind: 'edit', change},
			{type: 'tool-result', failed: false, change},
		]);
		expect(lines.at(-1).tool_calls).toEqual([
			{name: 'read_file', arguments: {path: 'poem.txt'}},
			{name: 'edit_file', arguments: {path: 'poem.txt', edits}},
		]);
	});
});

test('the app shows the diff, writes after y, and shows the change', async () => {
	const folder = folderWith({'poem.txt': poem});
	const {host, terminal} = await openChat({folder});
	host.answerWith(...script);
	terminal.type('fix the poem\r');
	await terminal.waitFor(
		/poem\.txt · \+1 −1\n 1 {3}roses are red\n 2 - violets are blu\n 2 \+ violets are blue\n 3 {3}sugar/,
	);
	await terminal.waitFor(
		/\? Change poem\.txt\?\n {2}y {2}Yes, once\n {2}s {2}Yes, and all edits of this session\n {2}r {2}No, and say why\n❯ n {2}No\n/,
	);
	expect(readFileSync(join(folder, 'poem.txt'), 'utf8')).toBe(poem);
	terminal.type('y');
	await terminal.waitFor('That is all.');
	expect(readFileSync(join(folder, 'poem.txt'), 'utf8')).toBe(fixed);
	expect(terminal.text()).toMatch(
		/✓ Edit poem\.txt · \+1 −1(?: +[\d.]+ s)?\n 1 {3}roses are red\n 2 - violets are blu\n/,
	);
	await waitForIdle(terminal);
	await quit(terminal);
});

test('a refusal and a change by somebody else leave the file alone', async () => {
	const folder = folderWith({'poem.txt': poem});
	const {host, terminal} = await openChat({folder});
	const other = [{old_text: 'sugar is sweet', new_text: 'sugar is sticky'}];
	host.answerWith(
		...script.slice(0, 2),
		({call, finish}) => {
			call('edit_file', {path: 'poem.txt', edits: other});
			finish();
		},
		...script.slice(2),
	);
	terminal.type('fix the poem\r');
	await terminal.waitFor('y  Yes, once');
	terminal.type('n');
	await terminal.waitFor(/✗ Edit poem\.txt · not allowed[\s\S]*y {2}Yes, once/);
	writeFileSync(join(folder, 'poem.txt'), 'mine\n');
	terminal.type('y');
	await terminal.waitFor('That is all.');
	expect(host.chats().at(-1)?.at(-1)).toContain('“poem.txt” was changed meanwhile. Nothing was written.');
	expect(readFileSync(join(folder, 'poem.txt'), 'utf8')).toBe('mine\n');
});

test('the demo model fixes a typo, so that a newcomer sees the question', async () => {
	const folder = folderWith({'README.md': '# Teh project\n\nAbout teh world.\n'});
	const {status, stdout} = await runInProcess(['-p', 'fix the typo in README.md', '--approve', 'edits'], {folder});
	expect(status).toBe(0);
	expect(stdout).toContain('Changed README.md (+1 -1 lines).');
	expect(readFileSync(join(folder, 'README.md'), 'utf8')).toBe('# The project\n\nAbout teh world.\n');
});
