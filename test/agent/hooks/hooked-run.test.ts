import {expect, test} from 'vitest';
import type {HookOutcome, Hooks, Occasion} from '../../../src/agent/hooks.ts';
import {runAgent} from '../../../src/agent/run.ts';
import type {Tool} from '../../../src/core/session/tool.ts';
import {approvalsOf, call, collect, echo, finish, runOptions, scriptedModel, text} from '../scripted.ts';

/** Hooks that answer as the test requires, and what they were asked. */
function recordedHooks(answer: (occasion: Occasion) => Partial<HookOutcome> | undefined = () => undefined) {
	const asked: Occasion[] = [];
	const hooks: Hooks = async occasion => {
		asked.push(occasion);
		return {warnings: [], ...answer(occasion)};
	};
	return {asked, hooks};
}

const callEcho = [call('echo', {word: 'rose'}), finish('tool-calls')] as const;
const done = [text('Done.'), finish('stop')] as const;

const runWith = (hooks: Hooks, more: Partial<Parameters<typeof runOptions>[0]> = {}) => {
	const model = scriptedModel(callEcho, done);
	return {model, events: collect(runAgent(runOptions({ask: model.ask, hooks, ...more})))};
};

test('hooks run at the start, before and after each tool, and at the end', async () => {
	const {asked, hooks} = recordedHooks();
	await runWith(hooks).events;
	expect(asked).toEqual([
		{event: 'run-start'},
		{event: 'before-tool', tool: 'echo', arguments: {word: 'rose'}},
		{event: 'after-tool', tool: 'echo', arguments: {word: 'rose'}, result: 'echo rose', failed: false},
		{event: 'run-end', reason: 'done'},
	]);
});

test('[14] a no before a tool beats every allow: the tool never runs, and nothing is asked', async () => {
	let ran = 0;
	const write: Tool = {
		...echo,
		readOnly: false,
		async run(_, {approve}) {
			await approve({act: {kind: 'edit', path: '/a'}, summary: 'Change a?', subject: 'a'});
			ran++;
			return 'written';
		},
	};
	const {hooks} = recordedHooks(({event}) => (event === 'before-tool' ? {denied: 'frozen'} : undefined));
	const approvals = approvalsOf(async ({hash}) => ({allowed: true, hash})).startRun();
	const events = await runWith(hooks, {tools: [write], approvals}).events;
	expect(ran).toBe(0);
	expect(events.filter(({type}) => type === 'approval-request')).toEqual([]);
	expect(events.filter(({type}) => type === 'tool-result' || type === 'notice')).toMatchObject([
		{type: 'tool-result', failed: true, output: 'Denied by a hook: frozen'},
	]);
});

test('[14] hooks are asked again about a command that the user edited', async () => {
	const run: Tool = {
		...echo,
		async run({word}, {approve}) {
			const act = {kind: 'command', command: String(word), folder: '/', containment: 'none'} as const;
			const permission = await approve({act, summary: 'Run?', subject: String(word)});
			return permission.allowed ? `ran ${permission.command ?? word}` : `refused: ${permission.reason}`;
		},
	};
	const {hooks, asked} = recordedHooks(occasion =>
		occasion.event === 'before-tool' && occasion.arguments['command'] === 'rm' ? {denied: 'no rm'} : undefined,
	);
	const approvals = () => async () => ({allowed: true, command: 'rm'}) as const;
	const events = await runWith(hooks, {tools: [run], approvals}).events;
	expect(asked.filter(({event}) => event === 'before-tool')).toHaveLength(2);
	expect(events.find(({type}) => type === 'tool-result')).toMatchObject({
		output: 'refused: Denied by a hook: no rm',
	});
});

test('a no after a tool adds its reason to what the model reads', async () => {
	const {hooks} = recordedHooks(({event}) => (event === 'after-tool' ? {denied: 'format it'} : undefined));
	const events = await runWith(hooks).events;
	expect(events.find(({type}) => type === 'tool-result')).toMatchObject({
		failed: false,
		output: 'echo rose\n\n[A hook says after this call: format it]',
	});
});

test('a no at the start ends the run before the model is called', async () => {
	const {hooks} = recordedHooks(({event}) => (event === 'run-start' ? {denied: 'not today'} : undefined));
	const {model, events} = runWith(hooks);
	expect((await events).at(-1)).toMatchObject({
		type: 'run-end',
		reason: 'error',
		error: {code: 'failed', message: 'A hook stopped this run. not today'},
	});
	expect(model.asked).toEqual([]);
});

test('hooks run for no tool that does not exist or whose arguments are malformed', async () => {
	const {asked, hooks} = recordedHooks();
	const model = scriptedModel([call('nothing'), finish('tool-calls')], done);
	await collect(runAgent(runOptions({ask: model.ask, hooks})));
	expect(asked.map(({event}) => event)).toEqual(['run-start', 'run-end']);
});

test('an interrupted run has its end hooks, and run-end stays the last event, once', async () => {
	const abort = new AbortController();
	const {asked, hooks} = recordedHooks(({event}) => {
		if (event === 'before-tool') {
			abort.abort();
		}

		return event === 'run-end' ? {warnings: ['late']} : undefined;
	});
	const events = await runWith(hooks, {signal: abort.signal}).events;
	expect(asked.at(-1)).toEqual({event: 'run-end', reason: 'interrupted'});
	expect(events.filter(({type}) => type === 'run-end')).toHaveLength(1);
	expect(events.at(-1)).toMatchObject({type: 'run-end', reason: 'interrupted'});
});

test('a consumer that leaves early gets run-end as the value of return()', async () => {
	const {hooks} = recordedHooks(({event}) => (event === 'run-end' ? {warnings: ['late']} : undefined));
	const run = runAgent(runOptions({ask: scriptedModel(done).ask, hooks}));
	await run.next();
	expect(await run.return()).toMatchObject({value: {type: 'run-end', reason: 'interrupted'}});
});
