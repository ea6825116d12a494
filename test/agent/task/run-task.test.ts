import {setImmediate as tick} from 'node:timers/promises';
import {expect, test} from 'vitest';
import type {ApprovalQuestion} from '../../../src/agent/approval/approval.ts';
import {runAgent} from '../../../src/agent/run.ts';
import type {AgentEvent} from '../../../src/core/session/event.ts';
import {approvalsOf, call, collect, finish, type Script, text} from '../scripted.ts';
import {answers, ends, ofTasks, starts, task, used, world} from './task-world.ts';

const resultOf = (events: readonly AgentEvent[], id = 'call-1') =>
	events.find(event => event.type === 'tool-result' && event.id === id);

test('a sub-agent gets the prompt alone and tools that only read, and the agent reads its answer and what it used', async () => {
	const looks: Script = [call('echo', {word: 'x'}, 'inner-1'), used, finish('tool-calls')];
	const messages = [{role: 'user', text: 'A secret of before.'} as const];
	const {options, model, models, opened} = world([starts, ends], [[looks, answers]], {messages});
	const events = await collect(runAgent(options));
	expect(opened).toEqual([{model: undefined, tools: ['echo']}]);
	expect(models[0]?.asked[0]).toEqual([{role: 'user', text: 'Find it.'}]);
	const output = 'It is in a.ts:1.\n\n[The sub-agent used 2 requests, 220 tokens, 1 call.]';
	expect(resultOf(events)).toMatchObject({output, failed: false});
	expect(model.asked[1]?.at(-1)).toMatchObject({role: 'tool', output});
	expect(ofTasks(events).map(({event}) => event.type)).toEqual([
		...['run-start', 'user-message', 'tool-call', 'tool-result', 'text-delta', 'run-end'],
	]);
	const costs = events.flatMap(event => (event.type === 'usage' ? [[event.cause, event.task]] : []));
	expect(costs).toEqual([
		['turn', undefined],
		['task', 'call-1'],
		['task', 'call-1'],
		['turn', undefined],
	]);
});

test('a sub-agent can start none, has no list of steps, and can select its model', async () => {
	const nested: Script = [task({}, 'inner-1'), finish('tool-calls')];
	const {options, opened} = world(
		[[task({model: 'groq/small', write: true}), finish('tool-calls')], ends],
		[[nested, answers]],
	);
	const events = await collect(runAgent(options));
	expect(opened).toEqual([{model: 'groq/small', tools: ['echo', 'write_it']}]);
	expect(ofTasks(events).find(({event}) => event.type === 'tool-result')?.event).toMatchObject({
		failed: true,
		output: expect.stringContaining('Unknown tool “task”'),
	});
});

test('what a sub-agent may not do alone is asked as for the agent, with the name of the task [4]', async () => {
	const asked: ApprovalQuestion[] = [];
	const approvals = approvalsOf(async request => {
		asked.push(request);
		return {allowed: true, hash: request.hash};
	}).startRun();
	const saved: unknown[] = [];
	const changes = {
		async before(id: string, act: object) {
			saved.push([id, act]);
			return [];
		},
		after: async () => [],
		end: async () => [],
		jobStarted: () => undefined,
		restored: async () => undefined,
		close: async () => undefined,
	};
	const writing: Script = [call('write_it', {}, 'inner-1'), used, finish('tool-calls')];
	const {options} = world([[task({write: true}), finish('tool-calls')], ends], [[writing, answers]], {
		approvals,
		changes,
	});
	const events = await collect(runAgent(options));
	expect(asked).toMatchObject([{id: 'call-1', summary: 'Write a.txt?', facts: [['Task', 'Find the parser']]}]);
	expect(events.filter(({type}) => type.startsWith('approval'))).toMatchObject([
		{type: 'approval-request', id: 'call-1'},
		{type: 'approval-answer', id: 'call-1', allowed: true},
	]);
	// Its changes are one step, which /undo takes back.
	expect(saved).toEqual([['call-1', expect.objectContaining({kind: 'command'})]]);
});

test('at most four sub-agents that read run at the same time; one that may write runs alone', async () => {
	let open = 0;
	let most = 0;
	const gates: (() => void)[] = [];
	const waits = (): Script => {
		const gate = new Promise<void>(resolve => gates.push(resolve));
		return [gate, text('Seen.'), used, finish('stop')];
	};
	const calls = Array.from({length: 6}, (_, index) => task({}, `read-${index}`));
	const {options} = world(
		[[...calls, task({write: true}, 'write'), finish('tool-calls')], ends],
		Array.from({length: 7}, () => [waits()]),
	);
	const order: string[] = [];
	const all: AgentEvent[] = [];
	for await (const event of runAgent(options)) {
		all.push(event);
		if (event.type === 'task' && event.event.type === 'run-start') {
			order.push(event.id);
			most = Math.max(most, ++open);
			void tick().then(() => gates.shift()?.());
		} else if (event.type === 'task' && event.event.type === 'run-end') {
			open--;
		}
	}

	expect(most).toBe(4);
	expect(order).toEqual([...Array.from({length: 6}, (_, index) => `read-${index}`), 'write']);
	const lastRead = all.findLastIndex(event => event.type === 'tool-result' && event.id.startsWith('read'));
	expect(all.findIndex(event => event.type === 'task' && event.id === 'write')).toBeGreaterThan(lastRead);
});

test('an interrupt ends the sub-agent with the agent, also those that wait for a place', async () => {
	const abort = new AbortController();
	const never = new Promise(() => undefined);
	const calls = Array.from({length: 6}, (_, index) => task({}, `read-${index}`));
	const {options, models} = world(
		[[...calls, finish('tool-calls')]],
		Array.from({length: 6}, () => [[text('Well'), never]]),
		{signal: abort.signal},
	);
	let begun = 0;
	const events: AgentEvent[] = [];
	for await (const event of runAgent(options)) {
		events.push(event);
		if (event.type === 'task' && event.event.type === 'text-delta' && ++begun === 4) {
			abort.abort();
		}
	}

	expect(events.at(-1)).toMatchObject({type: 'run-end', reason: 'interrupted'});
	expect(events.some(({type}) => type === 'tool-result')).toBe(false);
	await tick();
	expect(models.map(({asked}) => asked.length)).toEqual([1, 1, 1, 1, 0, 0]);
});

test('a sub-agent that fails is a failed call with the reason, what it said and what it used', async () => {
	const broken: Script = [text('I began'), used, new Error('boom')];
	const {options} = world([starts, ends], [[broken]]);
	const result = resultOf(await collect(runAgent(options)));
	expect(result).toMatchObject({
		failed: true,
		output: expect.stringMatching(
			/^The sub-agent ended early\. .*It said last: I began\n\n\[The sub-agent used 1 req/s,
		),
	});
	const silent = world([starts, ends], [[[used, finish('stop')]]]);
	expect(resultOf(await collect(runAgent(silent.options)))).toMatchObject({
		failed: true,
		output: expect.stringContaining('The model gave an empty answer.'),
	});
});

test('hooks of calls hold for the calls of a sub-agent, hooks of runs do not', async () => {
	const seen: string[] = [];
	const looks: Script = [call('echo', {word: 'x'}, 'inner-1'), finish('tool-calls')];
	const {options} = world([starts, ends], [[looks, answers]], {
		async hooks(occasion) {
			seen.push('tool' in occasion ? `${occasion.event} ${occasion.tool}` : occasion.event);
			return {warnings: [], ...(occasion.event === 'before-tool' && occasion.tool === 'echo' && {denied: 'No echo.'})};
		},
	});
	const events = await collect(runAgent(options));
	expect(seen).toEqual(['run-start', 'before-tool task', 'before-tool echo', 'after-tool task', 'run-end']);
	expect(ofTasks(events).find(({event}) => event.type === 'tool-result')?.event).toMatchObject({
		failed: true,
		output: expect.stringContaining('No echo.'),
	});
});
