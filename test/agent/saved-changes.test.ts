import {readFile, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {expect, onTestFinished, test} from 'vitest';
import {runAgent} from '../../src/agent/run.ts';
import {createCommandSession} from '../../src/agent/tools/command/command-session.ts';
import {createRunCommand} from '../../src/agent/tools/run-command.ts';
import {hasUnseen} from '../../src/agent/unseen/unseen-ledger.ts';
import type {Act} from '../../src/core/session/approval.ts';
import type {AgentEvent} from '../../src/core/session/event.ts';
import type {Tool} from '../../src/core/session/tool.ts';
import {startAgentAtWork} from './changes/agent-at-work.ts';
import {call, collect, echo, finish, runOptions, scriptedModel, text} from './scripted.ts';

/** Runs a tool that asks to do something, does it if it may, and then waits for `end`. */
async function runTool(
	act: (workspace: string) => Act,
	{
		allowed = true,
		end = async () => undefined,
	}: {readonly allowed?: boolean; readonly end?: () => Promise<unknown>} = {},
) {
	const work = await startAgentAtWork({'a.txt': 'a'});
	const abort = new AbortController();
	const tool: Tool = {
		...echo,
		readOnly: false,
		async run(_, {approve}) {
			const permission = await approve({act: act(work.workspace), summary: 'Do it?', subject: 'it'});
			if (permission.allowed) {
				await writeFile(join(work.workspace, 'a.txt'), 'changed');
			}

			await end();
			return 'ok';
		},
	};
	const {ask} = scriptedModel([call('echo', {}, 'c1'), finish('tool-calls')], [text('Done.'), finish('stop')]);
	const approvals = () => async () => (allowed ? {allowed: true as const} : {allowed: false as const});
	const {workspace, tracker: changes} = work;
	const options = runOptions({ask, tools: [tool], workspace, signal: abort.signal, approvals, changes});
	const events: Promise<readonly AgentEvent[]> = collect(runAgent(options));
	return {work, abort, events};
}

const command = (folder: string): Act => ({kind: 'command', command: 'x', folder, containment: 'none'});
const typesOf = (events: readonly AgentEvent[]) =>
	events.map(event => (event.type === 'checkpoint' ? event.phase : event.type));

test('a call that may change files is saved after the approval and before its result', async () => {
	const {work, events} = await runTool(command);
	expect(typesOf(await events).slice(2, -2)).toEqual(['tool-call', 'before', 'after', 'tool-result']);
	work.record(await events);
	expect(await work.undo()).toMatchObject({restored: ['a.txt']});
});

test('[17] a call changes nothing before the session knows what restores it', async () => {
	const work = await startAgentAtWork({'a.txt': 'a'});
	const file = join(work.workspace, 'a.txt');
	const seen: AgentEvent[] = [];
	const saved: (readonly [string, string])[] = [];
	const tool: Tool = {
		...echo,
		readOnly: false,
		async run(_, {approve}) {
			await approve({act: command(work.workspace), summary: 'Do it?', subject: 'it'});
			await writeFile(file, 'changed');
			return 'ok';
		},
	};
	const {ask} = scriptedModel([call('echo', {}, 'c1'), finish('tool-calls')], [text('Done.'), finish('stop')]);
	const options = runOptions({
		...{ask, tools: [tool], workspace: work.workspace, changes: work.tracker},
		approvals: () => async () => ({allowed: true as const}),
		async saved() {
			saved.push([typesOf(seen).at(-1) ?? '', await readFile(file, 'utf8')]);
		},
	});
	for await (const event of runAgent(options)) {
		seen.push(event);
	}

	expect(saved).toEqual([['before', 'a']]);
});

test('nothing is saved for a refused call, and for a fetch', async () => {
	expect(typesOf(await (await runTool(command, {allowed: false})).events)).not.toContain('before');
	const fetch = (): Act => ({kind: 'fetch', url: 'https://example.com/', method: 'GET'});
	expect(typesOf(await (await runTool(fetch)).events)).not.toContain('before');
});

test('what an interrupted call has changed can be taken back', async () => {
	let changed: () => void = () => undefined;
	const hasChanged = new Promise<void>(resolve => {
		changed = resolve;
	});
	const never = async () => {
		changed();
		await new Promise(() => undefined);
	};
	const {work, abort, events} = await runTool(command, {end: never});
	await hasChanged;
	abort.abort();
	expect(typesOf(await events).slice(-3)).toEqual(['before', 'after', 'run-end']);
	work.record(await events);
	expect(await work.undo()).toMatchObject({restored: ['a.txt']});
});

test.each(['in the background', 'that is sent to the background'])(
	'what a command %s changes after its call is saved when it ends',
	async how => {
		const work = await startAgentAtWork({'a.txt': 'a'});
		const isMoved = how.startsWith('that');
		const session = createCommandSession({
			places: {stateFolder: work.stateFolder, homeFolder: work.root},
			find: async () => ({kind: 'none', why: 'tests run without a sandbox.'}),
			onForeground: count => isMoved && count === 1 && session.foreground.moveToBackground(),
		});
		onTestFinished(session.end);
		const waiting = 'for i in $(seq 1000); do [ -e go ] && break; sleep 0.02; done; echo built > a.txt';
		const {ask} = scriptedModel(
			[call('run_command', {command: waiting, background: !isMoved}, 'c1'), finish('tool-calls')],
			[text('Started.'), finish('stop')],
		);
		const approvals = () => async () => ({allowed: true as const});
		const {workspace, tracker: changes, stateFolder} = work;
		const options = runOptions({ask, tools: [createRunCommand(session)], workspace, approvals, changes});
		work.record(await collect(runAgent(options)));
		await writeFile(join(work.workspace, 'go'), '');
		await session.jobs.find('1').done;
		await work.tracker.close();
		expect((await work.review()).map(({path}) => path)).toEqual(['a.txt', 'go']);
		expect((await work.planUndo()).files).toMatchObject([
			{path: 'a.txt', job: '1'},
			{path: 'go', job: '1'},
		]);
		// [12] Nobody saw them.
		await session.end();
		expect(hasUnseen({stateFolder, folder: workspace})).toBe(true);
	},
);
