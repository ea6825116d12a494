import {createHash} from 'node:crypto';
import {cutText} from '../core/cut-text.ts';
import type {Span} from '../core/otlp.ts';
import type {EventOf} from '../core/session/event.ts';
import {noUsage, type PriceOf, sumUsage} from '../core/session/usage.ts';
import {
	argumentsContent,
	type CallAttributes,
	costAttribute,
	finishReason,
	inputContent,
	maxContent,
	modelAttributes,
	nameText,
	outputContent,
	usageAttributes,
} from './span-attributes.ts';

export type SpanOptions = {
	/** The version of this program. */
	readonly version: string;
	/** Whether spans have prompts, answers, arguments and results; without it they have numbers and names alone. */
	readonly hasContent: boolean;
	/** Masks credentials in such texts (SAFETY 8). */
	readonly hide: (text: string) => string;
	readonly priceOf: PriceOf;
};

type Call = CallAttributes & {
	/** When the model wrote it, in microseconds since 1970. */
	readonly us: number;
};

/** A request to the model, while its answer arrives. */
type Chat = {
	/** The id of the answer; undefined if none arrived. */
	readonly id: string | undefined;
	/** `provider/model-name`. */
	readonly model: string;
	readonly startUs: number;
	endUs: number;
	/** The user's messages that it is the first to carry. */
	readonly users: readonly EventOf<'user-message'>[];
	readonly calls: Call[];
	text: string;
	/** True if the transcript shows a part of it: then it is a message of the session. */
	isMessage: boolean;
	/** What was reported of it last. */
	usage: EventOf<'usage'> | undefined;
};

/** How a request failed, or why its answer ended. */
export type Ending = {
	/** As OpenTelemetry's conventions name it. */
	readonly reason: string;
	readonly error?: {readonly type: string; readonly message: string};
};

/** Where the span of a run stands. */
type Place = {
	readonly traceId: string;
	readonly spanId: string;
	/** The span of the call that started it, for a sub-agent. */
	readonly parentSpanId?: string;
};

/** A run as far as it was read. */
export type Run = {
	readonly id: string;
	readonly place: Place;
	/** The runs of its sub-agents, by the call that started each. */
	readonly tasks: Map<string, Run>;
	readonly session: string;
	readonly model: string;
	readonly startUs: number;
	/** When the next request can have begun: after the last thing that it had to wait for. */
	readyUs: number;
	/** The user's messages that no request carries yet. */
	users: EventOf<'user-message'>[];
	chat: Chat | undefined;
	/** Calls without a result. */
	readonly calls: Map<string, Call>;
	/** By message. */
	readonly usage: Map<string, EventOf<'usage'>>;
	compactions: number;
};

export function startedRun(
	{runId, model}: EventOf<'run-start'>,
	{session, us, place}: {readonly session: string; readonly us: number; readonly place: Place},
): Run {
	return {
		id: runId,
		place,
		tasks: new Map(),
		session,
		model,
		startUs: us,
		readyUs: us,
		users: [],
		chat: undefined,
		calls: new Map(),
		usage: new Map(),
		compactions: 0,
	};
}

/** Returns a request that begins with what the user said since the last one. */
export function openedChat(run: Run, id: string | undefined, model: string): Chat {
	const {users, readyUs} = run;
	run.users = [];
	return {
		id,
		model,
		startUs: readyUs,
		endUs: readyUs,
		users,
		calls: [],
		text: '',
		isMessage: false,
		usage: undefined,
	};
}

/** Returns the span of a request. */
export function chatSpan(run: Run, chat: Chat, {reason, error}: Ending, options: SpanOptions): Span {
	const {id, model, startUs, endUs, usage, calls, isMessage, text} = chat;
	const {hasContent, hide, priceOf} = options;
	return {
		...placeOf(run, 'chat', id ?? 'unanswered'),
		name: `chat ${nameText(model.slice(model.indexOf('/') + 1))}`,
		kind: 'client',
		startUs,
		endUs,
		attributes: {
			'gen_ai.operation.name': 'chat',
			...commonAttributes(run, model),
			'gen_ai.response.id': id,
			'gen_ai.response.finish_reasons': [reason],
			...(usage && {...usageAttributes(usage.usage), ...costAttribute(usage, priceOf)}),
			'service.usage.cause': usage?.cause,
			'service.usage.only': isMessage && !isTask(run) ? undefined : true,
			...userAttributes(run, chat.users, options),
			...(hasContent && {'gen_ai.output.messages': outputContent(cutText(hide(text), maxContent), calls, reason)}),
			'error.type': error?.type,
		},
		isError: error !== undefined,
		message: hasContent ? error?.message : undefined,
	};
}

/** Returns what a span says of the user's messages: their ids, and with content also their texts. */
function userAttributes(run: Run, users: Chat['users'], {hasContent, hide}: SpanOptions): Span['attributes'] {
	if (users.length === 0) {
		return {};
	}

	return {
		'service.input.message_ids': isTask(run) ? [] : users.map(({id}) => id),
		...(hasContent && {'gen_ai.input.messages': inputContent(users.map(({text}) => cutText(hide(text), maxContent)))}),
	};
}

/** Returns the span of a call; one without a result was interrupted. */
export function callSpan(
	run: Run,
	{id, name, arguments: args}: Call,
	times: Pick<Span, 'startUs' | 'endUs'>,
	{hasContent, hide}: SpanOptions,
	result?: EventOf<'tool-result'>,
): Span {
	const failure = result ? (result.failed ? 'tool_error' : undefined) : 'interrupted';
	return {
		...placeOf(run, 'tool', id),
		name: `execute_tool ${nameText(name)}`,
		kind: 'internal',
		...times,
		attributes: {
			'gen_ai.operation.name': 'execute_tool',
			'gen_ai.conversation.id': run.session,
			'gen_ai.tool.name': nameText(name),
			'gen_ai.tool.type': 'function',
			'gen_ai.tool.call.id': id,
			'service.usage.only': isTask(run) ? true : undefined,
			...(hasContent && {
				'gen_ai.tool.call.arguments': argumentsContent(args),
				'gen_ai.tool.call.result': result && cutText(hide(result.output), maxContent),
			}),
			'error.type': failure,
		},
		isError: failure !== undefined,
	};
}

/** Returns the span of the run's next compaction. */
export function compactionSpan(run: Run, us: number): Span {
	run.compactions += 1;
	// That of a sub-agent leaves the session as it is.
	const type = isTask(run) ? 'task_compaction' : 'compaction';
	return {
		...placeOf(run, 'compaction', String(run.compactions)),
		name: 'compaction',
		kind: 'internal',
		startUs: us,
		endUs: us,
		attributes: {'service.span.type': type, 'gen_ai.conversation.id': run.session},
		isError: false,
	};
}

/** Returns the span of a run that has ended. */
export function runSpan(run: Run, event: EventOf<'run-end'>, us: number, options: SpanOptions): Span {
	const {reason, stopReason, error} = event;
	const isError = reason === 'error' || reason === 'incomplete';
	const usage = run.usage.size > 0 ? sumUsage([...run.usage.values()]) : noUsage;
	return {
		...run.place,
		name: `invoke_agent ${agentOf(run)}`,
		kind: 'internal',
		startUs: run.startUs,
		endUs: us,
		attributes: {
			'gen_ai.operation.name': 'invoke_agent',
			...commonAttributes(run, run.model),
			'gen_ai.agent.version': options.version,
			...usageAttributes(usage),
			'gen_ai.response.finish_reasons': [finishReason(stopReason)],
			'service.run.end': reason,
			...userAttributes(run, run.users, options),
			'error.type': isError ? (error?.code ?? reason) : undefined,
		},
		isError,
		message: options.hasContent ? options.hide(error?.message ?? '') : undefined,
	};
}

const agentOf = (run: Run) => (isTask(run) ? 'task' : 'service');

function commonAttributes(run: Run, model: string): Span['attributes'] {
	return {'gen_ai.agent.name': agentOf(run), 'gen_ai.conversation.id': run.session, ...modelAttributes(model)};
}

/** Returns where the span of a run stands that no other one started. */
export function rootPlace(runId: string): Place {
	return {traceId: idOf(32, runId), spanId: idOf(16, runId)};
}

/** Returns where the span of a sub-agent stands: below that of the call. */
export function taskPlace(run: Run, call: string, runId: string): Place {
	const {traceId, spanId} = placeOf(run, 'tool', call);
	return {traceId, spanId: idOf(16, runId), parentSpanId: spanId};
}

function placeOf({id, place}: Run, kind: string, name: string) {
	return {traceId: place.traceId, spanId: idOf(16, id, kind, name), parentSpanId: place.spanId};
}

/** True for the run of a sub-agent: what it says and calls is no part of the session's messages. */
const isTask = ({place}: Run) => place.parentSpanId !== undefined;

/** Returns an id of so many hex digits that is always the same for the same words. */
function idOf(digits: 16 | 32, ...words: readonly string[]): string {
	return createHash('sha256').update(JSON.stringify(words)).digest('hex').slice(0, digits);
}
