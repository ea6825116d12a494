import {AppError} from '../../core/error.ts';
import {isSummaryMessage, type Pinned, summaryMessage} from '../../core/session/compaction.ts';
import type {AgentEvent, CompactionCause, EventOf} from '../../core/session/event.ts';
import type {Message} from '../../core/session/message.ts';
import {type ModelTurn, type TurnOptions, takeTurn} from '../model-turn.ts';
import {tokensOfMessages} from '../request-usage.ts';
import {asText, fitInto} from './fit.ts';
import {isSameRefusal, overflowOf, shortTokens, smallerTarget} from './overflow.ts';
import type {Carried} from './sent-history.ts';
import instruction from './summary.md';

/** A conversation that is to become shorter. */
export type LongConversation = {
	readonly cause: CompactionCause;
	readonly model: string;
	readonly messages: readonly Message[];
	readonly pinned: readonly Pinned[];
	/** The user's messages at its end, which nobody has answered yet. */
	readonly carried: readonly Carried[];
	/** Tokens of the context window that the conversation uses, as far as known. */
	readonly usedTokens: number;
	readonly newId: () => string;
};

/** What replaces a conversation: its messages, their tokens with what every request has, and the events that record it. */
export type Compacted = {
	readonly messages: readonly Message[];
	readonly usedTokens: number;
	readonly events: readonly AgentEvent[];
};

/**
 * Asks the model for a summary, which replaces the conversation up to the messages that it carries over. Yields the usage
 * of the requests, and returns what the model wrote instead if that is no summary. Throws what `summarize` throws.
 */
export async function* compact(
	long: LongConversation,
	options: SummaryOptions,
): AsyncGenerator<AgentEvent, {readonly compacted: Compacted} | NoSummary> {
	const {messages, pinned, carried} = long;
	const result = yield* summarize(messages.slice(0, messages.length - carried.length), options);
	if (result.summary === undefined) {
		return result;
	}

	const {summary} = result;
	const shorter = [summaryMessage(summary, pinned), ...carried.map(({message}) => message)];
	const carriedIds = carried.map(({id}) => id);
	return {compacted: record(long, shorter, {summary, pinned, ...(carried.length > 0 && {carried: carriedIds})})};
}

/**
 * Cuts a conversation to about `targetTokens` without asking anybody: see `fitInto`. `why` says why there is no summary. Returns
 * undefined if that would leave it as it is.
 */
export function cut(long: LongConversation, targetTokens: number, why?: string): Compacted | undefined {
	const {messages, pinned, carried, model} = long;
	const {cut: kept, leftOut, messages: rest} = fitInto(messages, targetTokens);
	// What an earlier summary kept word for word is in its text.
	const pins = messages[0] && isSummaryMessage(messages[0]) ? [] : pinned.filter(() => kept.from > 0);
	const summary = kept.from === 0 ? shortenedNote : leftOut ? `${leftOutHead}\n\n${leftOut}` : leftOutNote;
	const shorter = [summaryMessage(summary, pins), ...rest];
	if (tokensOfMessages(shorter) >= tokensOfMessages(messages)) {
		return undefined;
	}

	const compacted = record(long, shorter, {summary, pinned: pins, kept});
	const isOwnShort =
		kept.user !== undefined &&
		carried.some(({message}) => message.role === 'user' && !rest.some(each => each === message));
	const notices: AgentEvent[] = [
		{
			type: 'notice',
			level: 'warning',
			text: `${why ? `No summary: ${why}. ` : ''}${
				kept.from > 0
					? 'The oldest part of the conversation was left out, to make room.'
					: 'Long parts of the conversation were shortened, to make room.'
			}`,
			hint: 'The transcript still has it all. Undo: `/compact undo`',
		},
	];
	if (isOwnShort) {
		notices.push({
			type: 'notice',
			level: 'warning',
			text: `Your message is too long for ${model}: it reads the beginning and the end.`,
			hint: 'Send it in parts, or select a model with a larger context window: `model use`',
		});
	}

	return {...compacted, events: [...compacted.events, ...notices]};
}

const shortenedNote = 'Long parts of the conversation are shortened below.';
const leftOutNote = 'The oldest part of this conversation is left out, because it did not fit.';

function record(
	{messages: before, usedTokens, cause, newId}: LongConversation,
	messages: readonly Message[],
	{
		pinned,
		...how
	}: Pick<EventOf<'compaction'>, 'summary' | 'carried' | 'kept'> & {
		readonly pinned: readonly Pinned[];
	},
): Compacted {
	// The instructions and tools of every request stay.
	const fixed = Math.max(0, usedTokens - tokensOfMessages(before));
	const afterTokens = fixed + tokensOfMessages(messages);
	const event: AgentEvent = {
		type: 'compaction',
		id: newId(),
		...how,
		cause,
		...(usedTokens > 0 && {beforeTokens: usedTokens}),
		afterTokens,
		...(pinned.length > 0 && {pinned: pinned.map(({id}) => id)}),
	};
	return {messages, usedTokens: afterTokens, events: [event]};
}

/** Returns the error of a compaction that the user asked for and that no summary came of. */
export function noSummary(why: string): AppError {
	return new AppError('failed', 'The model wrote no summary, so nothing was compacted.', {
		hint: `${why.replace(/^./, letter => letter.toUpperCase())}. Try again, or select another model: \`model use\``,
	});
}

type SummaryOptions = TurnOptions & {
	/** What the user wants the summary to keep. */
	readonly guidance?: string | undefined;
	/** The most tokens of the conversation that fit, as far as known. */
	readonly maxTokens?: number | undefined;
	/** A refusal that may mean a full window: the same of a short conversation means something else. */
	readonly suspect?: unknown;
};

/** No summary, and why. */
type NoSummary = {
	readonly summary: undefined;
	readonly why: string;
	/** The tokens of the last conversation that the model read; 0 if the host refused even a short one. */
	readonly fittingTokens: number;
};

/** Most requests for one summary. */
const maxRequests = 6;

const system = 'You write summaries of conversations between a user and an agent. You have no tools.';
const plainInstruction =
	'Stop here for a moment. Write down, in plain sentences, what the user wants, what was done so far, which files and facts matter, and what is next.';

const reminder = 'Write the summary of this conversation now, as it is asked for above. Text only: you have no tools.';

/**
 * Asks the model for a summary of the conversation, in a request of its own: the conversation as text, without tools,
 * images and signatures, so that every host takes it. It halves until it fits. What is no summary (see `faultIn`) leads to
 * one more, plainer request. Yields the usage of each. Throws what `takeTurn` throws for any other reason.
 */
async function* summarize(
	messages: readonly Message[],
	{guidance, maxTokens, suspect, ...options}: SummaryOptions,
): AsyncGenerator<AgentEvent, {readonly summary: string} | NoSummary> {
	const requests = {...options.requests, onPiece: undefined, sentBefore: 0, cause: 'compaction'} as const;
	const size = tokensOfMessages(messages);
	let target = Math.min(size, maxTokens ?? size);
	let none: NoSummary = {summary: undefined, why: 'it is too long for the model', fittingTokens: 0};
	let isPlain = false;
	for (let request = 0; request < maxRequests; request++) {
		const read = target >= size ? {leftOut: '', messages} : fitInto(messages, target);
		const about = `${read.leftOut && `${leftOutHead}\n\n${read.leftOut}\n\n`}${asText(read.messages)}`;
		const wanted = isPlain ? plainInstruction : instruction.trim();
		const guided = guidance ? `${wanted}\n\nThe user asks for this summary: ${guidance}` : wanted;
		const text = `${guided}\n\n<conversation>\n${about}\n</conversation>\n\n${reminder}`;
		try {
			const answer = yield* usageOf(
				takeTurn([{role: 'user', text}], {...options, requests, tools: [], plain: {system}}),
			);
			const summary = textIn(answer);
			const fault = faultIn(answer, summary, size);
			if (fault === undefined) {
				return {summary};
			}

			none = {summary: undefined, why: fault, fittingTokens: target};
		} catch (error) {
			const isSuspect = isSameRefusal(error, suspect);
			const overflow = overflowOf(error, {tokens: target});
			if (isSuspect && target <= shortTokens) {
				return none;
			}

			if (overflow || isSuspect) {
				const next = smallerTarget(target, overflow?.window);
				target = isSuspect && request > 0 ? Math.min(next, shortTokens) : next;
				continue;
			}

			if (!isRefusal(error)) {
				throw error;
			}

			none = {...none, why: error.message.replace(/[.\s]*$/, '')};
		}

		if (isPlain) {
			break;
		}

		isPlain = true;
	}

	return none;
}

/** Yields the usage of a turn and returns its answer, which is shown as a summary once it is complete. */
async function* usageOf(turn: AsyncGenerator<AgentEvent, ModelTurn>): AsyncGenerator<AgentEvent, ModelTurn> {
	try {
		let next = await turn.next();
		for (; !next.done; next = await turn.next()) {
			if (next.value.type === 'usage') {
				yield next.value;
			}
		}

		return next.value;
	} finally {
		await turn.return(undefined as never);
	}
}

/** True for a refusal that asking again would not change: neither the key, nor the network, nor a limit per time. */
function isRefusal(error: unknown): error is AppError {
	return (
		error instanceof AppError &&
		!error.temporary &&
		error.retryAfter === undefined &&
		!(error.code === 'provider' && error.permanent) &&
		(error.code === 'provider' || error.code === 'incomplete')
	);
}

function textIn({parts}: ModelTurn): string {
	const text = parts.map(part => (part.type === 'text' ? part.text : '')).join('');
	return text.replace(/<(think|thinking|reasoning)>[\s\S]*?<\/\1>/gi, '').trim();
}

/** Most characters that a summary must have; that of a short conversation may be shorter. */
const minLength = 60;
/** The characters that it must at least have for each token of the conversation, below `minLength`. */
const minPerToken = 0.02;
const headings = /^#{1,3} ./m;

/** Returns why an answer is no summary of a conversation with so many tokens; undefined for a summary. */
function faultIn({calls, stopReason}: ModelTurn, text: string, tokens: number): string | undefined {
	if (calls.length > 0 || endsInCall(text)) {
		return 'the model called a tool instead';
	}

	if (stopReason === 'max_tokens') {
		return 'it was cut at the token limit';
	}

	if (stopReason !== 'end_turn') {
		return 'the model refused to write it';
	}

	if (text === '') {
		return 'the model wrote nothing';
	}

	const isShort = text.length < Math.min(minLength, tokens * minPerToken);
	return isShort && !headings.test(text) ? 'what the model wrote is too short' : undefined;
}

/** True for a call that is written as text, as models do whose host doesn't read their calls. */
function endsInCall(text: string): boolean {
	const end = text.slice(-2000);
	return (
		/<\/?(?:tool_call|tool_calls|function_call|function=|invoke|antml:|\|tool|\uFF5Ctool)[^\n]*>?\s*(?:[^\n]{0,200})$/i.test(
			end,
		) ||
		/<(tool_call|function_calls?|invoke|function=)\b[\s\S]*$/i.test(end) ||
		/\[TOOL_CALLS\]/.test(end) ||
		/\{\s*"(?:name|tool|function)"\s*:[\s\S]*"(?:arguments|parameters|args)"\s*:[\s\S]*\}\s*(?:```)?\s*$/.test(end)
	);
}

/** What comes before the user's words of messages that are left out. */
const leftOutHead = '[The oldest part of this conversation is left out, because it did not fit. The user wrote in it:]';
