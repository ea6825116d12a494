import {existsSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {openConfig} from '../../src/config/config.ts';
import {saveProfile} from '../../src/config/profiles.ts';
import {openRecents} from '../../src/config/recents.ts';
import {openSightings} from '../../src/config/sightings.ts';
import {secret} from '../../src/core/secrets/secret.ts';
import {runCompletion} from '../../src/headless/complete-shell.ts';
import {openHome} from '../../src/storage/home.ts';
import {entries} from '../command/entries.ts';
import {saveSession, testContext} from '../commands/context.ts';
import {done, said, start, user} from '../core/records.ts';
import {temporaryFolder} from '../storage/temporary.ts';

async function completed(
	words: readonly string[],
	env: Readonly<Record<string, string>> = {},
	folder = temporaryFolder(),
	kept = 0,
) {
	let written = '';
	const stdout = {write: (data: string) => (written += data)};
	const status = await runCompletion(words, {
		env: {SERVICE_HOME: join(temporaryFolder(), 'home'), ...env},
		stdout,
		folder,
		kept,
	});
	expect(status).toBe(0);
	return written;
}

const wordsOf = (printed: string) =>
	printed
		.trimEnd()
		.split('\n')
		.map(line => line.split('\t')[0]);

test('a line has a word, a tab and its description', async () => {
	expect(await completed(['keys', 'se'])).toBe('set\tSave the API key of a model provider\n');
});

test('the part of a word that the shell keeps is not printed', async () => {
	expect(wordsOf(await completed(['-p', 'Hi', '--output-format=j'], {}, undefined, 16))).toEqual(['json']);
	expect(await completed(['KEYS'], {}, undefined, 2)).toBe('');
});

test.each([
	[['who'], ['whoami']],
	[['quit'], ['']],
	[['compl'], ['completion']],
	[
		['completion', ''],
		['bash', 'zsh', 'fish'],
	],
	[['keys', 'set', 'an'], ['anthropic']],
	[['--json', 'who'], ['whoami']],
	[['--org', 'acme', 'keys', 'set', 'an'], ['anthropic']],
	[['keys', 'set', '--base'], ['--base-url']],
	[['--out'], ['--output-format']],
	[
		['-p', 'Hi', '--output-format', ''],
		['text', 'json', 'stream-json', 'stream-json-old'],
	],
	[['-p', 'Hi', '--output-format=j'], ['--output-format=json']],
	[['--continue', '--cont'], ['']],
	[['-c', '--cont'], ['']],
	[['--allow', 'x', '--allo'], ['--allow']],
	[['-p', '--out'], ['--output-format']],
	[['-cp', 'Hi', '--effort', 'lo'], ['low']],
	[['explain this', '--out'], ['--output-format']],
	[['mcp', 'list', '-s', 'lo'], ['local']],
	[['mcp', 'list', '-s=lo'], ['-s=local']],
	[['mcp', 'list', '-s', 'user', '--sco'], ['']],
	[['--budget', ''], ['']],
	[['ghost', ''], ['']],
	[['keys', 'set', 'openai', ''], ['']],
	[['\u0000', '\u001B[2J'], ['']],
])('%j completes to %j', async (typed, expected) => {
	expect(wordsOf(await completed(typed))).toEqual(expected);
});

test('without words all commands of a shell are offered', async () => {
	const found = wordsOf(await completed([]));
	expect(found).toContain('login');
	expect(found).not.toContain('quit');
});

test('models and the ids of the profile in use are offered', async () => {
	const path = join(temporaryFolder(), 'home');
	const home = openHome({SERVICE_HOME: path});
	const none = {apiKey: undefined, org: undefined, workspace: undefined, project: undefined};
	await saveProfile(openConfig(home), {...none, name: 'other', server: 'https://b.example.com'});
	await saveProfile(openConfig(home), {...none, name: 'lab', server: 'https://a.example.com'});
	const recents = openRecents(home.recentsFile);
	recents.remember('lab', [{kind: 'user', id: 'ada'}]);
	recents.remember('other', [{kind: 'user', id: 'bob'}]);
	await recents.settle(300_000);
	const env = {SERVICE_HOME: path};
	expect(wordsOf(await completed(['credits', 'unlimit', ''], env))).toEqual(['ada']);
	expect(wordsOf(await completed(['credits', 'unlimit', '--profile', 'other', ''], env))).toEqual(['bob']);
	expect(wordsOf(await completed(['credits', 'unlimit', ''], {...env, SERVICE_PROFILE: 'other'}))).toEqual(['bob']);
	expect(wordsOf(await completed(['profile', 'use', ''], env)).toSorted()).toEqual(['lab', 'other']);
	expect(wordsOf(await completed(['model', 'use', 'openai/gpt-4o']))).toContain('openai/gpt-4o-mini');
});

test('tasks, models and ids come with their titles, those of the embedded server too', async () => {
	const path = join(temporaryFolder(), 'home');
	const env = {SERVICE_HOME: path};
	const home = openHome(env);
	expect(wordsOf(await completed(['env', 'create', ''], env))).toEqual(['web-shop', 'broken-cart', 'nightly-import']);
	const id = '0b5e0a1c-9c1f-4d4e-8b57-0123456789ab';
	const recents = openRecents(home.recentsFile);
	recents.remember('local', [
		{kind: 'environment', id},
		{kind: 'task', id: 'nightly-import'},
	]);
	const sightings = openSightings(home.sightingsFile);
	const shown = {task_ref: 'web-shop', state: 'torn_down'};
	const at = new Date().toISOString();
	sightings.remember([
		{kind: 'environment', id, profile: 'local', server: 'local', org: 'a', workspace: 'b', at, shown},
	]);
	await Promise.all([recents.settle(), sightings.settle()]);
	expect(wordsOf(await completed(['env', 'create', ''], env))[0]).toBe('nightly-import');
	expect(await completed(['env', 'logs', ''], env)).toBe(`${id}\tweb-shop · torn down\n`);
	expect(await completed(['model', 'use', 'openai/gpt-4o-mini'], env)).toMatch(/^openai\/gpt-4o-mini\t\S/);
});

test('ids of a server that a shell would run, expand or split are not completed [1]', async () => {
	const path = join(temporaryFolder(), 'home');
	const home = openHome({SERVICE_HOME: path});
	await saveProfile(openConfig(home), {name: 'lab', server: 'https://lab.example', apiKey: secret('k'.repeat(20))});
	const recents = openRecents(home.recentsFile);
	const ended = [...';|&<>(){}[]*?!^#'].map(sign => `web${sign}{touch,/tmp/x}`);
	for (const id of ['org/web@1.0.0', 'web:latest', 'web=1,2%+', ...ended, '~root', '=ls', '#web', '!web']) {
		recents.remember('lab', [{kind: 'task', id}]);
	}

	await recents.settle(300_000);
	const printed = await completed(['env', 'create', ''], {SERVICE_HOME: path});
	expect(wordsOf(printed).toSorted()).toEqual(['org/web@1.0.0', 'web:latest', 'web=1,2%+']);
});

test('sessions of the folder are offered by id, with their titles [1]', async () => {
	const here = testContext();
	const events = [start, user('Read it'), said('I did.'), done];
	const old = await saveSession(here, events, '2026-01-01T00:00:00.000Z');
	const young = await saveSession(
		here,
		[...events, {type: 'rename', title: 'A\u001B[2J\ttitle'}],
		'2026-02-01T00:00:00.000Z',
	);
	const env = {SERVICE_HOME: here.home};
	const both = [`${young.slice(0, 8)}\tA␛[2J title\n`, `${old.slice(0, 8)}\tRead it\n`];
	for (const words of [
		['resume', ''],
		['rename', 'x', '--session', ''],
		['usage', '--session', ''],
		['--resume', ''],
	]) {
		expect(await completed(words, env, here.folder)).toBe(both.join(''));
	}

	expect(await completed(['export', '--session', old.slice(0, 5)], env, here.folder)).toBe(both[1]);
	expect(await completed(['resume', ''], env)).toBe('');
});

test('what does not begin as typed is given only alone, because a shell would put in what all have in common', async () => {
	expect(wordsOf(await completed(['model', 'use', 'mini']))).toEqual(['']);
	expect(wordsOf(await completed(['keys', 'remove', 'stral']))).toEqual(['mistral']);
});

test('completion creates no state folder and ignores an unusable one', async () => {
	const path = join(temporaryFolder(), 'home');
	await completed(['keys', ''], {SERVICE_HOME: path});
	await completed(['keys', 'set', '--b'], {SERVICE_HOME: path});
	expect(existsSync(path)).toBe(false);
	expect(await completed(['profile', 'use', ''], {SERVICE_HOME: '/dev/null/home'})).toBe('');
});

test('commands of the app are not offered', async () => {
	let written = '';
	const env = {SERVICE_HOME: join(temporaryFolder(), 'home')};
	await runCompletion(['s'], {env, entries, stdout: {write: data => (written += data)}});
	expect(wordsOf(written)).toEqual(['store', 'shell']);
});
