import {existsSync, mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {isJsonObject} from '../../../src/core/json.ts';
import type {Choice} from '../../../src/core/question.ts';
import {dataOf, drawn, type TestContext, testContext} from '../context.ts';

/** The data of a setting, without what the table says about it. */
async function stateOf(place: TestContext, key: string): Promise<unknown> {
	const data = dataOf(await place.run('config', 'get', key));
	if (!isJsonObject(data)) {
		throw new Error('config get printed no object.');
	}

	const {value, source, from, overridden} = data;
	return overridden === undefined ? {value, source, from} : {value, source, from, overridden};
}

test('config list shows every setting with its value and its source', async () => {
	const place = testContext({env: {NO_COLOR: '1', SERVICE_ORG: 'acme'}});
	writeFileSync(join(place.home, 'settings.json'), '{"compact_at": 70}');
	const shown = drawn(await place.run('config'), 120);
	expect(shown).toMatch(/compact_at +70% +user file +20 to 95/);
	expect(shown).toMatch(/color +off +NO_COLOR +on, off/);
	expect(shown).toMatch(/org +acme +SERVICE_ORG +text/);
	expect(shown).toMatch(/budget_day +no limit +default/);
});

test.each([
	['{bad', /settings\.json is not used: it is not valid JSON\.$/],
	['{"hooks": 3}', /settings\.json is not used: hooks must be an object\.$/],
	['{"theme": "nope"}', /^theme in .*settings\.json must be one of /],
])('config list says what is wrong with a file of settings: %s', async (text, fault) => {
	const place = testContext();
	writeFileSync(join(place.home, 'settings.json'), text);
	const result = await place.run('config', 'list');
	expect(drawn(result, 400).split('\n').at(-1)).toMatch(fault);
	expect(dataOf(result)).toMatchObject({faults: [expect.stringMatching(fault)]});
});

test('config set saves a valid value where the program reads it, and unset removes it', async () => {
	const place = testContext();
	const path = join(place.home, 'settings.json');
	expect(drawn(await place.run('config', 'set', 'compact_at', '70'), 80)).toBe('compact_at is now 70%.');
	expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({compact_at: 70});
	expect(await stateOf(place, 'compact_at')).toEqual({value: 70, source: 'user file', from: path});
	expect(drawn(await place.run('config', 'unset', 'compact-at'), 80)).toBe('compact_at is now 92% (the default).');

	await place.run('config', 'set', 'budget_day', '20');
	await place.run('config', 'set', 'model', 'openai/gpt-5');
	expect(JSON.parse(readFileSync(join(place.home, 'config.json'), 'utf8')).settings).toEqual({
		budgetDayUsd: 20,
		model: 'openai/gpt-5',
	});
	expect(drawn(await place.run('budget'), 80)).toContain('$20.00');
});

test('entries of one object that several commands set at once are all saved', async () => {
	const place = testContext();
	const bound = {'prompt.undo': 'alt+u', 'prompt.redo': 'alt+i', 'prompt.copy': 'alt+o', 'prompt.stash': 'alt+p'};
	await Promise.all(Object.entries(bound).map(([action, key]) => place.run('config', 'set', `keys.${action}`, key)));
	expect(JSON.parse(readFileSync(join(place.home, 'settings.json'), 'utf8'))).toEqual({keys: bound});
	await Promise.all(['prompt.undo', 'prompt.copy'].map(action => place.run('config', 'unset', `keys.${action}`)));
	expect(JSON.parse(readFileSync(join(place.home, 'settings.json'), 'utf8'))).toEqual({
		keys: {'prompt.redo': 'alt+i', 'prompt.stash': 'alt+p'},
	});
});

test.each([
	['compact_at', '12', 'Invalid value “12”: compact_at must be at least 20.'],
	['vim', 'maybe', 'Invalid value “maybe”: vim must be on or off.'],
	['compact_at', 'x', 'Invalid value “x”: compact_at must be a number.'],
	['compact_at', '1e999', 'Invalid value “1e999”: compact_at must be a number.'],
	['budget_day', '-1', 'Invalid value “-1”: budget_day must be at least 0.01.'],
	['model', 'gpt-5', 'Invalid value “gpt-5”: model must be provider/model-name'],
	['model', 'nobody/gpt-5', 'Invalid value “nobody/gpt-5”: model must begin with one of anthropic'],
	['compct_at', '70', 'Unknown setting “compct_at”. Did you mean compact_at?'],
	['constructor', '70', 'Unknown setting “constructor”.'],
	['hooks', '{"never": []}', 'Invalid value “{"never": []}”: '],
	['deny', '{}', 'Invalid value “{}”: '],
	['deny', 'run_command(', 'Invalid value “run_command(”: '],
	['keys', 'ctrl+t', 'keys must be an object: actions with their keys.'],
	['keys.prompt.undo', 'ctrl+c', 'prompt.undo: “ctrl+c” always does what it does.'],
	['keys.prompt.undo', '[7]', 'prompt.undo must be a key or a list of keys.'],
	['keys.prompt.unod', 'ctrl+t', 'Unknown action “prompt.unod”. Did you mean “prompt.undo”?'],
	['compact_at.x', '70', 'compact_at has no entry “x”.'],
	['efforts', '{}', "efforts isn't changed with config set."],
	['server', 'https://example.com', "server isn't changed with config set."],
	['color', 'off', "color isn't changed with config set."],
	['org', 'acme', 'org is saved in a profile, and none is active.'],
])('config set %s %s is refused, and nothing is written', async (key, value, message) => {
	const place = testContext();
	await expect(place.run('config', 'set', key, '--', value)).rejects.toThrow(message);
	expect(existsSync(join(place.home, 'settings.json'))).toBe(false);
	expect(existsSync(join(place.home, 'config.json'))).toBe(false);
});

test.each([
	['theme', 'drak', 'dark'],
	['theme', 'nope', 'terminal'],
	['vim', 'maybe', 'on'],
])('the hint of config set %s %s is a line that works when typed', async (key, value, right) => {
	const place = testContext();
	const line = `config set ${key} ${right}`;
	await expect(place.run('config', 'set', key, value)).rejects.toMatchObject({
		hint: expect.stringContaining(`Set it: \`${line}\``),
	});
	expect(dataOf(await place.run(...line.split(' ')))).toMatchObject({key});
});

test('config set changes an entry of an object, or all of a list or an object; unset removes one entry', async () => {
	const place = testContext();
	const saved = () => JSON.parse(readFileSync(join(place.home, 'settings.json'), 'utf8'));
	await place.run('config', 'set', 'keys.prompt.undo', 'alt+u,Ctrl+X u');
	const moved = await place.run('config', 'set', 'keys.prompt.stash', 'ctrl+t');
	expect(drawn(moved, 120)).toContain('prompt.transpose has no key now: Ctrl+T is bound to prompt.stash.');
	expect(saved()).toEqual({keys: {'prompt.undo': ['alt+u', 'Ctrl+X u'], 'prompt.stash': 'ctrl+t'}});
	await place.run('config', 'unset', 'keys.prompt.undo');
	expect(saved()).toEqual({keys: {'prompt.stash': 'ctrl+t'}});
	await place.run('config', 'unset', 'keys.prompt.stash');
	expect(saved()).toEqual({});

	await place.run('config', 'set', 'deny', 'run_command(rm *),run_command(git push *)');
	await place.run('config', 'set', 'hooks', '{"run-end": [{"command": "true"}]}');
	expect(saved()).toEqual({
		deny: ['run_command(rm *)', 'run_command(git push *)'],
		hooks: {'run-end': [{command: 'true'}]},
	});
	await place.run('config', 'set', 'deny', 'run_command(rm *)');
	expect(saved().deny).toEqual(['run_command(rm *)']);
	await place.run('config', 'unset', 'hooks');
	expect(saved()).toEqual({deny: ['run_command(rm *)']});
});

test('a flag overrides the environment, and that the profile; a saved value says so', async () => {
	const env = {SERVICE_API_KEY: 'key-0123456789abcd'};
	const place = testContext();
	const profile = {name: 'lab', server: 'http://127.0.0.1:8700', org: 'saved', savedAt: '2026-01-01T00:00:00.000Z'};
	const data = {version: 1, settings: {}, keys: {}, profiles: {lab: profile}, activeProfile: 'lab'};
	writeFileSync(join(place.home, 'config.json'), JSON.stringify(data), {mode: 0o600});
	expect(await stateOf(place, 'org')).toEqual({value: 'saved', source: 'profile', from: 'lab'});
	expect(await stateOf(place, 'server')).toEqual({value: 'http://127.0.0.1:8700', source: 'profile', from: 'lab'});

	const set = testContext({like: place, env: {...env, SERVICE_ORG: 'environment'}});
	const environment = {value: 'environment', source: 'environment', from: 'SERVICE_ORG'};
	expect(await stateOf(set, 'org')).toEqual({...environment, overridden: 'saved'});
	expect(drawn(await set.run('config', 'set', 'org', 'other'), 80)).toBe(
		'Saved org = other.\nSERVICE_ORG decides here: environment.',
	);

	const flagged = testContext({like: place, env: {SERVICE_ORG: 'environment'}, flags: {org: 'flag'}});
	expect(await stateOf(flagged, 'org')).toMatchObject({value: 'flag', source: 'flag', from: '--org'});
});

test('a project that the user trusts sets what it may set, and nothing else [12]', async () => {
	const place = testContext();
	mkdirSync(join(place.folder, '.service'));
	writeFileSync(
		join(place.folder, '.service/settings.json'),
		'{"compact_at": 50, "model": "openai/evil", "deny": ["run_command(rm *)"]}',
	);
	writeFileSync(join(place.home, 'settings.json'), '{"compact_at": 70, "deny": ["run_command(git push *)"]}');
	expect(await stateOf(place, 'compact_at')).toMatchObject({value: 70, source: 'user file'});

	await place.context.program.project.files.decide(true, (await place.context.program.project.files.load()).files);
	const trusting = testContext({like: place});
	expect(await stateOf(trusting, 'compact_at')).toEqual({
		value: 50,
		source: 'project file',
		from: '.service/settings.json',
		overridden: 70,
	});
	expect(await stateOf(trusting, 'model')).toMatchObject({value: null, source: 'default'});
	expect(await stateOf(trusting, 'deny')).toMatchObject({
		value: ['run_command(rm *)', 'run_command(git push *)'],
		source: 'project file',
	});
});

test('credentials in hooks are not shown [8]', async () => {
	const place = testContext();
	const hooks = {
		'run-end': [{command: 'curl -H "Authorization: Bearer sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789"'}],
	};
	writeFileSync(join(place.home, 'settings.json'), JSON.stringify({hooks}));
	const result = await place.run('config', 'list');
	expect(drawn(result, 500) + JSON.stringify(dataOf(result))).not.toContain('abcdefghijklmnop');
	expect(JSON.stringify(dataOf(result))).toContain('curl -H');
});

test('/settings toggles and changes settings in a list that stays open until Esc', async () => {
	const place = testContext({answers: ['compact_at', '70', 'color', 'budget_day', 'x', 'compact_at', '', undefined]});
	const result = await place.runInApp('settings');
	expect(drawn(result, 80)).toBe('compact_at is now 92% (the default).');
	expect(place.said).toEqual([
		'compact_at is now 70%.',
		'Set the environment variable NO_COLOR.',
		'Invalid value “x”: budget_day must be a number. Daily spending limit in US dollars: 0.01 to 1000000',
		'compact_at is now 92% (the default).',
	]);
	expect(place.asked.at(-1)).toMatchObject({title: 'Settings', opensAt: 'compact_at'});
	expect(JSON.parse(readFileSync(join(place.home, 'settings.json'), 'utf8'))).toEqual({});
});

test('/settings keeps the meanings in their column beside a long value', async () => {
	const place = testContext({answers: [undefined], env: {PAGER: 'less --quit-if-one-screen -R'}});
	await place.runInApp('settings');
	const {choices} = place.asked[0] as {readonly choices: readonly Choice[]};
	const details = new Map(choices.map(({id, detail}) => [id, detail]));
	expect([details.get('vim'), details.get('notifications'), details.get('pager')]).toEqual([
		'off                    Vim keys in the prompt',
		'auto                   How to notify you when you are away',
		'less --quit-if-one-screen -R · PAGER  Program for long help pages',
	]);
});

test.each([
	{user: undefined, project: 10, value: 10, source: 'project file', overridden: undefined},
	{user: undefined, project: 5000, value: 300, source: 'default', overridden: undefined},
	{user: 20, project: 10, value: 10, source: 'project file', overridden: 20},
	{user: 20, project: 30, value: 20, source: 'user file', overridden: undefined},
	{user: 20, project: 20, value: 20, source: 'user file', overridden: undefined},
	{user: 1000, project: 400, value: 400, source: 'project file', overridden: 1000},
])('[12] a project only lowers a cap: $project beside $user of the user is $value', async row => {
	const {user, project, value, source, overridden} = row;
	const place = testContext();
	mkdirSync(join(place.folder, '.service'));
	writeFileSync(join(place.folder, '.service/settings.json'), JSON.stringify({max_turns: project}));
	writeFileSync(join(place.home, 'settings.json'), JSON.stringify({max_turns: user}));
	await place.context.program.project.files.decide(true, (await place.context.program.project.files.load()).files);
	expect(await stateOf(testContext({like: place}), 'max_turns')).toEqual({
		value,
		source,
		from:
			source === 'default'
				? null
				: source === 'user file'
					? join(place.home, 'settings.json')
					: '.service/settings.json',
		...(overridden !== undefined && {overridden}),
	});
});
