import {AppError} from '../../core/error.ts';
import {parseJson} from '../../core/json.ts';
import {refusalStatus, refusalText, vendorMessage} from '../../providers/failure.ts';
import {isOfAccount} from '../../providers/failure-codes.ts';
import {isBeyondLimit, overflowEvidence, windowNamed} from '../../providers/overflow.ts';

/**
 * A request that didn't fit. `isSure` is false if only its size, or the grammar of the refusal, says so: then nothing is
 * replaced before a shorter request was answered. `window` is what the refusal names, in tokens.
 */
export type Overflow = {readonly isSure: boolean; readonly window?: number | undefined};

type Request = {
	/** The estimated tokens of its messages. */
	readonly tokens: number;
	/** The context window of the model, as far as known. */
	readonly window?: number | undefined;
	/** True if the host doesn't tell the window. */
	readonly isUntold?: boolean;
};

/** A refusal that says nothing is that of a full window if the conversation has this share of it. */
const longShare = 0.5;
/** And one that says something else, in words that nobody here knows, this share. */
const fullShare = 0.85;
/** A conversation is long in a window of unknown size from here on, in tokens. */
const longTokens = 16_000;

/** Returns whether a request failed because it didn't fit, by codes, words and sizes; undefined if it failed otherwise. */
export function overflowOf(error: unknown, {tokens, window, isUntold}: Request): Overflow | undefined {
	if (!(error instanceof AppError)) {
		return undefined;
	}

	const text = refusalText(error);
	const body = parseJson(text);
	const said = body === undefined ? text : vendorMessage(body);
	if (error.overflow) {
		const isLikely = overflowEvidence(body, said) === 'likely' && refusalStatus(error) !== 413;
		return {isSure: !isLikely, window: windowNamed(said === '' ? error.message : `${said} ${countsIn(text)}`)};
	}

	// It was asked again after the wait that the host named, in vain: it will never pass.
	if (error.code === 'provider' && error.temporary && isBeyondLimit(error.message)) {
		return {isSure: false};
	}

	const status = refusalStatus(error);
	const isLong = window === undefined ? tokens >= longTokens : tokens >= longShare * window;
	if (status === 500 && isLong && outOfMemory.test(said)) {
		return {isSure: false};
	}

	if (error.code !== 'provider' || error.permanent || (status !== 400 && status !== 422)) {
		return undefined;
	}

	const mayBeFull = isUntold === true && isLong && !isOfAccount(said);
	const isFull = window === undefined ? mayBeFull : tokens >= fullShare * window;
	return (saysNothing(said) && isLong) || isFull ? {isSure: false} : undefined;
}

/** Programs that run models on the user's own machines crash so at a prompt for which their memory is too small. */
const outOfMemory = /out of memory|\bOOM\b|(?:free|enough) (?:space|memory|slots?)|failed to allocate|kv[ _-]?cache/i;

/** llama.cpp sends the numbers beside its message. */
function countsIn(text: string): string {
	return [...text.matchAll(/"(n_ctx|n_prompt_tokens)"\s*:\s*(\d+)/g)]
		.map(([, key, value]) => `${key} ${value}`)
		.join(' ');
}

/** True for a message that has no word about its cause. */
function saysNothing(message: string): boolean {
	return (
		message
			.replace(/<[^>]*>/g, ' ')
			.replace(/[^\p{L}]+/gu, ' ')
			.replace(
				/\b(?:bad|invalid|request|error|unknown|internal|server|upstream|provider|returned|an|a|the|status|code|http|unprocessable|entity|failed|something|went|wrong|null|none|argument|one|or|more|parameter|parameters|value|illegal|type|exception|occurred|while|processing|your|model)(?:_\w+)?\b/gi,
				' ',
			)
			.trim() === ''
	);
}

/** A conversation of so many tokens fits into every window. */
export const shortTokens = 1500;

/** Returns the tokens of the next, shorter attempt: half, or less if the window is that small. */
export function smallerTarget(tokens: number, window: number | undefined): number {
	return Math.floor(Math.min(tokens / 2, window === undefined ? Number.POSITIVE_INFINITY : 0.6 * window));
}

/** True for the same refusal as another one, word for word. */
export function isSameRefusal(error: unknown, other: unknown): boolean {
	return error instanceof AppError && other instanceof AppError && error.message === other.message;
}
