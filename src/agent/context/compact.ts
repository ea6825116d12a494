import {AppError} from '../../core/error.ts';
import {isSummaryMessage, type Pinned, summaryMessage} from '../../core/session/compaction.ts';
import type {AgentEvent, CompactionCause, EventOf} from '../../core/session/event.ts';
import type {Message} from '../../core/session/message.ts';
import {tokensOfMessages} from '../usage-estimate.ts';
import {fitInto} from './fit.ts';
import type {Carried} from './sent-history.ts';
import {leftOutHead, type NoSummary, type SummaryOptions, summarize} from './summary.ts';

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
