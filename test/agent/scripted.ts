import {createApprovals} from '../../src/agent/approval/approval.ts';
import {decideUnasked} from '../../src/agent/approval/unasked.ts';
import type {RunOptions} from '../../src/agent/run.ts';
import type {JsonObject} from '../../src/core/json.ts';
import type {AgentEvent, Recorded} from '../../src/core/session/event.ts';
import type {Message} from '../../src/core/session/message.ts';
import {reduceTranscript} from '../../src/core/session/reduce-transcript.ts';
import type {Tool} from '../../src/core/session/tool.ts';
import {emptyTranscript, type Transcript} from '../../src/core/session/transcript.ts';
import type {FinishReason, ProviderEvent} from '../../src/providers/provider.ts';

export const text = (words: string): ProviderEvent => ({type: 'text-delta', id: 't', text: words});
export const call = (name: string, args: JsonObject = {}, id = 'call-1'): ProviderEvent => ({
	type: 'tool-call',
	id,
	name,
	arguments: args,
});
export const finish = (reason: FinishReason): ProviderEvent => ({type: 'finish', reason});

/** One answer of the model: events, errors to throw, and promises to wait for. */
export type Script = readonly (ProviderEvent | Error | Promise<unknown>)[];

/** Creates a model that plays one script a call, the last one repeatedly, and records its requests. */
export function scriptedModel(...scripts: readonly Script[]) {
	const asked: (readonly Message[])[] = [];
	let closed = 0;
	return {
		asked,
		/** Returns the number of answers that have ended, by either side. */
		closed: () => closed,
		async *ask(messages: readonly Message[]): AsyncGenerator<ProviderEvent> {
			asked.push(messages);
			try {
				for (const step of scripts[Math.min(asked.length, scripts.length) - 1] ?? []) {
					if (step instanceof Error) {
						throw step;
					} else if (step instanceof Promise) {
						await step;
					} else {
						yield step;
					}
				}
			} finally {
				closed++;
			}
		},
	};
}

export const echo: Tool = {
	name: 'echo',
	description: 'Says it again.',
	parameters: {type: 'object', properties: {word: {type: 'string'}}},
	readOnly: true,
	run: async ({word}) => `echo ${word}`,
};

type Parts = Parameters<typeof createApprovals>[0];

/** Returns the approvals of a session in the mode `ask`, without rules, with defaults for what a test leaves out. */
export function approvalsOf(decide: Parts['decide'], more: Partial<Parts> = {}) {
	return createApprovals({
		decide,
		judge: async () => ({effect: 'ask', suggestions: []}),
		mode: () => 'ask',
		keep: async () => undefined,
		...more,
	});
}

/** What tests set of a run, without the parts that it is in. */
export type RunSettings = Pick<RunOptions, 'runId' | 'newId' | 'signal'> &
	RunOptions['requests'] &
	RunOptions['conversation'] &
	Omit<RunOptions['tools'], 'list' | 'next'> &
	RunOptions['place'] &
	RunOptions['limits'] & {readonly tools: readonly Tool[]; readonly nextTools?: RunOptions['tools']['next']};

/** Returns the options of a run, with defaults for what a test leaves out. */
export function runOptions(given: Partial<RunSettings> & Pick<RunSettings, 'ask'>): RunOptions {
	let ids = 0;
	const retry: RunSettings['retry'] = attempt => attempt();
	const all = {retry, ...given};
	return {
		runId: all.runId ?? 'run-1',
		newId: all.newId ?? (() => `id-${++ids}`),
		signal: all.signal ?? new AbortController().signal,
		requests: {
			model: all.model ?? 'custom/demo',
			ask: all.ask,
			cause: all.cause,
			priceOf: all.priceOf,
			sentBefore: all.sentBefore,
			beforeRequest: all.beforeRequest,
			retry: all.retry,
			onPiece: all.onPiece,
		},
		conversation: {
			messages: all.messages ?? [],
			prompt: 'prompt' in all ? all.prompt : {id: 'u1', text: 'Hello'},
			nextMessages: all.nextMessages ?? (() => []),
			warnings: all.warnings ?? [],
			dates: all.dates,
			mentions: all.mentions,
			compaction: all.compaction,
			compact: all.compact,
		},
		tools: {
			list: all.tools ?? [echo],
			next: all.nextTools,
			openTask: all.openTask,
			changes: all.changes,
			saved: all.saved,
			hooks: all.hooks,
			images: all.images,
			maskResult: all.maskResult,
			clock: all.clock ?? (() => 0),
		},
		place: {
			workspace: all.workspace ?? '/',
			readFiles: all.readFiles ?? new Map(),
			approvals: all.approvals ?? approvalsOf(decideUnasked('never')).startRun(),
			commandPlace: all.commandPlace,
		},
		limits: {maxTurns: all.maxTurns, budget: all.budget, ...(all.counts && {counts: all.counts})},
	};
}

export async function collect<Value>(values: AsyncIterable<Value>): Promise<Value[]> {
	const collected: Value[] = [];
	for await (const value of values) {
		collected.push(value);
	}

	return collected;
}

/** Returns the transcript of one session's events. */
export function transcriptOf(events: readonly AgentEvent[]): Transcript {
	const records = events.map((event, seq): Recorded => ({v: 1, seq, at: '', session: 's', server: 'local', event}));
	return records.reduce(reduceTranscript, emptyTranscript('s'));
}
