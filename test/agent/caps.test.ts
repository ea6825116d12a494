import fc from 'fast-check';
import {expect, test} from 'vitest';
import {runAgent} from '../../src/agent/run.ts';
import {type CapLimits, type CapName, createCapCounts, defaultLimits} from '../../src/core/caps.ts';
import {AppError} from '../../src/core/error.ts';
import type {AgentEvent} from '../../src/core/session/event.ts';
import type {Message} from '../../src/core/session/message.ts';
import type {Tool} from '../../src/core/session/tool.ts';
import type {ProviderEvent} from '../../src/providers/provider.ts';
import {call, collect, finish, runOptions, text} from './scripted.ts';

const counted = {tasks: 'task', fetches: 'fetch_url', searches: 'search_text'} as const;

/** Tools with the names that caps count, and how often each ran. */
function countedTools() {
	const ran = new Map<string, number>();
	const tools = ['fetch_url', 'search_text', 'echo'].map(
		(name): Tool => ({
			name,
			description: '',
			parameters: {type: 'object', properties: {}},
			readOnly: true,
			async run() {
				ran.set(name, (ran.get(name) ?? 0) + 1);
				return `${name} ${ran.get(name)}`;
			},
		}),
	);
	const task: Tool = {
		name: 'task',
		description: '',
		parameters: {type: 'object', properties: {}},
		readOnly: true,
		async run({prompt}, {runTask}) {
			ran.set('task', (ran.get('task') ?? 0) + 1);
			return (await runTask?.({prompt: String(prompt), description: 'a part', write: false})) ?? '';
		},
	};
	return {tools: [...tools, task], ran};
}

/** What a model answers to the request of this number. */
type Answer = (request: number, messages: readonly Message[]) => readonly (ProviderEvent | Error)[];

function modelOf(answer: Answer) {
	let requests = 0;
	return {
		requests: () => requests,
		async *ask(messages: readonly Message[]): AsyncGenerator<ProviderEvent> {
			for (const step of answer(++requests, messages)) {
				if (step instanceof Error) {
					throw step;
				}

				yield step;
			}
		},
	};
}

const limitsOf = (limits: Partial<CapLimits>): CapLimits => ({...defaultLimits, ...limits});

function countsOf(limits: Partial<CapLimits>) {
	const counts = createCapCounts();
	counts.setLimits(limitsOf(limits));
	return counts;
}

const ends = (events: readonly AgentEvent[]) => events.filter(event => event.type === 'run-end');
const notices = (events: readonly AgentEvent[]) => events.flatMap(event => (event.type === 'notice' ? [event] : []));
const results = (events: readonly AgentEvent[]) =>
	events.flatMap(event => (event.type === 'tool-result' ? [event] : []));

test.each([
	{limit: 5, turns: 4, reason: 'done'},
	{limit: 5, turns: 5, reason: 'done'},
	{limit: 5, turns: 6, reason: 'budget'},
	{limit: 1, turns: 1, reason: 'done'},
	{limit: 1, turns: 2, reason: 'budget'},
])('a run that wants $turns turns of $limit ends with $reason', async ({limit, turns, reason}) => {
	const {tools} = countedTools();
	const model = modelOf(request =>
		request < turns ? [call('echo', {}, `c${request}`), finish('tool-calls')] : [text('Done.'), finish('stop')],
	);
	const events = await collect(runAgent(runOptions({ask: model.ask, tools, counts: countsOf({turns: limit})})));
	expect(ends(events)).toMatchObject([{reason}]);
	expect(model.requests()).toBe(Math.min(turns, limit));
});

test('a model that loops forever is stopped, and the user is told the number, the setting and how to continue', async () => {
	const {tools} = countedTools();
	const model = modelOf(request => [call('echo', {}, `c${request}`), finish('tool-calls')]);
	const events = await collect(runAgent(runOptions({ask: model.ask, tools})));
	expect(model.requests()).toBe(300);
	expect(events.at(-1)).toEqual({
		type: 'run-end',
		reason: 'budget',
		stopReason: 'tool_use',
		error: {
			code: 'budget',
			message: 'This run stopped after 300 turns.',
			hint: 'Send a message to continue. Raise the limit: `config set max_turns 600`',
		},
	});
	expect(notices(events)).toEqual([
		{
			type: 'notice',
			level: 'warning',
			text: 'This run has used 240 of 300 turns.',
			hint: 'Raise the limit: `config set max_turns 600`',
		},
	]);
	// The last calls are answered, so that the session can continue.
	expect(results(events)).toHaveLength(300);
});

test.each(
	(Object.keys(counted) as (keyof typeof counted)[]).flatMap(name =>
		[1, 4].flatMap(limit => [-1, 0, 1, 3].map(more => ({name, limit, more}))),
	),
)(
	'$name: a cap of $limit holds with $more more, and the model finishes with what it has',
	async ({name, limit, more}) => {
		const {tools, ran} = countedTools();
		const calls = limit + more;
		const isSub = (messages: readonly Message[]) => JSON.stringify(messages[0]).includes('part');
		const model = modelOf((_, messages) => {
			const isFirst = messages.length === 1 && !isSub(messages);
			return isFirst
				? [
						...Array.from({length: calls}, (__, index) => call(counted[name], {prompt: 'part'}, `c${index}`)),
						text('So far.'),
						finish(calls > 0 ? 'tool-calls' : 'stop'),
					]
				: [text('Done.'), finish('stop')];
		});
		const openTask = async () => ({model: 'custom/demo', ask: model.ask});
		const counts = countsOf({[name]: limit});
		const events = await collect(runAgent(runOptions({ask: model.ask, tools, openTask, counts})));
		expect(ran.get(counted[name]) ?? 0).toBe(Math.min(calls, limit));
		expect(ends(events)).toMatchObject([{reason: 'done'}]);
		const refused = results(events).filter(({failed}) => failed);
		expect(refused).toHaveLength(Math.max(0, more));
		for (const {output} of refused) {
			expect(output).toMatch(
				new RegExp(
					`^(?:Not started|Nothing was sent|Nothing was searched)\\. This run has used its ${limit} .*Finish with what you have.*/config set max_${name} ${2 * limit}$`,
				),
			);
		}

		expect(notices(events).map(({text: words}) => words)).toEqual(
			more > 0 ? [expect.stringMatching(`^This run has used its ${limit} [a-z-]+. More are refused.$`)] : [],
		);
	},
);

test('sub-agents at the same time share the turns: none is taken twice, and the run ends once', async () => {
	const {tools} = countedTools();
	const model = modelOf((request, messages) =>
		messages.length === 1 && !JSON.stringify(messages).includes('part')
			? [...Array.from({length: 8}, (_, index) => call('task', {prompt: 'part'}, `c${index}`)), finish('tool-calls')]
			: [call('echo', {}, `e${request}`), finish('tool-calls')],
	);
	const openTask = async () => ({model: 'custom/demo', ask: model.ask});
	const counts = countsOf({turns: 23});
	const events = await collect(runAgent(runOptions({ask: model.ask, tools, openTask, counts})));
	expect(model.requests()).toBe(23);
	expect(ends(events)).toMatchObject([{reason: 'budget', error: {message: 'This run stopped after 23 turns.'}}]);
	expect(results(events).map(({output}) => output)).toEqual(
		Array.from({length: 8}, () => expect.stringContaining('ended early. This run stopped after 23 turns.')),
	);
});

test('sub-agents at the same time share fetches and searches', async () => {
	const {tools, ran} = countedTools();
	const model = modelOf((request, messages) => {
		const isSub = JSON.stringify(messages[0]).includes('part');
		if (messages.length > 1) {
			return [text('Done.'), finish('stop')];
		}

		const names = isSub ? ['fetch_url', 'search_text'] : ['task', 'task', 'task', 'task'];
		return [
			...names.flatMap((name, at) => [
				call(name, {prompt: 'part'}, `${request}-${at}`),
				call(name, {prompt: 'part'}, `${request}-${at}b`),
			]),
			finish('tool-calls'),
		];
	});
	const openTask = async () => ({model: 'custom/demo', ask: model.ask});
	const counts = countsOf({fetches: 5, searches: 7});
	const events = await collect(runAgent(runOptions({ask: model.ask, tools, openTask, counts})));
	expect([ran.get('task'), ran.get('fetch_url'), ran.get('search_text')]).toEqual([8, 5, 7]);
	expect(ends(events)).toMatchObject([{reason: 'done'}]);
});

test('no more sub-agents run at the same time than the cap says', async () => {
	let running = 0;
	let most = 0;
	const {tools} = countedTools();
	const slow: Tool = {
		...(tools[0] as Tool),
		name: 'slow',
		async run() {
			most = Math.max(most, ++running);
			await new Promise(resolve => setTimeout(resolve, 1));
			running -= 1;
			return '';
		},
	};
	const model = modelOf((request, messages) =>
		messages.length > 1
			? [text('Done.'), finish('stop')]
			: JSON.stringify(messages).includes('part')
				? [call('slow', {}, `s${request}`), finish('tool-calls')]
				: [...Array.from({length: 7}, (_, index) => call('task', {prompt: 'part'}, `c${index}`)), finish('tool-calls')],
	);
	const openTask = async () => ({model: 'custom/demo', ask: model.ask});
	await collect(
		runAgent(runOptions({ask: model.ask, tools: [...tools, slow], openTask, counts: countsOf({tasksAtOnce: 2})})),
	);
	expect(most).toBe(2);
});

test('requests that are tried again and compactions take no turn, and give none back', async () => {
	const {tools} = countedTools();
	const isSummary = (messages: readonly Message[]) =>
		JSON.stringify(messages.at(-1)).includes('Stop here for a moment');
	let failed = 0;
	const model = modelOf((request, messages) => {
		if (isSummary(messages)) {
			return [text('A summary.'), finish('stop')];
		}

		if (request % 4 === 2 && failed < 40) {
			failed += 1;
			return [new AppError('network', 'Unreachable.')];
		}

		const usage = {input: 400 * messages.length, cacheRead: 0, cacheWrite: 0, output: 10, reasoning: 0};
		return [call('echo', {}, `c${request}`), {type: 'usage', usage}, finish('tool-calls')];
	});
	const counts = countsOf({turns: 12});
	const events = await collect(
		runAgent(
			runOptions({
				ask: model.ask,
				tools,
				counts,
				retry: async attempt => {
					for (;;) {
						try {
							return await attempt();
						} catch {}
					}
				},
				compaction: {windowSize: async () => 1200, usedTokens: 0, pinned: () => []},
			}),
		),
	);
	expect(results(events)).toHaveLength(12);
	expect(events.some(({type}) => type === 'compaction')).toBe(true);
	expect(ends(events)).toMatchObject([{reason: 'budget'}]);
});

/** A tree of runs: what each turn of an agent calls, where sub-agents have trees of their own. */
type Turn = ReadonlyArray<'echo' | 'fetch_url' | 'search_text' | readonly Turn[]>;
const {turns: anyTurns} = fc.letrec<{turns: readonly Turn[]}>(tie => ({
	turns: fc.array(
		fc.array(
			fc.oneof(
				{weight: 3, arbitrary: fc.constantFrom('echo' as const, 'fetch_url' as const, 'search_text' as const)},
				{weight: 1, arbitrary: tie('turns')},
			),
			{maxLength: 6},
		),
		{maxLength: 5},
	),
}));

test('in any tree of runs and tools no count passes its cap, and the run ends exactly once', async () => {
	await fc.assert(
		fc.asyncProperty(
			anyTurns,
			fc.record({
				turns: fc.integer({min: 1, max: 12}),
				tasks: fc.integer({min: 1, max: 4}),
				fetches: fc.integer({min: 1, max: 4}),
				searches: fc.integer({min: 1, max: 4}),
			}),
			async (tree, limits) => {
				const {tools, ran} = countedTools();
				let requests = 0;
				const trees: (readonly Turn[])[] = [];
				const modelFor = (turns: readonly Turn[]) => {
					let turn = 0;
					return async function* ask(): AsyncGenerator<ProviderEvent> {
						requests += 1;
						const calls = turns[turn++] ?? [];
						for (const [at, each] of calls.entries()) {
							const isTree = typeof each !== 'string';
							yield isTree
								? call('task', {prompt: `${trees.push(each) - 1}`}, `t${turn}-${at}`)
								: call(each, {}, `t${turn}-${at}`);
						}

						yield text('Done.');
						yield finish(calls.length > 0 ? 'tool-calls' : 'stop');
					};
				};
				const next = {at: 0};
				const openTask = async () => ({model: 'custom/demo', ask: modelFor(trees[next.at++] ?? [])});
				const counts = countsOf(limits);
				const events = await collect(runAgent(runOptions({ask: modelFor(tree), tools, openTask, counts})));
				expect(ends(events)).toHaveLength(1);
				expect(events.at(-1)?.type).toBe('run-end');
				expect(requests).toBeLessThanOrEqual(limits.turns);
				for (const [name, tool] of Object.entries(counted) as [CapName & keyof typeof counted, string][]) {
					expect(ran.get(tool) ?? 0).toBeLessThanOrEqual(limits[name]);
					expect(counts.used(name)).toBeLessThanOrEqual(limits[name]);
				}
			},
		),
		{numRuns: 200},
	);
});
