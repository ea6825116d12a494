import {expect, test} from 'vitest';
import {createTaskTools} from '../../src/agent/tools/tools.ts';
import {AppError} from '../../src/core/error.ts';
import {type Price, totalCost} from '../../src/core/session/usage.ts';
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

/** Returns a program whose agent starts four sub-agents at once, each with one request of about 2 cents, estimated at 4. */
function crowded(
	script: {readonly outputTokens: number; readonly fails?: boolean},
	changes: Parameters<typeof scripted>[1] = {},
) {
	let [asked, open, most] = [0, 0, 0];
	const program = scripted([], {
		loadTools: async () => [echo, ...createTaskTools()],
		limits: {day: () => undefined, requestsToday: async () => new Map(), loadPrices: async () => () => price},
		openModel: async (_wanted, task) =>
			async function* (): AsyncGenerator<ModelEvent> {
				yield {type: 'request', system: 's', tools: 't'};
				const usage = {input: 1000, cacheRead: 0, cacheWrite: 0, output: 1000, reasoning: 0};
				if (!task) {
					const isFirst = program.records().every(({event}) => event.type !== 'tool-call');
					yield {type: 'usage', usage};
					yield* isFirst
						? [1, 2, 3, 4].map(each => call('task', {prompt: `Look ${each}.`, description: 'Look'}, `call-${each}`))
						: [text('Done.')];
					yield finish(isFirst ? 'tool-calls' : 'stop');
					return;
				}

				asked += 1;
				open += 1;
				most = Math.max(most, open);
				// The others of the same moment are checked meanwhile.
				await new Promise(resolve => setTimeout(resolve, 5));
				open -= 1;
				if (script.fails) {
					throw new AppError('auth', 'No.');
				}

				yield {type: 'usage', usage: {...usage, output: script.outputTokens}};
				yield text('Seen.');
				yield finish('stop');
			},
		...changes,
	});
	return {program, asked: () => asked, most: () => most};
}

const spent = ({program}: ReturnType<typeof crowded>) =>
	totalCost([...program.transcript().usage.values()], () => price) ?? 0;

const failures = ({program}: ReturnType<typeof crowded>) =>
	program.records().flatMap(({event}) => (event.type === 'tool-result' && event.failed ? [event.output] : []));

test('sub-agents at the same time pass no budget together', async () => {
	const {program, ...crowd} = crowded({outputTokens: 1000});
	program.conversation.setBudgets({session: 0.09});
	await program.conversation.send('Go.');
	expect(spent({program, ...crowd})).toBeLessThanOrEqual(0.09);
	expect(crowd.asked()).toBe(2);
	expect(failures({program, ...crowd})).toEqual([
		expect.stringContaining('would pass the session budget'),
		expect.stringContaining('would pass the session budget'),
	]);
});

test('sub-agents whose answers are longer than estimated pass a budget by one request at most', async () => {
	const {program, ...crowd} = crowded({outputTokens: 6000});
	program.conversation.setBudgets({session: 0.1});
	await program.conversation.send('Go.');
	expect(spent({program, ...crowd})).toBeLessThanOrEqual(0.1 + 0.07);
});

test('sub-agents go on at the same time within a large budget, and one by one where only that fits', async () => {
	const large = crowded({outputTokens: 1000});
	large.program.conversation.setBudgets({session: 10});
	await large.program.conversation.send('Go.');
	expect([large.asked(), large.most()]).toEqual([4, 4]);

	// Shorter answers than those of the agent, on which the reservation builds.
	const small = crowded({outputTokens: 10});
	small.program.conversation.setBudgets({turn: 0.1});
	await small.program.conversation.send('Go.');
	expect([small.asked(), failures(small)]).toEqual([4, []]);
	expect(small.most()).toBeLessThan(4);
});

test('a request that failed gives back what was reserved for it', async () => {
	const {program, ...crowd} = crowded({outputTokens: 10, fails: true});
	program.conversation.setBudgets({session: 0.07});
	await program.conversation.send('Go.');
	expect(crowd.asked()).toBe(4);
	expect(failures({program, ...crowd}).join()).not.toContain('budget');
});

test('an interruption ends sub-agents that wait for the budget', async () => {
	const crowd = crowded({outputTokens: 10});
	crowd.program.conversation.setBudgets({session: 0.07});
	const done = crowd.program.conversation.send('Go.');
	while (crowd.asked() === 0) {
		await new Promise(resolve => setTimeout(resolve, 1));
	}

	crowd.program.conversation.interrupt();
	await done;
	expect([crowd.asked(), crowd.program.ends()]).toEqual([1, ['interrupted']]);
});
