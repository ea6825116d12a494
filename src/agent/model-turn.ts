import {AppError} from '../core/error.ts';
import {brokenOff} from '../core/session/block.ts';
import type {CallWords} from '../core/session/call-words.ts';
import type {AgentEvent, StopReason} from '../core/session/event.ts';
import type {AssistantPart, Message} from '../core/session/message.ts';
import type {ToolDefinition} from '../core/session/tool.ts';
import type {TokenUsage} from '../core/session/usage.ts';
import {assertRoomForCall} from '../providers/calls.ts';
import type {AskModel, FinishReason, PlainRequest, ProviderEvent} from '../providers/provider.ts';
import {
	type AnswerEvent,
	continueHint,
	endedWithError,
	isLocalModel,
	type OnPiece,
	type OpenAnswer,
	openAnswer,
	type Retry,
} from './model-retry.ts';
import {createLedger, estimateUsage, type Ledger, type LedgerOptions, type RequestFacts} from './request-usage.ts';

export type ToolCall = Omit<Extract<ProviderEvent, {type: 'tool-call'}>, 'type'> & {
	/** True for the last call of an answer that was cut at the token limit: its arguments may lack their end. */
	readonly cut?: true;
};

type Finish = Extract<ProviderEvent, {type: 'finish'}>;

/** One message of the model, as the next request carries it. */
export type ModelTurn = {
	readonly parts: readonly AssistantPart[];
	readonly calls: readonly ToolCall[];
	readonly stopReason: StopReason;
	/** The vendor's reason why the answer is incomplete. */
	readonly why?: string;
};

/** The requests of a run to its model, and what is done around each of them. */
export type ModelRequests = LedgerOptions & {
	/** Already bound to provider, transport, system prompt and tool definitions. */
	readonly ask: AskModel;
	readonly beforeRequest?: BeforeRequest | undefined;
	/** Retries a call that showed nothing yet; by default twice, with the waits of SAFETY 23. */
	readonly retry?: Retry | undefined;
	readonly onPiece?: OnPiece | undefined;
};

export type TurnOptions = {
	readonly requests: ModelRequests;
	/** The tools of the request, to estimate its usage if the provider doesn't report it. */
	readonly tools?: readonly ToolDefinition[];
	/** Returns the tools that the calls of the answer may name; those of the request by default. */
	readonly nextTools?: (() => Promise<readonly ToolDefinition[]>) | undefined;
	readonly newId: () => string;
	readonly signal: AbortSignal;
	/** Left out for a request of the conversation. */
	readonly plain?: PlainRequest;
	/** Called with each event before it is yielded. */
	readonly onEvent?: (event: AgentEvent) => void;
};

/**
 * Asked before each request, attempts again excepted. Reserves what it will probably cost, and returns what ends the
 * reservation with the usage of the request; undefined if no budget counts it. Throws AppError("budget") if it may not be
 * made.
 */
export type BeforeRequest = (
	messages: readonly Message[],
	request: Pick<LedgerOptions, 'model' | 'cause'> & {readonly messageId: string; readonly signal: AbortSignal},
) => AsyncGenerator<AgentEvent, ((usage: TokenUsage | undefined) => void) | undefined>;

const stopReasons = {
	stop: 'end_turn',
	length: 'max_tokens',
	'tool-calls': 'end_turn',
	'content-filter': 'refusal',
	error: 'error',
	other: 'incomplete',
	'written-call': 'incomplete',
} as const satisfies Record<FinishReason, StopReason>;

/**
 * Calls the model once and yields its answer. Throws `AppError("incomplete")` if the connection broke after something
 * was shown, or if the answer ended for an unknown reason. An error before anything was shown (it was retried), or one
 * that the host reports, is thrown unchanged.
 */
export async function* takeTurn(
	messages: readonly Message[],
	options: TurnOptions,
): AsyncGenerator<AgentEvent, ModelTurn> {
	const {requests, newId, signal, onEvent = () => undefined} = options;
	const {model, cause, beforeRequest} = requests;
	const messageId = newId();
	const settle = beforeRequest && (yield* beforeRequest(messages, {model, cause, messageId, signal}));
	const answer = emptyAnswer(messages, messageId, createLedger(requests, messages));
	let open: OpenAnswer | undefined;
	try {
		const opening = openAnswer(messages, options, answer.ledger);
		for await (const event of opening.events) {
			onEvent(event);
			yield event;
		}

		open = await opening.answer;
		answer.facts = open.facts;
		for (let event = await open.next(); event; event = await open.next()) {
			answer.usage = event.type === 'usage' ? event.usage : answer.usage;
			const recorded =
				event.type === 'usage'
					? [await answer.ledger(messageId, event.usage, open.facts)]
					: addEvent(answer, event.type === 'tool-call' ? await fitToTool(event, options) : event, newId);
			for (const each of recorded) {
				onEvent(each);
				yield each;
			}
		}

		return yield* endTurn(answer, messages, {...options, hasBudget: settle !== undefined});
	} catch (error) {
		if (!answer.hasEnded) {
			yield* await estimate(answer, messages, options);
		}

		throw error;
	} finally {
		open?.close();
		settle?.(answer.usage);
	}
}

/** Checks how an answer ended, and tells the user what they should know of it. */
async function* endTurn(
	answer: Answer,
	messages: readonly Message[],
	options: TurnOptions & {readonly hasBudget: boolean},
): AsyncGenerator<AgentEvent, ModelTurn> {
	const {requests} = options;
	answer.hasEnded = true;
	const {finish, parts, calls} = answer;
	if (!finish || (options.hasBudget && !answer.usage)) {
		yield* await estimate(answer, messages, options);
	}

	if (!finish) {
		throw new AppError('incomplete', brokenOff, {hint: continueHint});
	}

	const address = answer.facts.beginning?.endpoint?.host;
	if (answer.usage && isLocalModel(requests.model) && !toldOfCuts.has(requests.ask)) {
		const {cutPromptNotice} = await import('./local-hosts.ts');
		const notice = cutPromptNotice(
			{messages, sentBefore: requests.sentBefore ?? 0, usage: answer.usage},
			requests.model,
			address,
		);
		if (notice) {
			toldOfCuts.add(requests.ask);
			yield notice;
		}
	}

	if (finish.reason === 'written-call') {
		const hint = await parserHintOf(requests.model, address);
		throw new AppError('incomplete', "The model wrote a tool call as text that can't be read, so nothing was run.", {
			hint,
		});
	}

	if (calls.some(({written}) => written)) {
		yield {
			type: 'notice',
			level: 'warning',
			text: 'The model wrote its tool call as text: its host has no parser for it.',
			hint: await parserHintOf(requests.model, address),
		};
	}

	assertKnownEnd(finish);
	const stopReason = stopReasons[finish.reason];
	const why = finish.message ?? (finish.vendorReason && `The answer was filtered (${finish.vendorReason}).`);
	const last = calls.at(-1);
	const isCut = last && finish.reason === 'length' && parts.at(-1)?.type === 'tool-call';
	return {
		parts,
		calls: isCut ? [...calls.slice(0, -1), {...last, cut: true}] : calls,
		stopReason: calls.length > 0 && stopReason === 'end_turn' ? 'tool_use' : stopReason,
		...(why && stopReason !== 'end_turn' && {why}),
	};
}

/** Returns the error for a message without a text and without a call, which is no answer; undefined for any other. */
export function missingAnswer({parts, stopReason}: ModelTurn): AppError | undefined {
	const hasSome = (type: AssistantPart['type']) =>
		parts.some(part => part.type === type && (part.type === 'tool-call' || part.text.trim()));
	if (stopReason !== 'end_turn' || hasSome('text') || hasSome('tool-call')) {
		return undefined;
	}

	const text = hasSome('reasoning')
		? 'The model gave no answer, only its reasoning.'
		: 'The model gave an empty answer.';
	return new AppError('incomplete', text, {hint: 'Ask again, or select another model.'});
}

/** One message of the model as it is collected. */
type Answer = {
	readonly messageId: string;
	readonly parts: AssistantPart[];
	readonly calls: ToolCall[];
	/** Returns the ids of calls in the conversation so far. Most answers have no call. */
	readonly callIds: () => Set<string>;
	readonly ledger: Ledger;
	facts: RequestFacts;
	/** Type and id of the part that the next delta may continue. */
	open: {readonly type: string; readonly id: string} | undefined;
	usage: TokenUsage | undefined;
	finish: Finish | undefined;
	/** True once all of it was read. */
	hasEnded: boolean;
};

function emptyAnswer(messages: readonly Message[], messageId: string, ledger: Ledger): Answer {
	let ids: Set<string> | undefined;
	const callIds = () => {
		ids ??= new Set(messages.map(message => (message.role === 'tool' ? message.callId : '')));
		return ids;
	};
	return {
		messageId,
		parts: [],
		calls: [],
		callIds,
		ledger,
		facts: {isRetry: false, beginning: undefined},
		open: undefined,
		usage: undefined,
		finish: undefined,
		hasEnded: false,
	};
}

/** Adds an event to the answer. Returns what the user sees of it, with the id of the message. */
function addEvent(
	answer: Answer,
	event: Exclude<AnswerEvent, {type: 'usage'}>,
	newId: TurnOptions['newId'],
): readonly AgentEvent[] {
	switch (event.type) {
		case 'text-delta':
		case 'reasoning-delta':
			return addDelta(answer, event);
		case 'reclassify':
			return reclassify(answer, event.id);
		case 'tool-call':
			return addCall(answer, event, newId);
		case 'notice':
			return [event];
		case 'finish':
			answer.finish = event;
			return [];
		default:
			return event satisfies never;
	}
}

type Delta = Extract<ProviderEvent, {type: 'text-delta' | 'reasoning-delta'}>;

function addDelta(answer: Answer, event: Delta): readonly AgentEvent[] {
	const {type, id, text, opaque} = event;
	if (!text && !opaque) {
		return [];
	}

	const {parts, open, messageId} = answer;
	const previous = open?.type === type && open.id === id ? parts.pop() : undefined;
	const begun = previous && previous.type !== 'tool-call' ? previous : undefined;
	const kind = type === 'text-delta' ? 'text' : 'reasoning';
	parts.push({...begun, type: kind, text: (begun?.text ?? '') + text, ...(opaque && {opaque})});
	answer.open = event;
	return [{...event, messageId}];
}

/** Turns the text that was written last into reasoning. */
function reclassify({parts, open, messageId}: Answer, id: string): readonly AgentEvent[] {
	const last = open?.type === 'text-delta' && open.id === id ? parts.pop() : undefined;
	if (last?.type !== 'text') {
		return [];
	}

	parts.push({...last, type: 'reasoning'});
	return [{type: 'reclassify', id, messageId}];
}

type CallEvent = Extract<ProviderEvent, {type: 'tool-call'}> & {readonly words?: CallWords};

/** Returns a call as it is shown, kept and run. What fits arguments is loaded with the first call. */
async function fitToTool(event: CallEvent, {nextTools, tools = []}: TurnOptions): Promise<CallEvent> {
	const {fitCall} = await import('./fit-arguments.ts');
	const all = (await nextTools?.()) ?? tools;
	const call = fitCall(event, all);
	const words = all.find(({name}) => name === call.name)?.words?.(call.arguments);
	return words ? {...call, words} : call;
}

function addCall(answer: Answer, event: CallEvent, newId: () => string): readonly AgentEvent[] {
	const {parts, calls, messageId} = answer;
	const callIds = answer.callIds();
	assertRoomForCall(calls.length);
	// Results are joined by the id, so it must be unique. Some hosts send none, or the same one for every call.
	const id = event.id && !callIds.has(event.id) ? event.id : newId();
	callIds.add(id);
	const {type, malformed, written, words: _, ...part} = {...event, id};
	parts.push({type, ...part});
	calls.push({...part, ...(malformed !== undefined && {malformed}), ...(written && {written})});
	answer.open = undefined;
	return [{...event, id, messageId}];
}

/** Returns the estimated usage of an answer that the provider didn't report, such as one that broke off: it costs money. */
async function estimate(
	answer: Answer,
	messages: readonly Message[],
	{tools = [], onEvent}: TurnOptions,
): Promise<readonly AgentEvent[]> {
	const {messageId, parts, ledger, facts} = answer;
	const estimated = estimateUsage({messages, tools}, parts, answer.usage);
	answer.usage = estimated ?? answer.usage;
	if (!estimated) {
		return [];
	}

	const event = await ledger(messageId, estimated, facts);
	onEvent?.(event);
	return [event];
}

/** The models of runs whose user was told that their host cuts prompts. */
const toldOfCuts = new WeakSet<AskModel>();

/** Loaded only when a host needs a hint. */
async function parserHintOf(model: string, address: string | undefined): Promise<string> {
	const {parserHint} = await import('./local-hosts.ts');
	return parserHint(model, address);
}

/** Throws `AppError` for an end that is an error, and for an unknown end (SAFETY 22). */
function assertKnownEnd(finish: Finish): void {
	const {reason, message, vendorReason} = finish;
	if (reason === 'error') {
		throw endedWithError(finish);
	}

	if (reason === 'other') {
		const text =
			message ??
			`The answer ended ${vendorReason ? `with “${vendorReason}”, an unknown reason` : 'for an unknown reason'}. It may be incomplete.`;
		throw new AppError('incomplete', text, {hint: continueHint});
	}
}
