import {AppError} from '../../core/error.ts';
import {type Pinned, summaryMessage} from '../../core/session/compaction.ts';
import type {AgentEvent, CompactionCause} from '../../core/session/event.ts';
import type {Message} from '../../core/session/message.ts';
import {headAndTail} from '../head-and-tail.ts';
import {mapEvents} from '../map-events.ts';
import {type TurnOptions, takeTurn} from '../model-turn.ts';
import {tokensOfMessages} from '../usage-estimate.ts';
import instruction from './summary.md';

/** A message of the user that follows the summary as it is. */
export type Carried = {readonly id: string; readonly message: Message};

type SummaryOptions = Omit<TurnOptions, 'cause' | 'onPiece'>;

export type CompactionOptions = SummaryOptions & {
	readonly cause: CompactionCause;
	/** The conversation without what is carried over. */
	readonly messages: readonly Message[];
	readonly pinned: readonly Pinned[];
	readonly carried: readonly Carried[];
	/** What the user wants the summary to keep. */
	readonly guidance?: string | undefined;
	/** Tokens of the context window that the conversation uses, as far as known. */
	readonly usedTokens: number;
};

/** What replaces a conversation, and the tokens of the context window that it uses. */
export type Compacted = {readonly messages: readonly Message[]; readonly usedTokens: number};

/**
 * Asks the model for a summary of the conversation. Yields the usage of that request, then the compaction. The request
 * begins like those before it, so that vendors read it from their cache. One that does not fit the window is made again
 * with short results of tools, then with the second half of the conversation only. Throws AppError("failed") if the
 * model writes no summary, and what `takeTurn` throws.
 */
export async function* compact(options: CompactionOptions): AsyncGenerator<AgentEvent, Compacted> {
	const {cause, messages, pinned, carried, guidance, usedTokens, newId} = options;
	const request = instruction.trim() + (guidance ? `\n\nThe user asks for this summary: ${guidance}` : '');
	const summary = yield* summarize(messages, request, options);
	const replaced: readonly Message[] = [summaryMessage(summary, pinned), ...carried.map(({message}) => message)];
	// The instructions and tools of every request stay.
	const fixed = Math.max(0, usedTokens - tokensOfMessages(messages));
	const afterTokens = fixed + tokensOfMessages(replaced);
	yield {
		type: 'compaction',
		id: newId(),
		summary,
		cause,
		...(usedTokens > 0 && {beforeTokens: usedTokens}),
		afterTokens,
		...(pinned.length > 0 && {pinned: pinned.map(({id}) => id)}),
		...(carried.length > 0 && {carried: carried.map(({id}) => id)}),
	};
	return {messages: replaced, usedTokens: afterTokens};
}

async function* summarize(
	messages: readonly Message[],
	request: string,
	options: SummaryOptions,
): AsyncGenerator<AgentEvent, string> {
	const attempts = [messages, shortened(messages), secondHalf(shortened(messages))];
	for (const [index, attempt] of attempts.entries()) {
		try {
			return yield* askFor([...attempt, {role: 'user', text: request}], options);
		} catch (error) {
			if (!(error instanceof AppError && error.overflow) || index === attempts.length - 1) {
				throw error;
			}
		}
	}

	throw noSummary();
}

async function* askFor(messages: readonly Message[], options: SummaryOptions): AsyncGenerator<AgentEvent, string> {
	// The summary is shown when it is complete.
	const turn = takeTurn(messages, {...options, cause: 'compaction'});
	const {parts, stopReason} = yield* mapEvents(turn, event => (event.type === 'usage' ? event : undefined));
	const summary = parts.map(part => (part.type === 'text' ? part.text : '')).join('');
	if (!summary.trim() || stopReason === 'refusal') {
		throw noSummary();
	}

	return summary.trim();
}

const noSummary = () =>
	new AppError('failed', 'The model wrote no summary, so nothing was compacted.', {
		hint: 'Try again, or select another model.',
	});

/** Most characters of a message in a request that did not fit whole. */
const maxShortened = 2000;

function shortened(messages: readonly Message[]): readonly Message[] {
	return messages.map(message => {
		switch (message.role) {
			case 'user':
				return {role: 'user', text: headAndTail(message.text, 4 * maxShortened)};
			case 'tool': {
				const {images: _, ...rest} = message;
				return {...rest, output: headAndTail(message.output, maxShortened)};
			}
			default:
				return message;
		}
	});
}

/**
 * Returns the second half of a conversation, from a message of the user or the model on: no result loses its call. It begins
 * with the user, as vendors require.
 */
function secondHalf(messages: readonly Message[]): readonly Message[] {
	const start = messages.findIndex(({role}, index) => index >= messages.length / 2 && role !== 'tool');
	const half = start === -1 ? [] : messages.slice(start);
	return half[0]?.role === 'assistant' ? [{role: 'user', text: leftOut}, ...half] : half;
}

const leftOut = '[The first half of this conversation is left out, because it did not fit.]';
