import {
	chmodSync,
	copyFileSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	readFileSync,
	realpathSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from 'node:fs';
import {tmpdir} from 'node:os';
import {basename, join} from 'node:path';
import process from 'node:process';
import {fileURLToPath} from 'node:url';
import {Ajv2020} from 'ajv/dist/2020.js';
import {expect, onTestFinished, test} from 'vitest';
import {createApprovals} from '../../../src/agent/approval/approval.ts';
import {judgeByRules} from '../../../src/agent/approval/ruling.ts';
import {decideUnasked} from '../../../src/agent/approval/unasked.ts';
import {createChangeStores} from '../../../src/agent/changes/change-store.ts';
import {createChangeTracker} from '../../../src/agent/changes/change-tracker.ts';
import {createChanges} from '../../../src/agent/changes/changes.ts';
import {type AgentCommand, agentEnvironment} from '../../../src/agent/external/agent-command.ts';
import {runExternalAgent} from '../../../src/agent/external/external-run.ts';
import {createExternalSession} from '../../../src/agent/external/external-session.ts';
import {findUnseen} from '../../../src/agent/unseen/start-gate.ts';
import type {ApprovalMode} from '../../../src/core/session/approval.ts';
import {changeSteps} from '../../../src/core/session/changes.ts';
import type {AgentEvent} from '../../../src/core/session/event.ts';
import {replayTranscript} from '../../../src/core/session/reduce-transcript.ts';
import {blocksOf} from '../../../src/core/session/transcript.ts';
import {folderWith, runProgram} from '../../e2e/program.ts';
import {hostileLines} from '../../hostile-json.ts';
import {hasBubblewrap, skipped} from '../sandbox/needs-bubblewrap.ts';

const fixture = fileURLToPath(new URL('fixture-agent.mjs', import.meta.url));
const schemaFile = new URL('../../../node_modules/@agentclientprotocol/sdk/schema/v1/schema.json', import.meta.url);
const ajv = new Ajv2020({strict: false, validateFormats: false});
ajv.addSchema(JSON.parse(readFileSync(schemaFile, 'utf8')), 'acp');

const requests: Readonly<Record<string, string>> = {
	initialize: 'InitializeRequest',
	'session/new': 'NewSessionRequest',
	'session/load': 'LoadSessionRequest',
	'session/prompt': 'PromptRequest',
	'session/cancel': 'CancelNotification',
	'session/set_mode': 'SetSessionModeRequest',
	'session/set_config_option': 'SetSessionConfigOptionRequest',
};

/** Checks every message that was sent to the agent by the protocol's own schema. */
function expectValidLines(file: string): readonly {readonly method?: string; readonly params?: object}[] {
	const messages = readFileSync(file, 'utf8')
		.split('\n')
		.filter(Boolean)
		.map(line => JSON.parse(line));
	for (const {method, params, result} of messages) {
		const name = method === undefined ? 'RequestPermissionResponse' : requests[method];
		const isValid = ajv.compile({$ref: `acp#/$defs/${name}`, unevaluatedProperties: false});
		expect(isValid(method === undefined ? result : params) ? [] : [method, isValid.errors]).toEqual([]);
	}

	return messages;
}

/** Opens a session with the fixture, which ends with the test. */
function openFixture({
	env = {},
	saved,
	approve = 'never',
	mode = 'ask',
	startMs = 20_000,
	cancelMs = 100,
	isContained = false,
	slowStartMs,
}: {
	readonly env?: Readonly<Record<string, string>>;
	readonly saved?: string;
	readonly approve?: 'never' | 'edits' | 'all';
	readonly mode?: ApprovalMode;
	readonly startMs?: number;
	readonly cancelMs?: number;
	readonly isContained?: boolean;
	readonly slowStartMs?: number;
} = {}) {
	const root = realpathSync(mkdtempSync(join(tmpdir(), 'external-')));
	onTestFinished(() => rmSync(root, {recursive: true, force: true}));
	const folder = join(root, 'work');
	mkdirSync(folder);
	// A sandbox shows the working folder, also of a checkout below /tmp.
	const script = isContained ? join(folder, 'agent.mjs') : fixture;
	if (isContained) {
		copyFileSync(fixture, script);
	}

	const log = join(isContained ? folder : root, 'log.jsonl');
	const places = {stateFolder: join(root, 'state')};
	const session = createExternalSession({
		agent: {name: 'fixture', command: [process.execPath, script], isContained},
		host: {env: {...process.env, ...env, FIXTURE_LOG: log}, version: '0', folder: () => folder, places, startMs},
		saved,
		onView: () => undefined,
		cancelMs,
	});
	onTestFinished(() => session.end());
	const approvals = createApprovals({
		decide: decideUnasked(approve),
		judge: judgeByRules({list: () => [], workspace: () => folder, places, hide: String}),
		mode: () => mode,
		keep: async () => undefined,
	});
	const openStore = createChangeStores(places.stateFolder);
	const changes = createChangeTracker({
		session: 's',
		workspace: () => folder,
		places,
		openStore,
		emit: () => undefined,
	});
	let id = 0;
	const run = async (
		text: string,
		{signal = new AbortController().signal, onEvent = (_: AgentEvent) => {}, handOver = ''} = {},
	) => {
		const events: AgentEvent[] = [];
		for await (const event of runExternalAgent({
			session,
			runId: `run-${++id}`,
			newId: () => `id-${++id}`,
			signal,
			prompt: {id: `m-${++id}`, text},
			nextMessages: () => [],
			mentions: undefined,
			images: undefined,
			changes,
			place: {workspace: folder, readFiles: new Map(), approvals: approvals.startRun()},
			handOver: () => handOver,
			saved: async () => undefined,
			spentUsd: 0,
			isTitled: true,
			...(slowStartMs !== undefined && {slowStartMs}),
		})) {
			events.push(event);
			onEvent(event);
		}

		expect(events.filter(({type}) => type === 'run-end')).toHaveLength(1);
		expect(events.at(-1)?.type).toBe('run-end');
		const transcript = replayTranscript(
			's',
			events.map((event, seq) => ({v: 1, seq, at: '2026-01-01T00:00:00Z', session: 's', server: 'local', event})),
		);
		const blocks = blocksOf(transcript);
		const said = blocks.flatMap(block => (block.kind === 'text' ? [block.text] : [])).join('');
		const end = events.at(-1);
		return {events, transcript, blocks, said, end: end?.type === 'run-end' ? end : undefined};
	};
	return {session, run, log, root, folder, places, openStore};
}

const chosen = (said: string) => JSON.parse(said).outcome;

test('an answer of another agent is text, thought and cost, in our events, and what is sent fits the schema', async () => {
	const {run, log} = openFixture();
	const {said, end, events, transcript} = await run('scene:hello');
	expect(said).toBe('Hello world.');
	expect(end).toMatchObject({reason: 'done', stopReason: 'end_turn'});
	expect(events.find(({type}) => type === 'usage')).toMatchObject({usage: {input: 0, output: 0, costUsd: 0.25}});
	expect(transcript.agent?.name).toBe('fixture');
	const again = await run('scene:hello');
	expect(again.events.find(({type}) => type === 'usage')).toMatchObject({usage: {costUsd: 0.25}});
	expect(expectValidLines(log).map(({method}) => method)).toEqual([
		'initialize',
		'session/new',
		'session/prompt',
		'session/prompt',
	]);
});

test('a call has its last arguments and title, a diff without an old text is a new file, and a plan is our list', async () => {
	const {run} = openFixture();
	const {blocks, transcript} = await run('scene:tools');
	const calls = blocks.filter(({kind}) => kind === 'tool');
	expect(calls).toMatchObject([
		{name: 'execute', arguments: {command: 'ls'}, words: {verb: 'Run', subject: 'ls'}, output: 'a.txt', status: 'done'},
		{name: 'edit', change: {path: 'new.txt', added: 2, removed: 0}, status: 'done'},
	]);
	expect(transcript.todo).toEqual([{text: 'Do it', state: 'active'}]);
});

test('[14] questions are answered by kind, and what names no file of the folder is no edit', async () => {
	const never = openFixture();
	const refused = await never.run('scene:edit');
	expect(chosen(refused.said)).toEqual({outcome: 'selected', optionId: 'first'});
	expect(refused.blocks.find(({kind}) => kind === 'tool')).toMatchObject({status: 'failed'});
	const edits = openFixture({approve: 'edits', mode: 'edits'});
	expect(chosen((await edits.run('scene:edit')).said)).toEqual({outcome: 'selected', optionId: 'third'});
	// A write through it would create what it leads to.
	symlinkSync('../elsewhere', join(edits.folder, 'link'));
	for (const scene of ['outside', 'linked', 'nowhere', 'kindless', 'run']) {
		expect([scene, chosen((await edits.run(`scene:${scene}`)).said)]).toEqual([
			scene,
			{outcome: 'selected', optionId: 'first'},
		]);
	}

	expectValidLines(edits.log);
});

test('a change that an agent shows in its question alone is that of its call, and the file is what the question names', async () => {
	const {run} = openFixture({approve: 'edits', mode: 'edits'});
	const {blocks, events} = await run('scene:asked');
	expect(events.find(({type}) => type === 'approval-request')).toMatchObject({summary: 'Let fixture edit a.txt?'});
	expect(blocks.find(({kind}) => kind === 'tool')).toMatchObject({
		words: {verb: 'Edit', subject: 'a.txt'},
		change: {path: 'a.txt', added: 1, removed: 0},
		output: 'Wrote the file.',
	});
	const never = openFixture();
	const summaries = async (scene: string) => {
		const {events: asked} = await never.run(`scene:${scene}`);
		return asked.flatMap(event => (event.type === 'approval-request' ? [event.summary] : []));
	};
	expect(await summaries('outside')).toEqual(['Let fixture edit /etc/passwd?']);
	expect(await summaries('kindless')).toEqual(['Let fixture “Edit”?']);
	expect(await summaries('run')).toEqual(['Let fixture run rm -rf x?']);
});

test('[14] without an answer that refuses nothing is allowed unseen, not even by --approve all', async () => {
	const all = openFixture({approve: 'all', mode: 'all'});
	expect(chosen((await all.run('scene:onesided')).said)).toEqual({outcome: 'cancelled'});
	expect(chosen((await all.run('scene:unknownoptions')).said)).toEqual({outcome: 'cancelled'});
	expect(chosen((await all.run('scene:run')).said)).toEqual({outcome: 'selected', optionId: 'third'});
});

test('banners, unknown updates and answers to no question neither end a run nor reach the screen', async () => {
	const {run} = openFixture();
	const errors: unknown[] = [];
	const {error} = console;
	console.error = (...words) => errors.push(words);
	onTestFinished(() => {
		console.error = error;
	});
	const {said, end, events} = await run('scene:strange');
	expect(said).toContain('Still here.');
	expect(end?.reason).toBe('done');
	const notices = events.flatMap(event => (event.type === 'notice' ? [event.text] : []));
	expect(notices).toHaveLength(4);
	expect(notices.at(-1)).toMatch(/sent 6 updates that mean nothing/);
	expect((await run('scene:double')).end).toMatchObject({reason: 'done'});
	expect((await run('scene:hello')).said).toBe('Hello world.');
	expect(errors).toEqual([]);
});

test('[35] whatever an agent sends in place of any part of any message, the run goes on', async () => {
	const content = {type: 'content', content: {type: 'text', text: 'a'}};
	const picture = {type: 'content', content: {type: 'image', data: 'aGk=', mimeType: 'image/png'}};
	const diff = {type: 'diff', path: '/a', oldText: 'a', newText: 'b'};
	const call = {
		toolCallId: '1',
		kind: 'edit',
		title: 'a',
		name: 'n',
		rawInput: {command: 'a'},
		rawOutput: {output: 'a'},
	};
	const option = {id: 'o', name: 'n', category: 'mode', type: 'select', currentValue: 'a', options: [{value: 'a'}]};
	const updates = [
		{sessionUpdate: 'tool_call', ...call, status: 'pending', content: [content, diff], locations: [{path: '/a'}]},
		{sessionUpdate: 'tool_call_update', ...call, status: 'completed', content: [picture, {type: 'terminal'}]},
		{sessionUpdate: 'plan', entries: [{content: 'a', status: 'completed'}]},
		{sessionUpdate: 'notice', severity: 'error', title: 'a', description: 'b'},
		{sessionUpdate: 'agent_message_chunk', content: {type: 'resource', resource: {uri: 'a', text: 'b'}}},
		{sessionUpdate: 'current_mode_update', currentModeId: 'a'},
		{sessionUpdate: 'config_option_update', configOptions: [option]},
		{sessionUpdate: 'available_commands_update', availableCommands: [{name: 'a', input: {hint: 'b'}}]},
		{sessionUpdate: 'usage_update', used: 1, size: 2, cost: {amount: 0, currency: 'USD'}},
		{sessionUpdate: 'session_info_update', title: 'a'},
	].map(update => ({method: 'session/update', params: {sessionId: '@session', update}}));
	const answers = [{optionId: 'yes', name: 'Yes', kind: 'allow_once'}];
	const asked = {sessionId: '@session', toolCall: {...call, content: [diff]}, options: answers};
	const messages = [...updates, {id: 1, method: 'session/request_permission', params: asked}];
	const {run, folder} = openFixture();
	writeFileSync(join(folder, 'lines.jsonl'), `${messages.flatMap(hostileLines).join('\n')}\n`);
	const {said, end, events} = await run('scene:lines');
	expect(said).toMatch(/Done\.$/);
	expect(end?.reason).toBe('done');
	const states = events.flatMap(event => (event.type === 'plan' ? event.items.map(({state}) => state) : []));
	expect(new Set(states)).toEqual(new Set(['pending', 'done']));
});

test('an agent that dies is named with its last words, and the next message starts it with its session', async () => {
	const {run, log} = openFixture({env: {FIXTURE_LOAD: '1'}});
	const {end} = await run('scene:die');
	expect(end).toMatchObject({
		reason: 'error',
		error: {message: 'fixture is gone: it ended with status 7. It said last: fatal: the disk is on fire'},
	});
	const again = await run('scene:hello', {handOver: 'earlier'});
	expect(again.said).toBe('Hello world.');
	expect(expectValidLines(log).map(({method}) => method)).toEqual([
		'initialize',
		'session/new',
		'session/prompt',
		'initialize',
		'session/load',
		'session/prompt',
	]);
});

test('an agent that can not continue its session gets the conversation as text, and the user is told', async () => {
	const {run} = openFixture({saved: 'gone'});
	const {said, events} = await run('hello', {handOver: 'User: earlier'});
	expect(said).toBe('User: earlier\nhello');
	expect(events).toContainEqual(expect.objectContaining({type: 'notice', level: 'warning'}));
});

test('an interruption ends the run although the agent ignores it, and its group is ended', async () => {
	const {run, session} = openFixture();
	const abort = new AbortController();
	const {end} = await run('scene:ignore', {
		signal: abort.signal,
		onEvent: ({type}) => type === 'text-delta' && abort.abort(),
	});
	expect(end).toMatchObject({reason: 'interrupted'});
	expect((await run('scene:hello')).said).toBe('Hello world.');
	expect(session.view().state).toBe('ready');
});

test('results that nothing has checked end a run as what they say, or as a failure', async () => {
	const {run} = openFixture();
	expect((await run('scene:cut')).end).toMatchObject({reason: 'done', stopReason: 'max_tokens'});
	expect((await run('scene:refuse')).end).toMatchObject({reason: 'done', stopReason: 'refusal'});
	expect((await run('scene:dream')).end).toMatchObject({reason: 'error', error: {code: 'failed'}});
	expect((await run('scene:long')).end).toMatchObject({error: {message: expect.stringContaining('more than 32 MB')}});
});

test('an agent that hangs, speaks another version or wants a sign-in is named in a sentence', async () => {
	const hanging = openFixture({env: {FIXTURE_HANG: '1'}, startMs: 50});
	expect((await hanging.run('x')).end?.error?.message).toMatch(/^fixture didn't answer/);
	const other = openFixture({env: {FIXTURE_VERSION: '7'}});
	expect((await other.run('x')).end?.error?.message).toMatch(/version 7/);
	const locked = openFixture({env: {FIXTURE_AUTH: '1'}});
	expect((await locked.run('x')).end).toMatchObject({
		error: {code: 'auth', message: 'fixture needs you to sign in.', hint: expect.stringContaining('An API key')},
	});
});

test('who stops waiting for the start of an agent ends it for nobody else, and the last one ends it', async () => {
	const {session, run, log} = openFixture();
	const impatient = new AbortController();
	const waits = session.open(impatient.signal);
	const other = session.open(new AbortController().signal);
	impatient.abort(new Error('too long'));
	await expect(waits).rejects.toThrow('too long');
	await expect(other).resolves.toMatchObject({began: 'new'});
	expect((await run('scene:hello')).said).toBe('Hello world.');
	expect(expectValidLines(log).filter(({method}) => method === 'initialize')).toHaveLength(1);
	const alone = openFixture({env: {FIXTURE_HANG: '1'}});
	const last = new AbortController();
	const opening = alone.session.open(last.signal);
	last.abort(new Error('no more'));
	await expect(opening).rejects.toThrow('no more');
	await expect.poll(() => alone.session.view().state).toBe('ended');
});

test('[12] what an agent changes unasked can be undone, and is known as seen by nobody', async () => {
	const {run, folder, places, openStore} = openFixture();
	writeFileSync(join(folder, 'kept.txt'), 'before\n');
	const {transcript} = await run('scene:unasked');
	const steps = changeSteps(transcript);
	const [message] = transcript.settled.flatMap(block => (block.kind === 'user' ? [block.id] : []));
	expect(steps.map(step => [step.by, step.message])).toEqual([['agent', message]]);
	const {signal} = new AbortController();
	const changes = createChanges({folder, places, openStore});
	expect((await changes.review(steps, signal)).map(({path}) => path).sort()).toEqual(['created.txt', 'kept.txt']);
	const unseen = async () => {
		const {files} = await findUnseen(folder, places.stateFolder);
		return files.map(({path, by}) => [basename(path), by]).sort();
	};
	await expect.poll(unseen).toEqual([
		['created.txt', 'agent'],
		['kept.txt', 'agent'],
	]);
	const plan = await changes.plan(steps, new Set(steps.map(step => step.id)), signal);
	await changes.apply(plan, () => 'old', {id: 'r', session: 's', how: 'undo', signal});
	expect([readFileSync(join(folder, 'kept.txt'), 'utf8'), existsSync(join(folder, 'created.txt'))]).toEqual([
		'before\n',
		false,
	]);
});

test('options and modes are set by their ids', async () => {
	const {session, log} = openFixture();
	const {signal} = new AbortController();
	await session.setOption('m', 'x', signal).catch(() => undefined);
	await session.setOption('m', 'large', signal);
	await session.setMode('plan', signal);
	expect(session.view()).toMatchObject({mode: 'plan', options: [{id: 'm', value: 'large'}], title: 'fixture 1.2.3'});
	expectValidLines(log);
});

test('[15] an agent inherits no key of ours and of no vendor but its own', () => {
	const env = {PATH: '/bin', SERVICE_API_KEY: 'a', OPENAI_API_KEY: 'b', ANTHROPIC_API_KEY: 'c', OTHER: 'd'};
	expect(agentEnvironment({name: 'x', command: ['x']}, env)).toEqual({PATH: '/bin', OTHER: 'd'});
	expect(agentEnvironment({name: 'q', command: ['/opt/qwen', '--acp']}, env)).toEqual({
		PATH: '/bin',
		OTHER: 'd',
		OPENAI_API_KEY: 'b',
	});
	const given = {ANTHROPIC_API_KEY: undefined, MORE: 'e'};
	expect(agentEnvironment({name: 'x', command: ['x'], env: given}, env)).toMatchObject({
		ANTHROPIC_API_KEY: 'c',
		MORE: 'e',
	});
});

test.skipIf(!hasBubblewrap)(`[35] in the sandbox, an agent writes to the working folder alone${skipped}`, async () => {
	const elsewhere = realpathSync(mkdtempSync(join('/var/tmp', 'external-')));
	onTestFinished(() => rmSync(elsewhere, {recursive: true, force: true}));
	const {run, folder, root, places} = openFixture({isContained: true});
	mkdirSync(places.stateFolder);
	const paths = [
		join(folder, 'inside.txt'),
		join(elsewhere, 'a.txt'),
		join(root, 'beside.txt'),
		join(places.stateFolder, 'keys.json'),
		'/etc/outside.txt',
	];
	writeFileSync(join(folder, 'paths.json'), JSON.stringify(paths));
	const {said} = await run('scene:writes');
	expect(said).toMatch(/^written (?!written)/);
	expect(paths.map(path => existsSync(path))).toEqual([true, false, false, false, false]);
});

/** Returns a session of an agent that is started by its name, from a folder of PATH before all others. */
function sessionByName(agent: AgentCommand, {bin, folder}: {readonly bin: string; readonly folder: string}) {
	const session = createExternalSession({
		agent,
		host: {
			env: {...process.env, PATH: `${bin}:${process.env['PATH']}`},
			version: '0',
			folder: () => folder,
			places: {stateFolder: join(folder, 'state')},
		},
		saved: undefined,
		onView: () => undefined,
	});
	onTestFinished(() => session.end());
	return session;
}

test.skipIf(!hasBubblewrap)(`[35] a program that the sandbox hides is refused by its name, too${skipped}`, async () => {
	const bin = realpathSync(mkdtempSync(join('/tmp', 'external-bin-')));
	onTestFinished(() => rmSync(bin, {recursive: true, force: true}));
	// In the sandbox, the name would mean the one that every system has.
	writeFileSync(join(bin, 'true'), '#!/bin/sh\n');
	chmodSync(join(bin, 'true'), 0o755);
	const folder = realpathSync(mkdtempSync(join('/var/tmp', 'external-')));
	onTestFinished(() => rmSync(folder, {recursive: true, force: true}));
	const session = sessionByName({name: 'true', command: ['true'], isContained: true}, {bin, folder});
	await expect(session.open(new AbortController().signal)).rejects.toThrow(`doesn't show ${join(bin, 'true')}`);
});

test('[35] a program of the working folder is never started by its name', async () => {
	const folder = realpathSync(mkdtempSync(join(tmpdir(), 'external-')));
	onTestFinished(() => rmSync(folder, {recursive: true, force: true}));
	writeFileSync(join(folder, 'some-agent'), '#!/bin/sh\ntouch started\n');
	chmodSync(join(folder, 'some-agent'), 0o755);
	const session = sessionByName({name: 'some-agent', command: ['some-agent']}, {bin: folder, folder});
	await expect(session.open(new AbortController().signal)).rejects.toThrow('not installed');
	expect(existsSync(join(folder, 'started'))).toBe(false);
});

test('a run says what it waits for while an agent starts, and an interruption ends the wait', async () => {
	const {run, session} = openFixture({env: {FIXTURE_HANG: '1'}, slowStartMs: 1});
	// The app starts it before the first message.
	const ahead = session.open(new AbortController().signal, true);
	ahead.catch(() => undefined);
	const stop = new AbortController();
	const {events, end} = await run('x', {
		signal: stop.signal,
		onEvent: event => event.type === 'notice' && stop.abort(new Error('enough')),
	});
	expect(events.filter(({type}) => type === 'notice')).toMatchObject([
		{level: 'info', text: expect.stringMatching(/^Waiting for fixture to start: .*fixture-agent\.mjs$/)},
	]);
	expect(end).toMatchObject({reason: 'interrupted'});
	await expect(ahead).rejects.toThrow();
	await expect.poll(() => session.view().state).toBe('ended');
});

test('--max-turns is refused with another agent, before it starts', async () => {
	const {status, stderr} = await runProgram(['-p', 'Hi', '--agent', `node ${fixture}`, '--max-turns', '3']);
	expect(status).toBe(2);
	expect(stderr).toContain("--max-turns can't limit another agent");
});

test('--max-turns is refused for a continued session in which another agent answers', async () => {
	const place = {home: join(folderWith(), 'home'), folder: folderWith()};
	expect(await runProgram(['-p', 'Hi', '--agent', `node ${fixture}`], place)).toMatchObject({status: 0});
	const {status, stderr} = await runProgram(['-p', 'Again', '-c', '--max-turns', '3'], place);
	expect(status).toBe(2);
	expect(stderr).toContain("--max-turns can't limit another agent");
});
