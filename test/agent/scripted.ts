import {createApprovals, type Decide} from '../../src/agent/approval/approval.ts';
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

/** Returns the approvals of a session in the mode `ask`, without rules, with defaults for what a test leaves out. */
export function approvalsOf(decide: Decide, more: Partial<Parameters<typeof createApprovals>[0]> = {}) {
	return createApprovals({
		decide,
		judge: async () => ({effect: 'ask', suggestions: []}),
		mode: () => 'ask',
		keep: async () => undefined,
		...more,
	});
}

/** Returns the options of a run, with defaults for what a test leaves out. */
export function runOptions(given: Partial<RunOptions> & Pick<RunOptions, 'ask'>): RunOptions {
	let ids = 0;
	return {
		runId: 'run-1',
		model: 'custom/demo',
		messages: [],
		prompt: {id: 'u1', text: 'Hello'},
		tools: [echo],
		workspace: '/',
		approvals: approvalsOf(decideUnasked('never')).startRun(),
		readFiles: new Map(),
		signal: new AbortController().signal,
		nextMessages: () => [],
		newId: () => `id-${++ids}`,
		clock: () => 0,
		retry: attempt => attempt(),
		...given,
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
