import {mkdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {commands} from '../../commands/index.ts';
import {findCommand} from '../../src/command/table.ts';
import {splitWords} from '../../src/command/words.ts';
import {createAppStore} from '../../src/store/store.ts';
import {createPalette} from '../../src/terminal/text/style.ts';
import {lineWidth} from '../../src/terminal/text/width.ts';
import {readFolderFacts} from '../../src/ui/opening/folder-facts.ts';
import {deferred} from '../../src/ui/opening/turns.ts';
import {firstTask, welcomeLines} from '../../src/ui/welcome.ts';
import {createRandom} from '../faults/fault.ts';
import {recorded, run, sessionId} from '../storage/records.ts';
import {temporaryFolder} from '../storage/temporary.ts';
import {testProgram} from './program.ts';
import {runApp} from './running-app.ts';

const facts = {
	version: '1.2.3',
	folder: '/tmp/x',
	place: {trusted: '', hasInstructions: false},
	model: 'openai/gpt-5',
	isDemo: false,
	lacksKey: false,
	server: undefined,
	insertKey: 'Tab',
	isBrief: false,
	width: 80,
	palette: createPalette({color: false}),
};

test.each([
	[{}, 'openai/gpt-5 · built-in server', ['/init', '/env create web-shop', '/help']],
	[{server: 'app.example.com'}, 'openai/gpt-5 · app.example.com', ['/init', '/env list', '/help']],
	[{model: 'openai/\u001b[2Jx', server: '\u001b[2J'}, 'openai/␛[2Jx · ␛[2J', ['/init', '/env list', '/help']],
	[{lacksKey: true}, 'No API key for openai/gpt-5 · built-in server', ['/keys set openai', '/model', '/help']],
	[{model: undefined}, 'No model selected · built-in server', ['/model', '/keys set anthropic', '/help']],
	[
		{isDemo: true},
		'Demo model, no AI · built-in server',
		[firstTask, '/keys set anthropic', '/connect <url>', '/env create web-shop', '/help'],
	],
])('with %j the welcome shows model, server and lines that work when typed', (given, state, steps) => {
	const [head, shown, blank, ...lines] = welcomeLines({...facts, ...given});
	expect([head, shown, blank]).toEqual(['service 1.2.3 · /tmp/x', state, '']);
	const typed = lines.map(line => line.trim().split(/ {2,}/)[0] ?? '');
	expect(typed).toEqual(steps);
	for (const line of typed.filter(each => each !== firstTask)) {
		expect(findCommand(commands, splitWords(line.slice(1)) as readonly string[]).path).toBeTruthy();
	}
});

test('the welcome has at most eight rows, whatever is known, and each fits in the window', () => {
	const place = {
		branch: 'feature/a-long-name-of-a-branch-that-somebody-chose',
		trusted: 'AGENTS.md, .mcp.json and 3 more',
		hasInstructions: false,
		last: {id: '0f9b4e6a', title: 'Fix the total of the cart', age: '59 min ago'},
	};
	const folder = `~/code/${'deep/'.repeat(20)}`;
	for (const width of [80, 20]) {
		for (const isDemo of [true, false]) {
			const lines = welcomeLines({...facts, place, folder, isDemo, width});
			expect(lines.length).toBeLessThanOrEqual(8);
			expect(Math.max(...lines.map(lineWidth))).toBeLessThanOrEqual(width);
		}
	}

	expect(welcomeLines({...facts, place})).toEqual(
		[
			'service 1.2.3 · /tmp/x · feature/a-long-name-of-a-branch-that-somebody-chose',
			'openai/gpt-5 · built-in server',
			'Trusted: AGENTS.md, .mcp.json and 3 more',
			'',
			'  /resume 0f9b4e6a      continue “Fix the total of the cart”, 59 min ago (-c)',
			'  /init                 describe this project for the agent',
			'  /env create web-shop  a sandbox with a task, and its live log',
			'  /help                 all commands, in groups',
		].map(line => (lineWidth(line) > 80 ? `${line.slice(0, 79)}…` : line)),
	);
});

test.each([40, 60, 72, 80, 120])('[%i] columns leave the last session its age and how to continue it', width => {
	const random = createRandom(width);
	for (let count = 0; count < 50; count++) {
		const title = 'Fixé the 総計 of carts'.repeat(3).slice(0, random.below(41));
		const last = {id: '0f9b4e6a', title, age: `${random.below(60)} min ago`};
		const place = {...facts.place, trusted: '', hasInstructions: true, last};
		const [line = ''] = welcomeLines({...facts, place, width}).filter(text => text.includes('/resume'));
		expect(lineWidth(line)).toBeLessThanOrEqual(width);
		if (width >= 72) {
			expect(line).toMatch(/ \(-c\)$/);
			expect(line).toContain(last.age);
		}
	}
});

test('above a session that continues the welcome has two lines', () => {
	expect(welcomeLines({...facts, isBrief: true})).toHaveLength(2);
});

test('a place is its branch, the files that are trusted, and the session that was written last', async () => {
	const folder = temporaryFolder();
	mkdirSync(join(folder, '.git'));
	writeFileSync(join(folder, '.git/HEAD'), 'ref: refs/heads/fix/cart\n');
	writeFileSync(join(folder, 'AGENTS.md'), 'Use tabs.');
	const {program, project, sessions} = testProgram({store: createAppStore(), folder});
	expect(await readFolderFacts(program)).toEqual({
		branch: 'fix/cart',
		trusted: '',
		hasInstructions: true,
		last: undefined,
	});

	await project.decide(true, (await project.load()).files);
	const journal = await sessions.create(sessionId);
	for (const record of recorded(run('Fix the cart'))) {
		journal.append(record);
	}

	await journal.close();
	expect(await readFolderFacts(program)).toMatchObject({
		trusted: 'AGENTS.md',
		last: {id: sessionId.slice(0, 8), title: 'Fix the cart', age: expect.any(String)},
	});
});

test.each([
	['a worktree', 'ref: refs/heads/topic', 'topic'],
	['a commit without a branch', '0123456789abcdef0123456789abcdef01234567', '0123456'],
	['something else', 'nothing', undefined],
])('of %s the head is read where it is', async (_, head, branch) => {
	const folder = temporaryFolder();
	const data = join(temporaryFolder(), '.git/worktrees/data');
	mkdirSync(data, {recursive: true});
	writeFileSync(join(data, 'HEAD'), `${head}\n`);
	writeFileSync(join(data, 'gitdir'), `${join(folder, '.git')}\n`);
	writeFileSync(join(folder, '.git'), `gitdir: ${data}\n`);
	const {program} = testProgram({store: createAppStore(), folder});
	expect((await readFolderFacts(program)).branch).toBe(branch);
});

test('the branch of another repository is not shown for a file that names its folder', async () => {
	const [folder, other] = [temporaryFolder(), temporaryFolder()];
	mkdirSync(join(other, '.git'));
	writeFileSync(join(other, '.git/HEAD'), 'ref: refs/heads/private\n');
	writeFileSync(join(folder, '.git'), `gitdir: ${join(other, '.git')}\n`);
	const {program} = testProgram({store: createAppStore(), folder});
	expect((await readFolderFacts(program)).branch).toBe(undefined);
});

test('Tab on the first screen inserts what the demo model shows best', async () => {
	const {type, waitFor} = runApp();
	await waitFor(`${firstTask}  watch the agent find, fix and test a bug · Tab insert`);
	type('\t');
	await waitFor(`❯ ${firstTask}`);
});

test('the welcome names the key only as long as it inserts', async () => {
	const app = runApp();
	await app.waitFor('· Tab insert');
	app.type('hello\r');
	await expect.poll(() => app.lines().join('\n')).not.toContain('Tab insert');
	expect(app.lines().join('\n')).toContain(`${firstTask}  watch the agent find, fix and test a bug`);
});

test('Tab before the welcome is there inserts it too, and what follows comes after it', async () => {
	const {promise: isLoaded, resolve: load} = deferred();
	const app = runApp({
		async compose(store) {
			await isLoaded;
			return testProgram({store}).program;
		},
	});
	app.type('\t');
	await app.settle();
	app.type(' twice');
	await app.settle();
	load();
	await app.waitFor(`❯ ${firstTask} twice`);
});

test('Tab before a welcome that never comes keeps no key from ending the app', async () => {
	const {status, settle, type} = runApp({compose: () => new Promise(() => undefined)});
	type('\tx');
	await settle();
	type('\u0003');
	await settle();
	type('\u0003');
	expect(await status).toBe(0);
});

test('the welcome in the window follows the model, and what the shell wrote above it stays', async () => {
	const app = runApp({
		before: 'shell 1\r\nshell 2\r\n',
		async compose(store) {
			const {program} = testProgram({store});
			return {...program, model: {...program.model, isDemo: () => store.getState().model === 'custom/demo'}};
		},
	});
	await app.waitFor('Demo model, no AI');
	app.store.getState().setModel('custom/other');
	await app.waitFor('custom/other · built-in server');
	expect(
		app
			.lines()
			.slice(0, 5)
			.map(line => line.slice(0, 30).trim()),
	).toEqual(['shell 1', 'shell 2', expect.stringMatching(/^service 1\.2\.3/), 'custom/other · built-in server', '']);
	expect(app.lines().filter(line => line.includes('/help'))).toHaveLength(1);
	app.resize(60, 24);
	await app.settle(300);
	expect(app.lines().filter(line => line.includes('/help'))).toHaveLength(1);
	app.type('\t');
	expect(app.store.getState().offered).toBeUndefined();
});

test('it follows a model that a host tells twice before the conversation is open', async () => {
	const app = runApp({
		flags: {resume: 'a session of a host'},
		async compose(store) {
			const {program} = testProgram({store});
			store.getState().setModel(undefined);
			const session = {
				...program.session,
				async resume() {
					store.getState().setModel('custom/first');
					await new Promise(resolve => setImmediate(resolve));
					store.getState().setModel('custom/last');
					return undefined;
				},
			};
			return {...program, session, model: {...program.model, isDemo: () => false}};
		},
	});
	await app.waitFor('custom/last · built-in server');
	expect(app.lines().filter(line => line.includes('built-in server'))).toHaveLength(1);
});

test('it follows the model that a command selects, and the lines of the command stay below it', async () => {
	const app = runApp({
		async compose(store) {
			store.getState().setModel('openai/gpt-5');
			const {program} = testProgram({store});
			return {...program, model: {...program.model, isDemo: () => store.getState().model === 'demo/demo'}};
		},
	});
	await app.waitFor('openai/gpt-5 · built-in');
	app.type('/model use custom/demo\r');
	await app.waitFor('The model is now');
	await app.settle(300);
	expect(
		app
			.lines()
			.slice(1, 11)
			.map(line => line.slice(0, 25).trim()),
	).toEqual([
		'Demo model, no AI · built',
		'',
		'fix the failing test  w',
		'/keys set anthropic   y',
		'/connect <url>        y',
		'/env create web-shop  a',
		'/help                 a',
		'',
		'❯ /model use custom/demo',
		'The model is now demo/dem',
	]);
});
