import {mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {openChat} from './app-in-process.ts';
import {connectedTo, quit, waitForIdle} from './chat.ts';
import {runInProcess} from './in-process.ts';
import {type Answer, startModelHost} from './model-host.ts';
import {folderWith} from './program.ts';

const poem = 'roses are red\nviolets are blu\n';
const edit = {path: 'poem.txt', edits: [{old_text: 'blu', new_text: 'blue'}]};
const frozen = {hooks: {'before-tool': [{tool: 'edit_file', command: 'echo "poems are frozen" >&2; exit 2'}]}};

/** A project with instructions, and a hook that denies every edit. */
function project(settings: object = frozen): string {
	const folder = folderWith({'AGENTS.md': 'Be brief.\n', 'poem.txt': poem});
	mkdirSync(join(folder, '.service'));
	writeFileSync(join(folder, '.service/settings.json'), JSON.stringify(settings));
	return folder;
}

const script: readonly ((answer: Answer) => void)[] = [
	({call, finish}) => {
		call('read_file', {path: 'poem.txt'});
		finish();
	},
	({call, finish}) => {
		call('edit_file', edit);
		finish();
	},
	({say, finish}) => {
		say('That is all.');
		finish();
	},
];

describe('[12] -p', () => {
	async function run(...args: readonly string[]) {
		const host = await startModelHost();
		host.answerWith(...script);
		const connected = connectedTo(host);
		const folder = project();
		const ended = await runInProcess([...connected.args, '-p', 'fix the poem', '--approve', 'all', ...args], {
			env: connected.env,
			folder,
		});
		return {...ended, host, poem: readFileSync(join(folder, 'poem.txt'), 'utf8')};
	}

	test('leaves out the files of a folder that is not trusted, and says so on one line', async () => {
		const {host, stderr, status, poem: after} = await run();
		expect([status, after]).toEqual([0, poem.replace('blu', 'blue')]);
		expect(stderr).toBe(
			'service: Not trusted, so left out: AGENTS.md, .service/settings.json. Pass --trust to use them in this run.\n',
		);
		expect(host.chats()[0]?.[0]).not.toContain('Be brief.');
	});

	test('with --trust follows them, and a hook denies what --approve all allows', async () => {
		const {host, stderr, status, poem: after} = await run('--trust');
		expect([status, after]).toEqual([0, poem]);
		expect(stderr).toBe('service: A hook denied edit_file: poems are frozen\n');
		expect(host.chats()[0]?.[0]).toContain('<instructions file="AGENTS.md">\nBe brief.\n</instructions>');
		expect(host.chats().at(-1)?.at(-1)).toBe('tool: Error: Denied by a hook: poems are frozen');
	});
});

test('-p says which instruction file is too long to be used as a whole', async () => {
	const host = await startModelHost();
	host.answerWith(({say, finish}) => {
		say('Yes.');
		finish();
	});
	const {args, env} = connectedTo(host);
	const folder = folderWith({'AGENTS.md': `Be brief.\n${'a'.repeat(10_000_000)}`});
	const {status, stderr} = await runInProcess([...args, '-p', 'hi', '--trust'], {env, folder});
	expect([status, stderr]).toEqual([0, 'service: AGENTS.md is too long (10 MB): only its beginning is used.\n']);
	expect(host.chats()[0]?.[0]).toMatch(/Be brief\.[\s\S]{0,70000}The rest of this file is left out/);
});

test("invalid settings of the user's own stop a run before the model is called", async () => {
	const host = await startModelHost();
	const {args, env} = connectedTo(host);
	const home = join(folderWith(), 'home');
	mkdirSync(home, {mode: 0o700});
	writeFileSync(join(home, 'settings.json'), '{"hooks": {"before-tool": [{"comand": "x"}]}}');
	const {status, stderr} = await runInProcess([...args, '-p', 'hi'], {env, home});
	expect(status).toBe(1);
	expect(stderr).toContain('hooks.before-tool.0');
	expect(host.chats()).toEqual([]);
});

test('[12] the app asks once, shows each file and hook, and asks again about a changed one', async () => {
	const folder = project();
	const home = join(folderWith(), 'home');
	const {host, terminal} = await openChat({folder, home});
	await terminal.waitFor(
		/AGENTS\.md +instructions · 10 B\n\.service\/settings\.json +settings · \d+ B\n {2}hook before-tool edit_file: echo "poems are frozen" >&2; exit 2\n\n\? Trust these files, and run their hooks\?\n {2}y {2}Trust\n❯ n {2}No\n/,
	);
	terminal.type('y');
	await terminal.waitFor(() => !terminal.text().includes('y  Trust'));
	host.answerWith(...script);
	terminal.type('fix the poem\r');
	await terminal.waitFor('That is all.');
	expect(terminal.text().match(/poems are frozen/g)).toHaveLength(1);
	expect(terminal.text()).toContain('✗ Edit poem.txt · Denied by a hook: poems are frozen');
	expect(terminal.text()).not.toContain('Change poem.txt?');
	expect(readFileSync(join(folder, 'poem.txt'), 'utf8')).toBe(poem);
	await waitForIdle(terminal);
	await quit(terminal);

	const again = await openChat({folder, home});
	again.terminal.type('hi\r');
	await again.terminal.waitFor('Hello from the host.');
	expect(again.host.chats()[0]?.[0]).toContain('Be brief.');
	await waitForIdle(again.terminal);
	await quit(again.terminal);

	writeFileSync(join(folder, 'AGENTS.md'), 'Be evil.\n');
	const changed = await openChat({folder, home});
	await changed.terminal.waitFor(/\? Changed since you answered: AGENTS\.md\. Trust\?\n {2}y {2}Trust\n❯ n {2}No\n/);
	changed.terminal.type('n');
	await changed.terminal.waitFor('Not trusted, so not used: AGENTS.md.');
	changed.terminal.type('hi\r');
	await changed.terminal.waitFor('Hello from the host.');
	expect(changed.host.chats()[0]?.[0]).not.toContain('Be evil.');
	await waitForIdle(changed.terminal);
	changed.terminal.type('/trust add\r');
	await changed.terminal.waitFor(
		/Trust these files\? They tell the agent how to work here\.\n {2}y {2}Yes\n❯ n {2}No\n/,
	);
	changed.terminal.type('y');
	await changed.terminal.waitFor(/AGENTS\.md +instructions +9 B +trusted/);
	await quit(changed.terminal);
});

test('a hook denies an edit although the user allowed all edits of the session', async () => {
	const folder = project({
		hooks: {'before-tool': [{tool: 'edit_file', command: 'grep -q blue && { echo "no blue" >&2; exit 2; }; exit 0'}]},
	});
	const {host, terminal} = await openChat({folder});
	await terminal.waitFor('y  Trust');
	terminal.type('y');
	await terminal.waitFor('✓ Trusted until they change: AGENTS.md, .service/settings.json.');
	const sugar: (answer: Answer) => void = ({call, finish}) => {
		call('edit_file', {path: 'poem.txt', edits: [{old_text: 'red', new_text: 'pink'}]});
		finish();
	};
	host.answerWith(...script.slice(0, 1), sugar, ...script.slice(1));
	terminal.type('fix the poem\r');
	await terminal.waitFor('s  Yes, and all edits of this session');
	terminal.type('s');
	await terminal.waitFor('Press s again to keep: all edits of files');
	await terminal.waitFor('s  Yes, and all edits of this session');
	terminal.type('s');
	await terminal.waitFor('That is all.');
	expect(terminal.text()).toContain('✗ Edit poem.txt · Denied by a hook: no blue');
	expect(readFileSync(join(folder, 'poem.txt'), 'utf8')).toBe(poem.replace('red', 'pink'));
	await waitForIdle(terminal);
	await quit(terminal);
});

test('[12] a rule of the folder denies also while the folder is not trusted, whatever is allowed', async () => {
	const host = await startModelHost();
	const {args, env} = connectedTo(host);
	const folder = project({deny: ['edit_file(*.txt)']});
	host.answerWith(...script);
	const {status} = await runInProcess([...args, '-p', 'fix the poem', '--approve', 'all', '--allow', 'edit_file'], {
		env,
		folder,
	});
	expect([status, readFileSync(join(folder, 'poem.txt'), 'utf8')]).toEqual([0, poem]);
	expect(host.chats().at(-1)?.at(-1)).toContain('“edit_file(*.txt)” denies this');
});
