import type {AgentEvent, CompactionCause} from '../../core/session/event.ts';
import type {ModelTurn} from '../model-turn.ts';
import {tokensOfMessages} from '../request-usage.ts';
import {type Compacted, compact, cut, type LongConversation, noSummary} from './compact.ts';
import {isSameRefusal, type Overflow, overflowOf, shortTokens, smallerTarget} from './overflow.ts';
import {type CompactingOptions, countedTurn, type HistoryState, isAtEnd, isLong} from './sent-history.ts';

/** Replaces the conversation by a summary; if none comes, and the window is full, by its newest part. */
export async function* compactNow(
	state: HistoryState,
	options: CompactingOptions,
	cause: CompactionCause,
	guidance?: string,
): AsyncGenerator<AgentEvent> {
	const long = longOf(state, options, cause);
	const size = await options.compaction?.windowSize(options.requests.model);
	const result = yield* compact(long, {...options, guidance, maxTokens: size && summaryShare * size});
	if ('compacted' in result) {
		yield* replaceBy(state, result.compacted);
		return;
	}

	const tokens = tokensOfMessages(long.messages);
	const isFull = cause !== 'user' || result.fittingTokens === 0 || state.window.isFull(size);
	const shorter = isFull ? cut(long, smallerTarget(tokens, size), result.why) : undefined;
	if (shorter) {
		yield* replaceBy(state, shorter);
	} else if (cause === 'user') {
		throw noSummary(result.why);
	}
}

/** The share of the window that a conversation may have in the request for its summary. */
const summaryShare = 0.8;

function longOf(
	{messages, window, unanswered}: HistoryState,
	options: CompactingOptions,
	cause: CompactionCause,
): LongConversation {
	const {requests, newId, compaction} = options;
	const usedTokens = window.used();
	const pinned = compaction?.pinned() ?? [];
	return {cause, model: requests.model, messages: [...messages], pinned, carried: unanswered, usedTokens, newId};
}

function* replaceBy({messages, window}: HistoryState, shorter: Compacted): Generator<AgentEvent> {
	messages.splice(0, messages.length, ...shorter.messages);
	window.reset(shorter.usedTokens);
	yield* shorter.events;
}

/** Returns how a request failed because it did not fit; undefined if it failed otherwise. */
export async function refusedBySize(
	error: unknown,
	state: HistoryState,
	options: CompactingOptions,
): Promise<Overflow | undefined> {
	const {compaction, signal} = options;
	const {model} = options.requests;
	const tokens = tokensOfMessages(state.messages);
	const known = await compaction?.windowSize(model);
	const found = overflowOf(error, {tokens, window: known});
	if (found?.isSure) {
		if (found.window !== undefined && found.window < 4 * tokens) {
			compaction?.learnWindow?.(model, found.window);
		}

		return {...found, window: found.window ?? known};
	}

	if (compaction?.otherRefusals?.has(refusalKey(model, error))) {
		return undefined;
	}

	const window = known ?? (isLong(state) ? await compaction?.findWindow?.(model, signal) : undefined);
	const likely = found ?? overflowOf(error, {tokens, window, isUntold: window === undefined});
	return likely && {...likely, window: likely.window ?? window};
}

function refusalKey(model: string, error: unknown): string {
	return `${model}\n${error instanceof Error ? error.message : ''}`;
}

/** Returns how an answer ended because nothing more fits; undefined if it ended otherwise. */
export async function cutByWindow(
	turn: ModelTurn,
	state: HistoryState,
	options: CompactingOptions,
): Promise<Overflow | undefined> {
	if (turn.stopReason !== 'max_tokens' || turn.calls.length > 0 || !isLong(state)) {
		return undefined;
	}

	const {compaction, signal} = options;
	const {model} = options.requests;
	const size = (await compaction?.windowSize(model)) ?? (await compaction?.findWindow?.(model, signal));
	return isAtEnd(state.window.used(), size) ? {isSure: true, window: size ?? state.window.used()} : undefined;
}

/** Most attempts with a shorter conversation, each with half of the one before it, or less. */
const maxAttempts = 8;
/** Fewer if nobody said that the window is full. */
const maxVagueAttempts = 3;

/**
 * Asks again with a shorter conversation: with a summary, or else without its oldest part, until it fits. Nothing is
 * replaced before a shorter request was answered, but by a summary where the host said that it is needed. Throws the last
 * refusal if nothing fits, and the first one if it was about something else. Returns undefined if nothing is left to shorten.
 */
export async function* recover(
	state: HistoryState,
	options: CompactingOptions,
	{isSure, window}: Overflow,
	failure: unknown,
): AsyncGenerator<AgentEvent, ModelTurn | undefined> {
	yield isSure ? overflowNotice : maybeOverflowNotice;
	const suspect = isSure ? undefined : failure;
	let target = smallerTarget(tokensOfMessages(state.messages), window);
	let why: string | undefined;
	let shorter: Compacted | undefined;
	let last = failure;
	if (isLong(state)) {
		const long = longOf(state, options, 'overflow');
		const result = yield* compact(long, {...options, maxTokens: target, suspect});
		if ('compacted' in result) {
			shorter = result.compacted;
		} else if (!isSure && result.fittingTokens === 0) {
			options.compaction?.otherRefusals?.add(refusalKey(options.requests.model, failure));
			throw failure;
		} else {
			({why} = result);
			target = Math.min(target, result.fittingTokens || target);
		}
	}

	let isSummary = shorter !== undefined;
	for (let attempt = 0; attempt < maxAttempts; attempt++) {
		shorter ??= cut(longOf(state, options, 'overflow'), target, why);
		if (!shorter) {
			break;
		}

		try {
			return yield* askShorter(state, options, shorter, isSure && isSummary);
		} catch (error) {
			const again = overflowOf(error, {tokens: 0, window}) ?? (isSameRefusal(error, suspect) ? {window} : undefined);
			const tokens = tokensOfMessages(shorter.messages);
			if (!isSure && (!again || tokens <= shortTokens || attempt >= maxVagueAttempts)) {
				options.compaction?.otherRefusals?.add(refusalKey(options.requests.model, failure));
				throw failure;
			}

			if (!again) {
				throw error;
			}

			last = error;
			target = smallerTarget(Math.min(target, tokens), again.window);
		}

		shorter = undefined;
		isSummary = false;
	}

	if (last) {
		throw last;
	}

	return undefined;
}

/** Asks with a shorter conversation, which replaces the longer one: `atOnce`, or when the answer begins. */
async function* askShorter(
	state: HistoryState,
	options: CompactingOptions,
	shorter: Compacted,
	atOnce: boolean,
): AsyncGenerator<AgentEvent, ModelTurn> {
	if (atOnce) {
		yield* replaceBy(state, shorter);
		return yield* countedTurn(state, options, state.messages);
	}

	const turn = countedTurn(state, options, shorter.messages);
	const early: AgentEvent[] = [];
	try {
		let next = await turn.next();
		while (!next.done && next.value.type === 'notice') {
			early.push(next.value);
			next = await turn.next();
		}

		yield* replaceBy(state, shorter);
		yield* early;
		for (; !next.done; next = await turn.next()) {
			yield next.value;
		}

		return next.value;
	} finally {
		await turn.return(undefined as never);
	}
}

const overflowNotice: AgentEvent = {
	type: 'notice',
	level: 'info',
	text: 'The conversation no longer fits into the context window. Compacting it…',
};

const maybeOverflowNotice: AgentEvent = {
	type: 'notice',
	level: 'info',
	text: 'The request was refused, perhaps because the conversation is too long. Trying a shorter one…',
};
