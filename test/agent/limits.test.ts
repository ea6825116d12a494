import {expect, test} from 'vitest';
import {runAgent} from '../../src/agent/run.ts';
import {call, collect, echo, finish, runOptions, scriptedModel, text} from './scripted.ts';

test('a run stops at its turn limit, with the last results in its history and the queue untouched', async () => {
	const {ask, asked} = scriptedModel([call('echo', {word: 'a'}), finish('tool-calls')]);
	let drained = 0;
	const nextMessages = () => (++drained > 2 ? [{id: 'u2', text: 'Late'}] : []);
	const events = await collect(runAgent(runOptions({ask, maxTurns: 2, nextMessages})));

	expect(events.slice(-2)).toEqual([
		{type: 'tool-result', id: 'id-3', output: 'echo a', failed: false, milliseconds: 0},
		{
			type: 'run-end',
			reason: 'budget',
			stopReason: 'tool_use',
			error: {
				code: 'budget',
				message: 'Reached the limit of 2 turns.',
				hint: 'Continue with -c, or allow more with --max-turns.',
			},
		},
	]);
	expect([asked.length, drained]).toEqual([2, 2]);
});

test('a run that finishes in its last turn is done', async () => {
	const {ask} = scriptedModel([text('Hi.'), finish('stop')]);
	const events = await collect(runAgent(runOptions({ask, maxTurns: 1, budget: {limitUsd: 0.1, spentUsd: () => 5}})));
	expect(events.at(-1)).toEqual({type: 'run-end', reason: 'done', stopReason: 'end_turn'});
});

test('a run stops when its budget is used up', async () => {
	const {ask, asked} = scriptedModel([call('echo', {word: 'a'}), finish('tool-calls')]);
	const costs = [0.01, 0.06];
	const budget = {limitUsd: 0.05, spentUsd: () => costs.shift() ?? 0};
	expect((await collect(runAgent(runOptions({ask, budget})))).at(-1)).toEqual({
		type: 'run-end',
		reason: 'budget',
		stopReason: 'tool_use',
		error: {
			code: 'budget',
			message: 'Reached the budget of $0.05: spent $0.0600.',
			hint: 'Continue with -c, or allow more with --budget.',
		},
	});
	expect(asked).toHaveLength(2);
});

test('an unknown price gives one warning about the budget', async () => {
	const {ask} = scriptedModel(
		[call('echo'), finish('tool-calls')],
		[call('echo'), finish('tool-calls')],
		[text('Hi.'), finish('stop')],
	);
	const events = await collect(runAgent(runOptions({ask, budget: {limitUsd: 1, spentUsd: () => null}})));
	expect(events.filter(event => event.type === 'notice')).toEqual([
		{
			type: 'notice',
			level: 'warning',
			text: "The price of custom/demo is unknown, so the budget can't stop this run.",
		},
	]);
});

test('a model in an endless loop is stopped', async () => {
	const {ask, asked} = scriptedModel([call('echo', {word: 'a'}, ''), finish('tool-calls')]);
	expect((await collect(runAgent(runOptions({ask})))).at(-1)).toEqual({
		type: 'run-end',
		reason: 'error',
		stopReason: 'tool_use',
		error: {
			code: 'failed',
			message: 'The model kept repeating the same tool calls.',
			hint: 'Say what it should do instead, or select another model.',
		},
	});
	expect(asked).toHaveLength(6);
});

test('the same call with a new result each time is not a loop', async () => {
	let runs = 0;
	const counter = {...echo, run: async () => `${++runs}`};
	const {ask} = scriptedModel([call('echo', {word: 'a'}, ''), finish('tool-calls')]);
	const events = await collect(runAgent(runOptions({ask, tools: [counter], maxTurns: 20})));
	expect([events.at(-1), runs]).toEqual([expect.objectContaining({reason: 'budget'}), 20]);
});

test('a model that waits with the same call is not in a loop', async () => {
	let now = 0;
	const waits = {
		...echo,
		async run() {
			now += 60_000;
			return 'No line matched in 60 s.';
		},
	};
	const {ask, asked} = scriptedModel([call('echo', {word: 'a'}, ''), finish('tool-calls')]);
	await collect(runAgent(runOptions({ask, tools: [waits], clock: () => now, maxTurns: 20})));
	expect(asked).toHaveLength(20);
});
