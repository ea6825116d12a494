import {expect, test} from 'vitest';
import {unchanged} from '../../src/command/result.ts';
import {drawn, testContext} from '../commands/context.ts';

test('a noun alone runs its list, in the app and in a shell', async () => {
	const {run, runInApp} = testContext();
	const empty = 'No keys yet. Add one: /keys set <provider>';
	expect([drawn(await run('keys'), 80), drawn(await runInApp('keys'), 80)]).toEqual([empty, empty]);
});

test('a noun without a list offers its verbs in the app and prints its usage in a shell', async () => {
	const {run, runInApp} = testContext();
	expect(drawn(await runInApp('item'), 80)).toContain('/item stage');
	await expect(run('item')).rejects.toMatchObject({
		code: 'usage',
		message: 'item needs a verb.',
		hint: 'Usage: `item stage | schemas`',
	});
});

test('the app asks for a missing argument, with known values to select', async () => {
	const {runInApp, asked, store} = testContext({answers: ['', undefined, undefined]});
	store.getState().setValuesOf(kind => (kind === 'runtime' ? ['dev-box'] : []));
	const nothing = unchanged;
	expect(await runInApp('runtime', 'resume')).toEqual(nothing);
	expect(await runInApp('connect')).toEqual(nothing);
	expect(asked).toEqual([
		{
			title: 'Select a runtime',
			choices: [
				{id: 'dev-box', label: 'dev-box'},
				{id: '', label: 'Another runtime…', isOther: true},
			],
		},
		{label: 'Runtime (key, id or unique prefix of the runtime):', masked: false},
		{label: 'Server, such as https://agents.example.com:', masked: false},
	]);
});

test('the app offers sandboxes by the start of their ids', async () => {
	const id = '0b5e0a1c-9c1f-4d4e-8b57-0123456789ab';
	const {runInApp, asked, store} = testContext({answers: [undefined]});
	store.getState().setValuesOf(kind => (kind === 'environment' ? [id] : []));
	await runInApp('env', 'stop');
	expect(asked).toEqual([
		{
			title: 'Select a sandbox',
			choices: [
				{id, label: '0b5e0a1c'},
				{id: '', label: 'Another sandbox…', isOther: true},
			],
		},
	]);
});

test('the app offers the values of an argument that has only a few', async () => {
	const {runInApp, asked, store} = testContext({answers: ['edits']});
	await runInApp('approvals', 'mode');
	expect(asked).toEqual([
		{title: 'Select a mode', choices: ['ask', 'edits', 'plan', 'all'].map(mode => ({id: mode, label: mode}))},
	]);
	expect(store.getState().approvalMode).toBe('edits');
});

test('a missing argument is a usage error in a shell', async () => {
	await expect(testContext().run('connect')).rejects.toMatchObject({code: 'usage', message: 'connect needs <url>.'});
});

test('a missing argument that has only a few values is refused with them', async () => {
	await expect(testContext().run('completion')).rejects.toMatchObject({
		message: 'completion needs <shell>.',
		hint: 'Choose one of bash, zsh, fish. Usage: `completion <shell>`',
	});
});
