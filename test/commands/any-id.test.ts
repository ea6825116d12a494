import {expect, test} from 'vitest';
import {commands} from '../../commands/index.ts';
import type {ValueKind} from '../../src/command/completion/known-values.ts';
import {takeGlobalFlags} from '../../src/command/global-flags.ts';
import {examplesOf} from '../../src/command/help.ts';
import {allCommands} from '../../src/command/table.ts';
import {splitWords} from '../../src/command/words.ts';
import {done, said, start, user} from '../core/records.ts';
import {anyApi} from './any-api.ts';
import {saveSession, testContext} from './context.ts';

/**
 * Where the ids of a kind are looked up: on the server, or among the sessions on this machine. The others are no ids, or have
 * any form, so that a prefix of one can't be told from a whole one.
 */
const idKinds: Readonly<Record<ValueKind, 'server' | 'server, which knows more' | 'here' | undefined>> = {
	'saved-session': 'here',
	session: 'server, which knows more',
	runtime: 'server, which knows more',
	environment: 'server',
	run: 'server',
	item: 'server',
	assessment: 'server',
	finding: 'server',
	user: 'server',
	member: undefined,
	key: 'server',
	evaluation: undefined,
	trace: undefined,
	task: undefined,
	org: undefined,
	workspace: undefined,
	project: undefined,
	provider: undefined,
	profile: undefined,
	server: undefined,
	model: undefined,
};

/** Arguments that go to the server as they are: the specification gives them any form. */
const anyText = new Set(['item stage --root-run']);

const one = '33f3f8a1-1c7e-4f6e-9a55-0123456789ab';
const two = '33f3f8a1-9c1f-4d4e-8b57-0123456789ab';
const dashed = (name: string) => name.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`);

/** All arguments that take an id, with the words of a line with another id. */
const takers = allCommands(commands).flatMap(({path, command}) =>
	Object.entries(command.completes ?? {}).flatMap(([name, kind]) => {
		const place = kind && idKinds[kind];
		const flag = command.positional?.includes(name) ? undefined : `--${dashed(name)}`;
		const title = `${path} ${flag ?? name}`;
		return place && !anyText.has(title) ? [{title, path, command, name, kind, place, flag}] : [];
	}),
);

type Taker = (typeof takers)[number];

/** Returns the words of the command's example with this id. */
function wordsWith({path, command, name, flag}: Taker, id: string): readonly string[] {
	const verb = path.split(' ');
	const examples = examplesOf(path, command, false).map(example => takeGlobalFlags(splitWords(example)).rest);
	const example = examples.find(words => words.length > verb.length) ?? verb;
	const given = example.slice(verb.length);
	const yes = 'yes' in command.args.shape ? ['--yes'] : [];
	if (flag === undefined) {
		const index = command.positional?.indexOf(name) ?? 0;
		return [...verb, ...given.slice(0, index), id, ...given.slice(index + 1), ...yes];
	}

	const at = given.indexOf(flag);
	return [...verb, ...(at < 0 ? [...given, flag, id] : given.with(at + 1, id)), ...yes];
}

/** Makes two ids of the kind known. Returns what runs the command with another id, and what the server was asked to change. */
async function knowing(taker: Taker) {
	const {origin, seen} = await anyApi(7);
	const scope = {
		SERVICE_ORG: 'acme',
		SERVICE_WORKSPACE: 'lab',
		SERVICE_PROJECT: '1c7e0b0e-8f5e-4d5c-9c53-0a5f0c8f2b11',
	};
	const env = {SERVICE_SERVER: origin, SERVICE_API_KEY: 'key-0123456789abcd', ...scope};
	const here = testContext({env, answers: Array.from({length: 9}, () => 'yes')});
	if (taker.place === 'here') {
		for (const id of [one, two]) {
			await saveSession(here, [start, user('Read it'), said('I did.'), done], undefined, id);
		}
	} else {
		const kind = taker.kind as Exclude<ValueKind, 'saved-session' | 'provider' | 'profile' | 'server' | 'model'>;
		here.context.program.local.recents.remember(new URL(origin).host, [
			{kind, id: one},
			{kind, id: two},
		]);
	}

	return {
		run(id: string) {
			const words = wordsWith(taker, id);
			return taker.command.where === 'app' ? here.runInApp(...words) : here.run(...words);
		},
		urls: () => seen.map(({url = ''}) => url),
		changes: () => seen.filter(({method}) => method !== 'GET'),
	};
}

test('some commands take ids, each of a kind that this list knows', () => {
	expect(takers.length).toBeGreaterThan(20);
});

test.each(takers)('$title takes a prefix of an id', async taker => {
	const {run, urls} = await knowing(taker);
	await run(one.slice(0, 12)).catch(error => expect(error).not.toMatchObject({code: 'usage'}));
	if (taker.place !== 'here' && taker.flag === undefined) {
		expect(urls().join('\n')).toContain(one);
	}
});

test.each(takers)('$title refuses a prefix of several ids, and names them', async taker => {
	const {run, changes} = await knowing(taker);
	const refused = await run('33F3f8a1').catch(error => error);
	expect(refused).toMatchObject({code: 'usage', message: expect.stringMatching(/^“33F3f8a1” matches 2 [a-z ]+: /)});
	expect([refused.message.includes(one), refused.message.includes(two)]).toEqual([true, true]);
	expect(changes()).toEqual([]);
});

test.each(takers.filter(({place}) => place !== 'server, which knows more'))(
	'$title refuses an id that nothing has',
	async taker => {
		const {run, changes} = await knowing(taker);
		await expect(run('deadbeef-0123')).rejects.toMatchObject({code: 'not-found'});
		expect(changes()).toEqual([]);
	},
);
