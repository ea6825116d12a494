import fc from 'fast-check';
import {expect, test} from 'vitest';
import {runAgent} from '../../src/agent/run.ts';
import type {AppError} from '../../src/core/error.ts';
import type {AgentEvent} from '../../src/core/session/event.ts';
import type {Message} from '../../src/core/session/message.ts';
import {toMessages} from '../../src/core/session/read-conversation.ts';
import {blocksOf} from '../../src/core/session/transcript.ts';
import {statusFailure, streamFailure} from '../../src/providers/failure.ts';
import type {ModelCall, ProviderEvent} from '../../src/providers/provider.ts';
import {call, collect, finish, type RunSettings, runOptions, text, transcriptOf} from './scripted.ts';

const vendor = {name: 'custom', label: 'Host'} as const;
const refuse = (status: number, body: unknown) =>
	statusFailure(vendor, status, {}, typeof body === 'string' ? body : JSON.stringify(body));
const said = (message: string) => ({error: {message}});

/** How a host says that a request is too long for a window of so many tokens. */
const refusals: Readonly<Record<string, (window: number, tokens: number) => AppError>> = {
	'a code': () => refuse(400, {error: {code: 'context_length_exceeded', message: 'No.'}}),
	numbers: (window, tokens) =>
		refuse(400, said(`This model's maximum context length is ${window} tokens, but you requested ${tokens} tokens.`)),
	grammar: () => refuse(400, said('Your chat history has become larger than what this deployment accepts')),
	'nothing at all': () => refuse(400, ''),
	'the page of a proxy': () => refuse(413, '<html><h1>413 Request Entity Too Large</h1></html>'),
	'an error in the stream': () => streamFailure(vendor, said('Context size has been exceeded.')),
	'an error of the server': () => refuse(500, said('the input length exceeds the context length')),
};

/** What a model writes when it is asked for a summary. */
const behaviours: Readonly<Record<string, readonly ProviderEvent[]>> = {
	'a summary': [text(`## What was done\n${'A file was changed. '.repeat(8)}`), finish('stop')],
	'a call': [call('echo', {word: 'x'}), finish('tool-calls')],
	'a sentence and a call': [text('I will read the file now. '.repeat(4)), call('echo'), finish('tool-calls')],
	'a call as text': [
		text(`I will look first.\n<tool_call>{"name": "echo", "arguments": {}}</tool_call>`),
		finish('stop'),
	],
	nothing: [finish('stop')],
	'reasoning only': [{type: 'reasoning-delta', id: 'r', text: 'Let me think.'}, finish('stop')],
	'reasoning in tags only': [text('<think>Let me think.</think>'), finish('stop')],
	'what is cut': [text(`## What was done\n${'A file was '.repeat(40)}`), finish('length')],
	'one word': [text('Okay.'), finish('stop')],
	'a refusal': [text('I can not help with that.'), finish('content-filter')],
};

const tokensOf = (messages: readonly Message[]) => Math.ceil(JSON.stringify(messages).length / 4);

type Host = {
	readonly window: number;
	readonly refusal: keyof typeof refusals;
	readonly behaviour: keyof typeof behaviours;
	/** True if the host ends answers instead of refusing requests. */
	readonly cutsAnswers?: boolean;
	/** The lengths of the arguments of calls that the model makes before it answers. */
	readonly calls?: readonly number[];
};

const words = 'word '.repeat(4000);

/** Creates a host with a window of so many tokens. It records the requests of the conversation, and those for summaries. */
function hostOf({window, refusal, behaviour, cutsAnswers = false, calls = []}: Host) {
	let made = 0;
	const requests: (readonly Message[])[] = [];
	const summaries: {readonly messages: readonly Message[]; readonly hasTools: boolean}[] = [];
	const accepted: (readonly Message[])[] = [];
	const ask: ModelCall = async function* ask(messages, _, plain) {
		(plain ? [] : requests).push(messages);
		if (plain) {
			summaries.push({messages, hasTools: messages.some(({role}) => role !== 'user')});
		}

		const tokens = tokensOf(messages);
		if (tokens > window) {
			if (cutsAnswers && !plain) {
				yield text('Cut');
				yield {type: 'usage', usage: {input: window - 16, cacheRead: 0, cacheWrite: 0, output: 16, reasoning: 0}};
				yield finish('length');
				return;
			}

			throw refusals[refusal]?.(window, tokens);
		}

		if (plain) {
			yield* behaviours[behaviour] ?? [];
			return;
		}

		accepted.push(messages);
		const length = calls[made++];
		if (length !== undefined) {
			yield text('I look.');
			yield call('echo', {word: `${made} ${words.slice(0, length)}`}, `now-${made}-${length}`);
			yield finish('tool-calls');
			return;
		}

		yield text('Answered.');
		yield finish('stop');
	};
	return {ask, requests, summaries, accepted};
}

const image = {hash: 'a'.repeat(64), type: 'image/png', width: 400, height: 300, bytes: 3} as const;
const lengths = fc.oneof({weight: 5, arbitrary: fc.integer({min: 1, max: 300})}, fc.integer({min: 300, max: 20_000}));

/** One exchange: a message of the user, and parts of answers with calls and their results. */
const exchange = fc.record({
	user: lengths,
	hasImage: fc.boolean(),
	turns: fc.array(
		fc.record({
			text: fc.option(lengths),
			reasoning: fc.option(lengths),
			calls: fc.array(fc.record({args: lengths, result: lengths, hasImage: fc.boolean()}), {maxLength: 3}),
		}),
		{maxLength: 3},
	),
});

type Exchange = typeof exchange extends fc.Arbitrary<infer Value> ? Value : never;

function eventsOf(exchanges: readonly Exchange[]): readonly AgentEvent[] {
	let id = 0;
	return exchanges.flatMap(({user, hasImage, turns}, index): readonly AgentEvent[] => {
		const message = `u-${index}`;
		const attachment: AgentEvent = {
			type: 'attachment',
			id: `a${++id}`,
			message,
			source: 'image',
			name: 'a.png',
			text: '[An image]',
			tokens: 3,
			images: [image],
		} as AgentEvent;
		return [
			{type: 'run-start', runId: `r${index}`, model: 'custom/demo'},
			{type: 'user-message', id: message, text: `Question ${index}. ${words.slice(0, user)}`},
			...(hasImage ? [attachment] : []),
			...turns.flatMap((turn): readonly AgentEvent[] => {
				const messageId = `m${++id}`;
				const calls = turn.calls.map(each => ({...each, id: `c${++id}`}));
				return [
					...(turn.reasoning
						? [{type: 'reasoning-delta', id: `${++id}`, messageId, text: words.slice(0, turn.reasoning)} as const]
						: []),
					...(turn.text
						? [{type: 'text-delta', id: `${++id}`, messageId, text: words.slice(0, turn.text)} as const]
						: []),
					...calls.map(
						({id: callId, args}) =>
							({
								type: 'tool-call',
								id: callId,
								messageId,
								name: 'echo',
								arguments: {word: words.slice(0, args), list: [1, {deep: words.slice(0, args / 2)}]},
							}) as const,
					),
					...calls.map(
						({id: callId, result, hasImage: shown}) =>
							({
								type: 'tool-result',
								id: callId,
								output: words.slice(0, result),
								failed: false,
								milliseconds: 1,
								...(shown && {images: [{...image}]}),
							}) as const,
					),
				];
			}),
			{type: 'run-end', reason: 'done', stopReason: 'end_turn'},
		];
	});
}

async function run(
	before: readonly AgentEvent[],
	{ask}: Pick<ReturnType<typeof hostOf>, 'ask'>,
	prompt: string,
	options: Partial<RunSettings> = {},
) {
	const messages = toMessages(transcriptOf(before));
	const events = await collect(
		runAgent(
			runOptions({
				ask,
				messages,
				prompt: {id: 'now', text: prompt},
				compaction: {windowSize: async () => undefined, usedTokens: 0, pinned: () => []},
				...options,
			}),
		),
	);
	const transcript = transcriptOf([...before, ...events]);
	return {messages, events, transcript, next: toMessages(transcript)};
}

/** Fails unless every call is followed by its result, and every result follows its call. */
function expectWhole(messages: readonly Message[]) {
	const open = new Set<string>();
	for (const message of messages) {
		if (message.role === 'tool') {
			expect(open.delete(message.callId), `result ${message.callId}`).toBe(true);
			continue;
		}

		expect([...open], 'calls without a result').toEqual([]);
		const parts = message.role === 'assistant' ? message.parts : [];
		for (const part of parts) {
			if (part.type === 'tool-call') {
				open.add(part.id);
			}
		}
	}

	expect([...open], 'calls without a result').toEqual([]);
}

const hosts = fc.record({
	window: fc.integer({min: 2048, max: 30_000}),
	refusal: fc.constantFrom(...Object.keys(refusals)),
	behaviour: fc.constantFrom(...Object.keys(behaviours)),
});

test('whatever a conversation has, how long it is, what the host says and what the model writes, the next message is answered', async () => {
	await fc.assert(
		fc.asyncProperty(fc.array(exchange, {maxLength: 8}), hosts, lengths, async (exchanges, host, length) => {
			const before = eventsOf(exchanges);
			const far = hostOf(host);
			const prompt = `The newest question. ${words.slice(0, length)}`;
			const {messages, events, transcript, next} = await run(before, far, prompt);
			const all = [...messages, {role: 'user', text: prompt} as const];
			const isVague = host.refusal === 'nothing at all';
			// A refusal without a word on a short conversation may be about anything.
			const mustAnswer = !isVague || tokensOf(all) > 24_000;
			if (mustAnswer) {
				expect(events.at(-1)).toMatchObject({type: 'run-end', reason: 'done'});
			}

			if (events.at(-1)?.type === 'run-end' && far.accepted.length > 0) {
				const last = far.accepted.at(-1) ?? [];
				expect(JSON.stringify(last)).toContain('The newest question.');
				expect(next.slice(0, -1)).toEqual(last);
			} else {
				expect(next.slice(0, messages.length)).toEqual(messages);
			}

			expect(far.requests.length + far.summaries.length).toBeLessThanOrEqual(16);
			for (const request of far.requests) {
				expectWhole(request);
			}

			expect(far.summaries.some(({hasTools}) => hasTools)).toBe(false);
			const users = blocksOf(transcript).flatMap(block => (block.kind === 'user' ? [block.text] : []));
			expect(users).toEqual([...exchanges.map(({user}, at) => `Question ${at}. ${words.slice(0, user)}`), prompt]);
			const replaced = events.flatMap(event => (event.type === 'compaction' ? [event.summary] : []));
			const wrote = (behaviours[host.behaviour] ?? []).flatMap(event => ('text' in event ? [event.text.trim()] : []));
			if (host.behaviour !== 'a summary') {
				expect(replaced.filter(summary => wrote.includes(summary))).toEqual([]);
			}
		}),
		{numRuns: 150},
	);
});

test('a run that fills the window while it works goes on, and a session of several runs reads the same when it is resumed', async () => {
	const clear = fc.constantFrom(...Object.keys(refusals).filter(name => !['grammar', 'nothing at all'].includes(name)));
	const calls = fc.array(fc.integer({min: 1, max: 19_000}), {maxLength: 6});
	await fc.assert(
		fc.asyncProperty(
			fc.array(exchange, {maxLength: 3}),
			fc.record({
				window: fc.integer({min: 3000, max: 20_000}),
				refusal: clear,
				behaviour: hosts.map(({behaviour}) => behaviour),
			}),
			fc.array(fc.record({calls, length: lengths}), {minLength: 1, maxLength: 3}),
			async (exchanges, host, prompts) => {
				let events = eventsOf(exchanges);
				for (const [at, {calls: made, length}] of prompts.entries()) {
					const far = hostOf({...host, calls: made});
					const result = await run(events, far, `Prompt ${at}. ${words.slice(0, length)}`, {
						newId: (
							ids => () =>
								`id-${at}-${++ids}`
						)(0),
						prompt: {id: `now-${at}`, text: `Prompt ${at}. ${words.slice(0, length)}`},
					});
					events = [...events, ...result.events];
					expect(result.events.at(-1)).toMatchObject({type: 'run-end', reason: 'done'});
					expect(result.next.slice(0, -1)).toEqual(far.accepted.at(-1));
					expect(far.requests.length + far.summaries.length).toBeLessThanOrEqual(16 * (made.length + 1));
					for (const request of far.requests) {
						expectWhole(request);
					}
				}

				const last = events.findLast(event => event.type === 'compaction');
				const index = events.findLastIndex(event => event.type === 'compaction');
				if (last?.type === 'compaction') {
					const undone = transcriptOf([...events.slice(0, index + 1), {type: 'compaction-undo', id: last.id}]);
					expect(toMessages(undone)).toEqual(toMessages(transcriptOf(events.slice(0, index))));
				}
			},
		),
		{numRuns: 60},
	);
});

test('a refusal that only looks like a full window changes nothing, and is looked into once', async () => {
	const vague = fc.oneof(
		fc.constantFrom(
			'',
			'Bad Request',
			'{"error":{"message":"invalid_request_error"}}',
			'{"detail":"Provider returned error"}',
		),
		fc.constant('{"error":{"message":"The request is longer than the moon is bright"}}'),
		fc.string().map(message => JSON.stringify({error: {message}})),
	);
	await fc.assert(
		fc.asyncProperty(
			fc.array(exchange, {minLength: 3, maxLength: 6}),
			vague,
			fc.constantFrom(400, 422),
			async (exchanges, body, status) => {
				const before = eventsOf(exchanges);
				const error = refuse(status, body);
				fc.pre(!error.overflow || error.message.includes('moon'));
				for (const takesSummaries of [true, false]) {
					let count = 0;
					const ask: ModelCall = async function* ask(_messages, _signal, plain) {
						count++;
						if (plain && takesSummaries) {
							yield* behaviours['a summary'] ?? [];
							return;
						}

						throw refuse(status, body);
					};
					const otherRefusals = new Set<string>();
					const compaction = {windowSize: async () => 20_000, usedTokens: 0, pinned: () => [], otherRefusals};
					const first = await run(before, {ask}, 'Go on.', {compaction});
					expect(first.events.at(-1)).toMatchObject({reason: 'error', error: {message: error.message}});
					expect(first.events.filter(({type}) => type === 'compaction')).toEqual([]);
					expect(first.next).toEqual([...first.messages, {role: 'user', text: 'Go on.'}]);
					expect(count).toBeLessThanOrEqual(6);
					count = 0;
					await run(before, {ask}, 'Go on.', {compaction});
					expect(count).toBe(1);
				}
			},
		),
		{numRuns: 60},
	);
});

/** A conversation of three exchanges with long results, about 15,000 tokens. */
const long = eventsOf(
	[0, 1, 2].map(() => ({
		user: 40,
		hasImage: false,
		turns: [
			{text: 20, reasoning: null, calls: [{args: 10, result: 18_000, hasImage: false}]},
			{text: 30, reasoning: null, calls: []},
		],
	})),
);
const noticesOf = (events: readonly AgentEvent[]) =>
	events.flatMap(event => (event.type === 'notice' && event.level === 'warning' ? [event.text] : []));

test.each(Object.keys(behaviours).filter(name => name !== 'a summary'))(
	'a model that answers the request for a summary with %s is asked once more, then the oldest part is left out and the user is told',
	async behaviour => {
		const far = hostOf({window: 9000, refusal: 'a code', behaviour});
		const {events} = await run(long, far, 'And now?');
		expect(far.summaries).toHaveLength(2);
		expect(far.summaries[0]?.messages).toHaveLength(1);
		expect(events.at(-1)).toMatchObject({reason: 'done'});
		expect(noticesOf(events)).toEqual([
			expect.stringMatching(/^No summary: .+\. The oldest part .+ was left out|^No summary: .+ were shortened/),
		]);
		expect(JSON.stringify(far.accepted.at(-1))).toContain('And now?');
		expect(events.filter(({type}) => type === 'compaction')).toHaveLength(1);
	},
);

test('what the user wrote in the part that is left out stays as text', async () => {
	const far = hostOf({window: 2500, refusal: 'numbers', behaviour: 'nothing'});
	await run(long, far, 'And now?');
	const sent = JSON.stringify(far.accepted.at(-1));
	for (const words of ['Question 0.', 'Question 1.', 'Question 2.', 'And now?']) {
		expect(sent).toContain(words);
	}
});

test.each([
	['the arguments of a call', {args: 500_000, result: 5}],
	['a result', {args: 5, result: 500_000}],
	['an answer', {text: 500_000}],
	['reasoning', {reasoning: 500_000}],
	['a message of the user', {user: 500_000}],
])(
	'%s of 500 kB is shortened until the conversation fits',
	async (_, {
		user = 5,
		args = 5,
		result = 5,
		text: length,
		reasoning,
	}: Partial<Record<'user' | 'args' | 'result' | 'text' | 'reasoning', number>>) => {
		const huge = 'word '.repeat(100_000);
		const before: readonly AgentEvent[] = [
			{type: 'run-start', runId: 'r', model: 'custom/demo'},
			{type: 'user-message', id: 'u', text: huge.slice(0, user)},
			...(reasoning
				? [{type: 'reasoning-delta', id: 'x', messageId: 'm', text: huge.slice(0, reasoning)} as const]
				: []),
			...(length ? [{type: 'text-delta', id: 'y', messageId: 'm', text: huge.slice(0, length)} as const] : []),
			{type: 'tool-call', id: 'c', messageId: 'm', name: 'echo', arguments: {word: huge.slice(0, args)}},
			{type: 'tool-result', id: 'c', output: huge.slice(0, result), failed: false, milliseconds: 1},
			{type: 'run-end', reason: 'done', stopReason: 'end_turn'},
		];
		for (const behaviour of ['a summary', 'a call']) {
			for (const refusal of ['a code', 'numbers', 'nothing at all']) {
				const far = hostOf({window: 8000, refusal, behaviour});
				const {events} = await run(before, far, 'And now?');
				expect(events.at(-1), `${behaviour}, ${refusal}`).toMatchObject({reason: 'done'});
				expect(far.requests.length + far.summaries.length).toBeLessThanOrEqual(12);
			}
		}
	},
);

test('a first message that does not fit is sent with its beginning and its end, and the user is told', async () => {
	const far = hostOf({window: 4000, refusal: 'a code', behaviour: 'nothing'});
	const {events, transcript} = await run([], far, `First words. ${words}${words} Last words.`);
	expect(events.at(-1)).toMatchObject({reason: 'done'});
	expect(JSON.stringify(far.accepted.at(-1))).toMatch(/First words\..*characters left out.*Last words\./);
	expect(noticesOf(events)).toContain('Your message is too long for custom/demo: it reads the beginning and the end.');
	expect(blocksOf(transcript).flatMap(block => (block.kind === 'user' ? [block.text.length] : []))[0]).toBeGreaterThan(
		40_000,
	);
	expect(far.summaries).toEqual([]);
});

test.each([
	['known', async () => 8192, undefined],
	['told by the host', async () => undefined, async () => 8192],
	['unknown, but the count is a power of two', async () => undefined, undefined],
])(
	'an answer that is cut at the end of a window that is %s is asked for again after a compaction',
	async (_, windowSize, findWindow) => {
		const far = hostOf({window: 8192, refusal: 'a code', behaviour: 'a summary', cutsAnswers: true});
		const compaction = {windowSize, findWindow, usedTokens: 0, pinned: () => []};
		const {events} = await run(long, far, 'And now?', {compaction});
		expect(events.flatMap(event => (event.type === 'text-delta' ? [event.text] : []))).toEqual(['Cut', 'Answered.']);
		expect(events.flatMap(event => (event.type === 'compaction' ? [event.cause] : []))).toEqual(['overflow']);
		expect(events.at(-1)).toMatchObject({reason: 'done', stopReason: 'end_turn'});
		expect(far.requests).toHaveLength(2);
	},
);

test('an answer that is cut far from the end of the window stays as it is', async () => {
	const ask: ModelCall = async function* ask() {
		yield {type: 'usage', usage: {input: 5000, cacheRead: 0, cacheWrite: 0, output: 100, reasoning: 0}};
		yield text('Cut');
		yield finish('length');
	};
	const compaction = {windowSize: async () => 100_000, usedTokens: 0, pinned: () => []};
	const {events} = await run(long, {ask}, 'And now?', {compaction});
	expect(events.at(-1)).toMatchObject({reason: 'done', stopReason: 'max_tokens'});
	expect(events.some(({type}) => type === 'compaction')).toBe(false);
});

test('a limit of tokens per minute waits, and only a request beyond the limit itself is made shorter', async () => {
	const limited = (limit: number, requested: number) =>
		statusFailure(
			vendor,
			413,
			{'retry-after': '1'},
			JSON.stringify(said(`Request too large on tokens per minute (TPM): Limit ${limit}, Requested ${requested}`)),
		);
	for (const [limit, requested, compactions] of [
		[30_000, 14_000, 0],
		[6000, 14_000, 1],
	] as const) {
		const waits: (number | undefined)[] = [];
		const ask: ModelCall = async function* ask(messages, _signal, plain) {
			if (!plain && tokensOf(messages) > 6000) {
				throw limited(limit, requested);
			}

			yield* plain ? (behaviours['a summary'] ?? []) : [text('Answered.'), finish('stop')];
		};
		const {events} = await run(long, {ask}, 'And now?', {
			retry: (attempt =>
				attempt().catch(error => {
					waits.push(error.retryAfter);
					return attempt();
				})) as RunSettings['retry'],
		});
		expect(waits).toEqual([1000]);
		expect(events.filter(({type}) => type === 'compaction')).toHaveLength(compactions);
		expect(events.at(-1)).toMatchObject(
			compactions ? {reason: 'done'} : {reason: 'error', error: {message: expect.stringContaining('rate-limiting')}},
		);
	}
});

test('the window that a refusal names is remembered', async () => {
	const learned: unknown[] = [];
	const far = hostOf({window: 8000, refusal: 'numbers', behaviour: 'a summary'});
	const compaction = {
		windowSize: async () => undefined,
		usedTokens: 0,
		pinned: () => [],
		learnWindow: (...all: unknown[]) => learned.push(all),
	};
	await run(long, far, 'And now?', {compaction});
	expect(learned).toEqual([['custom/demo', 8000]]);
});

test('a compaction by hand goes the same way, and leaves the oldest part out only if the window is full', async () => {
	for (const [window, usedTokens, compactions] of [
		[1_000_000, 0, 0],
		[8000, 7900, 1],
	] as const) {
		const far = hostOf({window, refusal: 'a code', behaviour: 'a call'});
		const compaction = {windowSize: async () => window, usedTokens, pinned: () => []};
		const {events} = await run(long, far, '', {compaction, compact: {guidance: undefined}, prompt: undefined} as never);
		expect(events.filter(({type}) => type === 'compaction')).toHaveLength(compactions);
		expect(events.at(-1)).toMatchObject(
			compactions
				? {reason: 'done'}
				: {
						reason: 'error',
						error: {
							message: 'The model wrote no summary, so nothing was compacted.',
							hint: expect.stringMatching(/^The model called a tool instead\. /),
						},
					},
		);
	}
});

test('a network that breaks while the summary is written leaves the conversation as it was', async () => {
	const far = hostOf({window: 8000, refusal: 'a code', behaviour: 'a summary'});
	const ask: ModelCall = async function* ask(messages, signal, plain) {
		if (plain) {
			throw statusFailure(vendor, 503, {}, '');
		}

		yield* far.ask(messages, signal);
	};
	const {events, next, messages} = await run(long, {ask}, 'And now?');
	expect(events.at(-1)).toMatchObject({reason: 'error', error: {code: 'network'}});
	expect(next).toEqual([...messages, {role: 'user', text: 'And now?'}]);
});

test.each([
	['words that nobody here knows', refuse(400, said('Die Anfrage ist zu groß für dieses Modell')), 'done'],
	['a crash for want of memory', refuse(500, said('CUDA out of memory. Tried to allocate 2.00 GiB')), 'done'],
	['a cache without room', refuse(500, said('failed to find free space in the KV cache')), 'done'],
	['a model that is gone', refuse(400, said('The model demo does not exist')), 'error'],
	['another failure', refuse(500, said('Internal error 42')), 'error'],
])('a long conversation whose host tells no window is made shorter after %s: %s', async (_, error, reason) => {
	const far = hostOf({window: 17_000, refusal: 'a code', behaviour: 'a summary'});
	let count = 0;
	const ask: ModelCall = async function* ask(messages, signal, plain) {
		count++;
		if (tokensOf(messages) > 17_000) {
			throw error;
		}

		yield* far.ask(messages, signal, plain);
	};
	const compaction = {windowSize: async () => undefined, usedTokens: 0, pinned: () => []};
	const retry: RunSettings['retry'] = attempt => attempt();
	const {events} = await run(long, {ask}, `Go on. ${words.slice(0, 19_000)}`, {compaction, retry});
	expect(events.at(-1)).toMatchObject({type: 'run-end', reason});
	expect(count).toBeLessThanOrEqual(reason === 'done' ? 4 : 1);
});
