import {expect, test} from 'vitest';
import * as z from 'zod/mini';
import {command} from '../../src/command/command.ts';
import {setComposerText} from '../../src/editor/editor.ts';
import {createSessionAccess} from '../../src/storage/session-access.ts';
import {finish, call as modelCall, text as say, scriptedModel} from '../agent/scripted.ts';
import {temporaryFolder, temporaryHome} from '../storage/temporary.ts';
import {runLinear, waitingModel} from './line/running-lines.ts';

test('a message is shown once: as it was typed', async () => {
	const {ask, answer} = waitingModel();
	const {type, text, waitFor} = runLinear(ask);
	await waitFor('> ');
	type('Are you there?\n');
	await waitFor('Working · Ctrl+C interrupt');
	answer();
	await waitFor('Ready. Model custom/demo');
	expect(text()).not.toContain('Are you there?');
});

test('a message that waited for an earlier answer is printed above its own', async () => {
	const {ask, answer} = waitingModel();
	const {type, text, waitFor} = runLinear(ask);
	await waitFor('> ');
	type('First\n');
	await waitFor('Working · Ctrl+C interrupt');
	type('First\n');
	answer();
	await expect.poll(() => text().split('I am here.'), {interval: 10}).toHaveLength(3);
	expect(text().split('❯ First')).toHaveLength(2);
	type('/ghost\n');
	await waitFor('Unknown command “ghost”.');
	expect(text()).toMatch(/\nReady\. [^\n]+\n> \n?✗/);
});

test('the end of a run is told and rings, even if the run was over at once', async () => {
	const {type, waitFor, text, bells} = runLinear(scriptedModel([say('Yes.'), finish('stop')]).ask);
	await waitFor('> ');
	type('Hi\n');
	await waitFor('Ready. Model custom/demo');
	expect(text().split('Ready.')).toHaveLength(2);
	expect(bells()).toBe(1);
});

test('a command is shown once, even one that fails', async () => {
	const {type, text, waitFor} = runLinear();
	await waitFor('> ');
	type('/sessions\n');
	await waitFor('No sessions in this folder yet.');
	type('/ghost\n');
	await waitFor('✗ Unknown command “ghost”.');
	expect(text()).not.toMatch(/\/sessions\n|\/ghost/);
});

test('lines that were typed ahead are printed above their results', async () => {
	const {type, text, waitFor} = runLinear(scriptedModel([say('I am here.'), finish('stop')]).ask);
	await waitFor('> ');
	type('/usage\nSecond\n');
	await waitFor('I am here.');
	expect(text()).toMatch(/❯ \/usage\n[\s\S]+❯ Second\n[\s\S]*I am here\./);
});

test.each([
	['!touch ran', 'first of several'],
	['Look at this:', '![image](a.png)', '!touch ran'],
	['/usage', '!touch ran', 'and this'],
	['!touch ran', '!touch ran'],
])('no line of a paste runs in the shell: %j', async (...lines) => {
	const {ask, asked} = scriptedModel(lines.flatMap(() => [say('Seen.'), finish('stop')]));
	const {type, waitFor, text} = runLinear(ask);
	await waitFor('> ');
	for (const line of lines) {
		// A terminal hands over each line by itself.
		type(`${line}\n`);
		await new Promise(resolve => setImmediate(resolve));
	}

	await waitFor('Sent as a message, not run, because it came with other lines: !touch ran');
	await waitFor('Seen.');
	await expect.poll(() => JSON.stringify(asked), {interval: 10}).toContain('!touch ran');
	expect(text()).not.toMatch(/! touch|Command/);
});

test('a line of the shell that is entered by itself is no paste', async () => {
	const {ask, asked} = scriptedModel([say('Seen.'), finish('stop')]);
	const {type, waitFor, text} = runLinear(ask);
	await waitFor('> ');
	type('!touch ran\n');
	await waitFor('touch ran');
	expect(text()).not.toContain('Sent as a message');
	expect(asked).toEqual([]);
});

test('sessions are a numbered list; a filter narrows it, and invalid input gets an error', async () => {
	const home = temporaryHome();
	const folder = temporaryFolder();
	const sessions = createSessionAccess({home, folder, onState: () => undefined});
	for (const index of [1, 2]) {
		const session = `${index}0000000-5a37-4c8e-9d3a-000000000000`;
		const journal = await sessions.create(session);
		const event = {type: 'user-message', id: 'u', text: `Talk \u001b[2J${index}`} as const;
		journal.append({v: 1, seq: 0, at: `2026-01-0${index}T00:00:00Z`, session, server: 'local', event});
		await journal.close();
	}

	const {type, text, waitFor} = runLinear(undefined, {home, folder});
	await waitFor('> ');
	type('/resume\n');
	await waitFor('Number, 1 to 2, or name, or a filter such as kind:runtime:');
	expect(text()).toContain(
		'Resume a session\nConversations\n1. Talk ␛[2J2, 2026-01-02 · 20000000 · 1 message\n2. Talk ␛[2J1, 2026-01-01',
	);
	type('cost:>\r');
	await waitFor('cost: takes a number, such as cost:>1\n');
	type('kind:runtime\r');
	await waitFor(
		'Resume a session, kind:runtime: 0 of 2\nNothing matches. Type another filter, or press Enter to cancel:',
	);
	type('1000\r');
	await waitFor('Resume a session, 1000: 1 of 2\nConversations\n1. Talk ␛[2J1');
	type('1\r');
	await waitFor('10000000');
	await waitFor('❯ Talk ␛[2J1');
});

test('an empty line sends what a command put into the prompt; a message replaces it, a command does not', async () => {
	const model = scriptedModel([say('I am here.'), finish('stop')]);
	const {store, type, text, waitFor} = runLinear(model.ask);
	const offer = (words: string) => store.getState().setComposer(setComposerText(store.getState().composer, words));
	await waitFor('> ');
	offer('Do this\nand that');
	type('/sessions\n');
	await waitFor('No sessions in this folder yet.');
	type('\n');
	await waitFor('❯ Do this\n  and that');
	await waitFor('I am here.');
	offer('Do more');
	type('Something else\n');
	await expect.poll(() => text().split('I am here.'), {interval: 10}).toHaveLength(3);
	expect(store.getState().composer.text).toBe('');
	expect(text()).not.toMatch(/Do more|Not sent/);
});

test('the end of an answer shows no prompt while a command runs', async () => {
	const {ask, answer} = waitingModel();
	const {store, type, text, waitFor} = runLinear(ask);
	await waitFor('> ');
	type('Are you there?\n');
	await waitFor('Working · Ctrl+C interrupt');
	store.getState().setBusy(true, 'env logs');
	answer();
	await waitFor('Ready. Model custom/demo');
	await new Promise(resolve => setTimeout(resolve, 20));
	expect(text().split('\n').at(-1)).toBe('');
});

test('[4] a line that was typed before a question appeared does not answer it', async () => {
	const asking = command({
		name: 'dare',
		summary: 'Ask first',
		args: z.object({}),
		run: async (_, {ui: {interact}}) => ({
			kind: 'text',
			text: (await interact.confirm('Dare?')) ? 'Dared.' : 'Not dared.',
		}),
	});
	const {type, text, wait, waitFor} = runLinear(undefined, {more: [asking]});
	await waitFor('> ');
	type('/dare\n');
	await waitFor('Dare? [y/N] ');
	wait(499);
	type('y\n');
	await waitFor('Dare? [y/N] y\nIgnored: you typed that before the question appeared.\nDare? [y/N] ');
	expect(text()).not.toMatch(/Dared|Not dared/);
	wait(500);
	type('y\n');
	await waitFor('Dared.');
});

test('the steps of a plan are read once, each with its state in words', async () => {
	const {store, text, waitFor} = runLinear();
	await waitFor('> ');
	const {session} = store.getState().transcript;
	let seq = 0;
	const step = (state: string) => {
		const items = [
			{text: 'Read', state: 'done'},
			{text: 'Fix', state},
		];
		const events = [
			{type: 'tool-call', id: state, messageId: 'm', name: 'todo', arguments: {items}},
			{type: 'tool-result', id: state, output: 'ok', failed: false, milliseconds: 1},
		] as const;
		const server = 'local';
		store
			.getState()
			.applyRecords(events.map(event => ({v: 1, seq: seq++, at: '2026-01-01T00:00:00Z', session, server, event})));
	};
	step('active');
	await waitFor('✓ Todo 1 of 2 done · Fix\n');
	await waitFor('done: Read\nactive: Fix\n');
	step('pending');
	expect(text().split('done: Read')).toHaveLength(2);
});

test('[4] a question of the agent has numbered choices; a number, other words or nothing answers it', async () => {
	const choices = [
		{label: 'SQLite', description: 'one file'},
		{label: 'Post\u001b[2Jgres', description: ''},
	];
	const ask = (id: string) => [modelCall('ask_user', {question: 'Which database?', choices}, id), finish('tool-calls')];
	const model = scriptedModel(ask('a'), ask('b'), ask('c'), [say('Fine.'), finish('stop')]);
	const {type, wait, text, waitFor} = runLinear(model.ask, {userTools: true});
	await waitFor('> ');
	type('Go\n');
	const label = 'Number, 1 to 2, or your own answer; Enter to cancel:';
	await waitFor(`? Which database?\n1. SQLite, one file\n2. Post␛[2Jgres\n${label}`);
	type('2\r');
	await waitFor('Ignored: you typed that before the question appeared.');
	for (const [count, typed] of ['2', 'Duck DB', ''].entries()) {
		await expect.poll(() => text().split(label).length, {interval: 10}).toBe(count + 3);
		wait(500);
		type(`${typed}\r`);
	}

	await waitFor('Fine.');
	expect(model.asked[3]?.flatMap(message => (message.role === 'tool' ? [message.output] : []))).toEqual([
		'The user answered: Post\u001b[2Jgres',
		'The user answered: Duck DB',
		expect.stringMatching(/^The user declined/),
	]);
	// What came before a question stands above it.
	expect(text()).not.toMatch(/cancel: *[✓■W]/);
	expect(text()).toContain('✓ Ask Which database?\n  → Duck DB\n? Which database?');
	expect(text()).toContain('■ Ask Which database?\n  → declined\n');
});
