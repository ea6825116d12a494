import {expect, test} from 'vitest';
import {createTaskTools} from '../../src/agent/tools/tools.ts';
import type {Price} from '../../src/core/session/usage.ts';
import type {ModelEvent} from '../../src/providers/provider.ts';
import {call, echo, finish, text} from '../agent/scripted.ts';
import {scripted} from '../store/scripted-conversation.ts';

const price: Price = {input: 10, cacheRead: 1, cacheWrite: 10, output: 10};

/** Returns a program whose agent reads a million tokens, then starts a sub-agent with this model. */
function delegating(model: string | undefined, sessionUsd: number) {
	const asked: (string | undefined)[] = [];
	const prices = {'custom/demo': price, 'custom/dear': {...price, input: 100_000}} as const;
	const program = scripted([], {
		loadTools: async () => [echo, ...createTaskTools()],
		limits: {
			day: () => undefined,
			requestsToday: async () => new Map(),
			loadPrices: async () => name => prices[name as keyof typeof prices],
		},
		openModel: async (wanted, task) =>
			async function* (): AsyncGenerator<ModelEvent> {
				asked.push(task ? `task ${wanted}` : wanted);
				yield {type: 'request', system: 's', tools: 't'};
				const input = asked.length === 1 ? 1_000_000 : 10;
				yield {type: 'usage', usage: {input, cacheRead: 0, cacheWrite: 0, output: 10, reasoning: 0}};
				if (asked.length === 1) {
					yield call('task', {prompt: 'Look.', description: 'Look', ...(model && {model})});
					yield finish('tool-calls');
				} else {
					yield text('Done.');
					yield finish('stop');
				}
			},
	});
	program.conversation.setBudgets({session: sessionUsd});
	return {program, asked};
}

test('a request of a sub-agent is estimated for its own model, and for its own conversation', async () => {
	const dear = delegating('custom/dear', 100);
	await dear.program.conversation.send('Go.');
	expect(dear.asked).toEqual(['custom/demo', 'custom/demo']);
	const result = dear.program.records().find(({event}) => event.type === 'tool-result')?.event;
	expect(result).toMatchObject({failed: true, output: expect.stringContaining('would pass the session budget')});

	// The agent has read for $10, and would again.
	const own = delegating(undefined, 15);
	await own.program.conversation.send('Go.');
	expect(own.asked.slice(0, 2)).toEqual(['custom/demo', 'task custom/demo']);
});
