import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import * as z from 'zod/mini';
import {commands} from '../../../commands/index.ts';
import {command} from '../../../src/command/command.ts';
import {indexPaths} from '../../../src/core/fuzzy-paths.ts';
import type {CommandBlock} from '../../../src/core/session/block.ts';
import type {AgentEvent} from '../../../src/core/session/event.ts';
import type {Interaction} from '../../../src/platform/interaction.ts';
import {createPalette} from '../../../src/terminal/text/style.ts';
import {createLineOutput} from '../../../src/ui/line/line-output.ts';
import {deferred} from '../../../src/ui/opening/turns.ts';
import type {Panel} from '../../../src/ui/panels/panels.ts';
import {finish, call as modelCall, text as say, scriptedModel} from '../../agent/scripted.ts';
import {temporaryHome} from '../../storage/temporary.ts';
import {runLinear} from './running-lines.ts';
import {expectSpoken} from './spoken.ts';

const plain = {ACCESSIBLE: '1', NO_COLOR: '1', TERM: 'xterm-256color'};
const reasoning = (text: string) => ({type: 'reasoning-delta', id: 'r', text}) as const;
const colored = {ACCESSIBLE: '1', TERM: 'xterm-256color'};

/** What asks the user what a panel of each kind asks on a screen. A new kind does not compile until it is here. */
const asks: Readonly<
	Record<Panel['kind'], {readonly run: (interact: Interaction) => unknown; readonly answer?: string}>
> = {
	pick: {
		run: interact =>
			interact.choose({
				title: 'Select one',
				choices: [
					{id: 'a', label: 'First', detail: 'of two'},
					{id: 'b', label: 'Second'},
				],
			}),
		answer: '2',
	},
	field: {run: interact => interact.ask({label: 'Base URL:', masked: false}), answer: 'x'},
	confirm: {run: interact => interact.confirm('Sure?', {title: 'About', facts: [['Folder', '/tmp']]}), answer: 'y'},
	device: {
		run: interact =>
			interact.showLogin(
				{
					server: 'https://a.example',
					page: 'https://a.example/d',
					pageWithCode: 'https://a.example/d?c=1',
					code: 'WDJB-MJHT',
					expiresAt: Date.now() + 60_000,
				},
				() => undefined,
			)(),
	},
	table: {run: () => undefined},
	lines: {run: interact => interact.say('Something happened.')},
	ask: {run: () => undefined},
	queue: {run: () => undefined},
	edit: {run: () => undefined},
};

test.each(Object.entries(asks).filter(([, {answer}]) => answer))(
	'what a %s panel asks is asked in words, with a bell, and answered by typing',
	async (kind, {run, answer}) => {
		const asking = command({
			name: 'dare',
			summary: 'Ask something',
			args: z.object({}),
			run: async (_, {ui: {interact}}) => ({kind: 'text', text: `Got ${await run(interact)}.`}),
		});
		const {type, wait, waitFor, written} = runLinear(undefined, {more: [asking], env: plain});
		await waitFor('You: ');
		type('/dare\n');
		await waitFor(kind === 'pick' ? 'Number, 1 to 2, or name:' : kind === 'field' ? 'Base URL:' : 'Sure? [y/N]');
		wait(1000);
		type(`${answer}\r`);
		await waitFor(/pick/.test(kind) ? 'Got b.' : kind === 'field' ? 'Got x.' : 'Got true.');
		expectSpoken(written());
	},
);

test('a login prints its page and its code as lines', async () => {
	const logIn = command({
		name: 'dare',
		summary: 'Log in',
		args: z.object({}),
		run: async (_, {ui: {interact}}) => {
			asks.device.run(interact);
			asks.lines.run(interact);
			return {kind: 'text', text: 'Over.'};
		},
	});
	const {type, waitFor, written} = runLinear(undefined, {more: [logIn], env: plain});
	await waitFor('You: ');
	type('/dare\n');
	await waitFor('Over.');
	expect(written()).toMatch(/open this page:\nhttps:\/\/a\.example\/d\nand type this code[^\n]*\nWDJB-MJHT\n/);
	expectSpoken(written());
});

/** Counts the lines that were printed above their results. */
const echoes = (text: string) => text.replace(/\u001b\[[\d;]*m/g, '').split('You: /').length;

test.each([
	['colours', colored],
	['NO_COLOR', plain],
])('the help of every command and what each one prints is spoken with %s', async (_, env) => {
	const {type, text, waitFor, written, resize} = runLinear(undefined, {env});
	await waitFor('You: ');
	// A window with room for all: what is longer comes in steps.
	resize(80, 10_000);
	const printed = [
		...['help', 'usage', 'context', 'sessions', 'jobs', 'approvals', 'pin', 'memory show', 'trust show', 'doctor'],
		...['keys list', 'profile list', 'logs', 'watch', 'config list', 'theme list', 'traces', 'ghost', 'help access'],
	];
	for (const line of [...commands.map(({name}) => `help ${name}`), ...printed]) {
		const before = echoes(text());
		type(`/${line}\n/sessions\n`);
		await expect.poll(() => echoes(text()), {interval: 5}).toBeGreaterThanOrEqual(before + 2);
	}

	await waitFor('No sessions in this folder yet.');
	expectSpoken(written());
});

test('a run says who speaks, in whole paragraphs, and rings once at its end', async () => {
	const answer = deferred();
	const model = scriptedModel(
		[
			reasoning('I look first.'),
			say('Let me see.'),
			modelCall('todo', {items: [{text: 'Look', state: 'active'}]}, 'a'),
			finish('tool-calls'),
		],
		[answer.promise, say('It is '), say('fine.\n\n'), say('| a | b |\n| - | - |\n| 1 | 2 |\n'), finish('stop')],
	);
	const {type, waitFor, text, bells, written} = runLinear(model.ask, {env: colored, userTools: true});
	await waitFor('You: ');
	expect(bells()).toBe(0);
	type('Is it fine?\n');
	await waitFor('Let me see.');
	answer.resolve();
	await waitFor('Ready.');
	expect(text()).toMatch(/Thought: I look first\./);
	expect(text()).toMatch(/\nAnswer:\nLet me see\.\n/);
	expect(text().replace(/\u001b\[[\d;]*m/g, '')).toMatch(/\nTool done: Todo/);
	expect(text().replace(/\u001b\[[\d;]*m/g, '')).toMatch(/\nAnswer:\nIt is fine\.\n\nRow 1 of 1\na: 1\nb: 2\n/);
	expect(bells()).toBe(1);
	expectSpoken(written());
});

test('notifications off rings no bell, also for alerts and questions', async () => {
	const answer = deferred();
	const home = temporaryHome();
	writeFileSync(join(home.path, 'settings.json'), '{"notifications": "off"}');
	const model = scriptedModel([answer.promise, say('Hello.'), finish('stop')]);
	const {store, type, waitFor, bells} = runLinear(model.ask, {home, env: plain});
	await waitFor('You: ');
	store.getState().setAlert('Watch 1 found something.');
	type('Hi\n');
	await waitFor('Working');
	answer.resolve();
	await waitFor('Ready.');
	expect(bells()).toBe(0);
});

test('a question of the agent rings, and its choices are numbered', async () => {
	const choices = [
		{label: 'SQLite', description: 'one file'},
		{label: 'PostgreSQL', description: ''},
	];
	const model = scriptedModel(
		[modelCall('ask_user', {question: 'Which database?', choices}, 'a'), finish('tool-calls')],
		[say('Fine.'), finish('stop')],
	);
	const {type, wait, waitFor, bells, written} = runLinear(model.ask, {env: plain, userTools: true});
	await waitFor('You: ');
	type('Go\n');
	await waitFor('1. SQLite, one file\n2. PostgreSQL\nNumber, 1 to 2');
	expect(bells()).toBe(1);
	wait(1000);
	type('2\r');
	await waitFor('Ready.');
	expect(written()).toMatch(/Question: [^\n]*Which database\?\n {2}Your answer: PostgreSQL\n/);
	expectSpoken(written());
});

test('the output of a command is printed by whole lines while it runs, and once', async () => {
	const {store, waitFor, text, written} = runLinear(undefined, {env: plain});
	await waitFor('You: ');
	const {session} = store.getState().transcript;
	let seq = 0;
	const apply = (event: AgentEvent) =>
		store.getState().applyRecords([{v: 1, seq: seq++, at: '2026-01-01T00:00:00Z', session, server: 'local', event}]);
	apply({type: 'user-command', id: 'c', command: 'make'});
	apply({type: 'tool-output', id: 'c', text: 'one\ntw'});
	await waitFor('one\n');
	expect(text()).not.toContain('tw');
	apply({type: 'tool-output', id: 'c', text: 'o\nthree'});
	await waitFor('two\n');
	apply({
		type: 'user-command-end',
		id: 'c',
		status: 'done',
		end: 'exit 0',
		output: 'one\ntwo\nthree\n',
		milliseconds: 5,
	} as AgentEvent);
	await waitFor('Command done: make · exit 0\nthree\n');
	expect(text().match(/^(?:You: )?(?:one|two|three)$/gm)).toEqual(['You: one', 'two', 'three']);
	expectSpoken(written());
});

test('a mention with a part of a path offers the files that it may mean; a whole path asks nothing', async () => {
	const model = scriptedModel([say('Yes.'), finish('stop')]);
	const paths = indexPaths(['src/cart.ts', 'test/cart.test.ts', 'README.md']);
	const {type, waitFor, text, written} = runLinear(model.ask, {
		env: plain,
		change: program => ({
			...program,
			prompts: {...program.prompts, listPaths: async () => paths},
		}),
	});
	await waitFor('You: ');
	type('Fix @cart, please\n');
	await waitFor('Which file is @cart? Press Enter to leave it as it is.\n1. ');
	const number = /(\d)\. src\/cart\.ts/.exec(text())?.[1];
	type(`${number}\r`);
	await waitFor('Answer:\nYes.');
	expect(JSON.stringify(model.asked)).toContain('Fix @src/cart.ts, please');
	type('See @README.md and @nothing-like-it\n');
	await expect.poll(() => text().split('Answer:\nYes.'), {interval: 10}).toHaveLength(3);
	expect(text().split('Which file is')).toHaveLength(2);
	expectSpoken(written());
});

test('output that was printed whole is not repeated when the command ends', () => {
	const said: string[] = [];
	const {follow, unheard} = createLineOutput({say: line => said.push(line), palette: createPalette({color: false})});
	const running: CommandBlock = {
		...{kind: 'command', id: 'c', command: 'ls', status: 'running', output: 'one\ntwo\n', end: '' as string},
		...{milliseconds: undefined, open: true, at: '2026-01-01T00:00:00Z'},
	};
	follow({open: [running]});
	expect(said).toEqual(['one', 'two']);
	expect(unheard({...running, output: 'one\ntwo'})).toBe('');
});
