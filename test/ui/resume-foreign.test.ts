import {mkdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {createAppStore} from '../../src/store/store.ts';
import {createPanelInteraction} from '../../src/ui/interaction.ts';
import {answered, asked, beginClaude, codex, sessionId, spoke} from '../core/foreign/transcripts.ts';
import {apiKey, quit} from '../e2e/chat.ts';
import {startModelHost} from '../e2e/model-host.ts';
import {folderWith} from '../e2e/program.ts';
import {startTerminal} from '../e2e/terminal.ts';

const rolloutId = '7d9f3a52-1c7e-4f6e-9a55-0123456789ab';
const lines = (...values: readonly unknown[]) => values.map(value => `${JSON.stringify(value)}\n`).join('');

function put(path: string, content: string): void {
	mkdirSync(join(path, '..'), {recursive: true});
	writeFileSync(path, content);
}

/** Returns a home folder in which both clients keep a conversation of a folder, and Codex one of another folder. */
function homeOf(folder: string): string {
	beginClaude();
	const home = folderWith();
	const projects = join(home, '.claude/projects', folder.replace(/[^a-zA-Z0-9]/g, '-'));
	put(
		join(projects, `${sessionId}.jsonl`),
		lines(
			asked('Fix the parser', {cwd: folder}),
			answered([{type: 'text', text: 'It is fixed.'}], 'm1', {cwd: folder}),
		),
	);
	put(join(projects, 'agent-1.jsonl'), lines(asked('A task', {cwd: folder})));
	put(join(projects, 'empty.jsonl'), '');
	const day = join(home, '.codex/sessions/2026/03/01');
	const rollout = (cwd: string, id: string, text: string) =>
		put(
			join(day, `rollout-2026-03-01T00-00-00-${id}.jsonl`),
			// A long conversation: its end isn't read for the list.
			lines(
				codex('session_meta', {id, cwd, cli_version: '0.137.0'}),
				spoke('user', text),
				spoke('assistant', 'x'.repeat(300_000)),
			),
		);
	rollout(folder, rolloutId, 'List the files');
	rollout('/elsewhere', rolloutId.replace('7d', '8d'), 'Not of here');
	return home;
}

test('/resume lists conversations of other clients in this folder; Enter imports one, which goes on', async () => {
	const model = await startModelHost(['alpha']);
	const folder = folderWith({'a.txt': 'a'});
	const home = homeOf(folder);
	const app = startTerminal({
		home: join(folderWith(), 'home'),
		folder,
		env: {CUSTOM_BASE_URL: model.baseUrl, CUSTOM_API_KEY: apiKey, HOME: home},
		args: ['--model', 'custom/alpha'],
	});
	await app.waitFor('○ idle');
	app.type('/resume\r');
	await app.waitFor('Of other clients, not imported yet');
	await app.waitFor(/List the files .*foreign, Codex/);
	await app.waitFor(/Fix the parser .*foreign, Claude Code/);
	expect(app.text()).not.toContain('Not of here');
	expect(app.text()).not.toContain('A task');
	app.type('kind:foreign parser');
	await app.waitFor(() => !app.screen().some(line => line.includes('List the files')));
	app.type('\r');
	await app.waitFor('Imported from Claude Code');
	await app.waitFor('It is fixed.');
	app.type('Go on\r');
	await app.waitFor('Hello from the host.');
	expect(model.chats().at(-1)).toEqual(
		expect.arrayContaining([expect.stringContaining('Fix the parser'), expect.stringContaining('Go on')]),
	);
	await app.waitFor(/○ idle .*context 150/);
	app.type('/resume\r');
	await app.waitFor(/List the files .*foreign, Codex/);
	// It is a saved session now.
	expect(app.text()).not.toMatch(/Fix the parser .*foreign/);
	app.type('\u001B');
	await app.waitFor(() => !app.screen().some(line => line.includes('Resume a session')));
	await quit(app);
});

test('what joins a list later moves neither the mark nor a list that has closed', async () => {
	const store = createAppStore();
	const {choose, answer} = createPanelInteraction(store);
	const choices = ['a', 'b', 'c'].map(id => ({id, label: id}));
	let join = (_: typeof choices) => {};
	const more = new Promise<typeof choices>(resolve => {
		join = resolve;
	});
	const chosen = choose({title: 'One of', choices, more: [more]});
	// Up from the first choice is the last one.
	store.getState().scrollBy(-1);
	join([{id: 'd', label: 'd'}]);
	await expect.poll(() => store.getState().panel).toMatchObject({choices: [{}, {}, {}, {id: 'd'}]});
	expect(store.getState().scroll).toBe(2);
	answer('c');
	expect(await chosen).toBe('c');
	expect(store.getState().panel).toBeUndefined();
});
