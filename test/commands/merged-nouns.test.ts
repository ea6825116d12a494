import {expect, test} from 'vitest';
import {commands} from '../../commands/index.ts';
import {takeGlobalFlags} from '../../src/command/global-flags.ts';
import {findCommand} from '../../src/command/table.ts';
import {splitWords} from '../../src/command/words.ts';
import {reportError} from '../../src/core/error.ts';
import {done, said, start, used, user} from '../core/records.ts';
import {anyApi} from './any-api.ts';
import {dataOf, drawn, saveSession, testContext} from './context.ts';

/** Runs a line in a program of its own. Returns what is drawn, the data of `--json`, what is said, or the error. */
async function outcome(line: string, place: 'app' | 'shell') {
	const {origin} = await anyApi(1);
	const scope = {SERVICE_ORG: 'acme', SERVICE_WORKSPACE: 'lab', SERVICE_PROJECT: 'parser'};
	const env = {...scope, SERVICE_API_KEY: 'key-0123456789abcd', SERVICE_SERVER: origin};
	const first = testContext({env});
	const id = await saveSession(first, [start, user('Read it'), said('I did.'), used('m1', 1000, 10), done]);
	const {flags, rest} = takeGlobalFlags(splitWords(line.replace('<id>', id)));
	const here = testContext({like: first, env, flags, answers: ['compact_at', '70', undefined]});
	const plain = (text: string) =>
		text
			.replaceAll(id, 'id')
			.replaceAll(id.slice(0, 8), 'id')
			.replaceAll(origin, 'server')
			.replace(/service-test-\w+(?:-[0-9a-f]+)?/g, 'folder');
	try {
		const result = await (place === 'app' ? here.runInApp : here.run)(...rest);
		const {kind} = result;
		return {kind, text: plain(drawn(result, 200)), data: plain(JSON.stringify(dataOf(result))), said: here.said};
	} catch (error) {
		return {code: reportError(error).code};
	}
}

/** Each spelling from before a noun and its plural, or its other name, were one; and how the noun says it. */
const spellings = [
	['sessions', 'session saved'],
	['sessions --all', 'session saved --all'],
	['sessions --all --json', 'session saved --all --json'],
	['sessions --exact', 'session saved --exact'],
	['sessions --page 2', 'session saved --page 2'],
	['session', 'session list'],
	['sessions show <id>', 'session show <id>'],
	['sessions list --page 2', 'session list --page 2'],
	['settings', 'config edit'],
	['settings --json', 'config edit --json'],
	['settings list', 'config list'],
	['settings get compact_at', 'config get compact_at'],
	['config', 'config list'],
	['config --json', 'config list --json'],
	['traces', 'trace status'],
	['traces --json', 'trace status --json'],
	['traces status', 'trace status'],
	['traces on', 'trace on'],
	['traces on --content --json', 'trace on --content --json'],
	['traces off', 'trace off'],
	['traces --content', 'trace status --content'],
	['traces artifact t1 a1', 'trace artifact t1 a1'],
] as const;

test.each(spellings.flatMap(([old, now]) => (['app', 'shell'] as const).map(place => ({old, now, place}))))(
	'“$old” gives what “$now” gives in the $place',
	async ({old, now, place}) => {
		expect(await outcome(old, place)).toEqual(await outcome(now, place));
	},
);

test('the alias alone runs what it always did, and the noun alone what it did', async () => {
	const path = (...words: readonly string[]) => findCommand(commands, words).path;
	expect([path('sessions'), path('session')]).toEqual(['sessions', 'session list']);
	expect([path('settings'), path('config')]).toEqual(['settings', 'config list']);
	expect([path('traces'), path('trace')]).toEqual(['traces', 'help']);
	expect(await outcome('trace', 'shell')).toEqual({code: 'usage'});
	expect(await outcome('settings', 'shell')).toEqual({code: 'usage'});
	expect(await outcome('sessions', 'shell')).toMatchObject({kind: 'table', text: expect.stringContaining('Read it')});
	expect(await outcome('settings', 'app')).toMatchObject({said: ['compact_at is now 70%.']});
});

test.each([
	['sessions', 'Usage: /sessions [--all]'],
	['settings', '/help config <verb> for details. /config alone is config list.'],
	['settings', '/settings alone is config edit.'],
	['traces', '/traces alone is trace status.'],
])('help for %s has the line “%s”', async (alias, line) => {
	const {runInApp} = testContext();
	expect(drawn(await runInApp('help', alias), 80).split('\n')).toContain(line);
	expect(drawn(await runInApp(alias, '--help'), 80).split('\n')).toContain(line);
});

test('the help lists each noun once, by one name', async () => {
	const {runInApp} = testContext();
	const text = drawn(await runInApp('help'), 120);
	for (const path of ['session saved', 'session list', 'config edit', 'config list', 'trace status', 'trace push']) {
		expect(text).toMatch(new RegExp(`^/${path} `, 'm'));
	}

	expect(text).not.toMatch(/^\/(?:sessions|settings|traces)\b/m);
});
