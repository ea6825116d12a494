import {settingTable} from '../../config/settings/setting-table.ts';
import type {Pinned} from '../../core/session/compaction.ts';
import type {AgentEvent} from '../../core/session/event.ts';
import type {Message} from '../../core/session/message.ts';
import {windowTokens} from '../../core/session/usage.ts';
import {type ModelTurn, type TurnOptions, takeTurn} from '../model-turn.ts';
import {tokensOfMessages} from '../request-usage.ts';

/** The share of the window at which the conversation is compacted if the user set none. */
const fullShare = Number(settingTable.compact_at.default) / 100;
/** Tokens that stay free for the summary and the next answer, in windows that have them. */
const reservedTokens = 8000;
const warningShares = [0.8, 0.9];

/** Returns the tokens at which a conversation in a window of `size` tokens is compacted; `share` is the user's own. */
export function compactionThreshold(size: number, share = fullShare): number {
	const half = Math.min(0.5, share) * size;
	return Math.floor(Math.max(half, Math.min(share * size, size - reservedTokens)));
}

/** The share of the window from which on an answer that was cut ended because of it. */
const endShare = 0.95;

/**
 * True if an answer that was cut after `used` tokens reached the end of the window. One of unknown size probably ends where
 * their number is a multiple of 1024, or next to it.
 */
export function isAtEnd(used: number, size: number | undefined): boolean {
	return size === undefined ? used >= 2048 && (used + 2) % 1024 <= 3 : used >= endShare * size;
}

/** How full the context window is during a run. The `size` of the window is in tokens; undefined if unknown. */
type ContextWindow = {
	readonly used: () => number;
	/** One of unknown size is never full. */
	readonly isFull: (size: number | undefined) => boolean;
	/** Counts what the next request has more than the last one. */
	readonly add: (messages: readonly Message[]) => void;
	/** Counts what a turn used. */
	readonly afterUsage: (event: Extract<AgentEvent, {type: 'usage'}>) => void;
	/** Returns a warning if more of the window is used than at the last one. */
	readonly warning: (size: number | undefined) => AgentEvent | undefined;
	/** Starts over with what is left after a compaction. */
	readonly reset: (usedTokens: number) => void;
};

/**
 * Follows how full the context window is. `usedTokens` is what the conversation used before the run; the window is full at
 * the `share` that the user set.
 */
export function createContextWindow(usedTokens: number, share?: number): ContextWindow {
	let used = usedTokens;
	let warned = usedTokens;

	return {
		used: () => used,
		isFull: size => size !== undefined && used >= compactionThreshold(size, share),
		add(messages) {
			used += tokensOfMessages(messages);
		},
		afterUsage(event) {
			used = windowTokens(event.usage);
		},
		warning(size) {
			if (size === undefined) {
				return undefined;
			}

			const [before, now] = [warned / size, used / size];
			const crossed = warningShares.findLast(share => now >= share && before < share);
			warned = used;
			return crossed === undefined || used >= compactionThreshold(size, share)
				? undefined
				: {
						type: 'notice',
						level: 'warning',
						text: `${Math.floor(now * 100)}% of the context window is used.`,
						hint: `Make room with \`/compact\`. At ${Math.round((100 * compactionThreshold(size, share)) / size)}% it happens by itself.`,
					};
		},
		reset(usedTokens) {
			used = usedTokens;
			warned = usedTokens;
		},
	};
}

/** What the compaction of a conversation needs to know of its session. */
export type CompactionAccess = {
	/** Returns the tokens of a model's context window; undefined if unknown. Asks no host. */
	readonly windowSize: (model: string) => Promise<number | undefined>;
	/** Asks the host of a model for it; undefined if it doesn't tell within some seconds. */
	readonly findWindow?: ((model: string, signal: AbortSignal) => Promise<number | undefined>) | undefined;
	/** Remembers the tokens that a refusal named. */
	readonly learnWindow?: ((model: string, tokens: number) => void) | undefined;
	/** Refusals that looked like that of a full window, and were not: a shorter request got the same. */
	readonly otherRefusals?: Set<string> | undefined;
	/** Tokens of it that the conversation uses before the run. */
	readonly usedTokens: number;
	/** The share of the window at which it is compacted; a default if left out. */
	readonly share?: number | undefined;
	/** Returns the messages that the user pinned. */
	readonly pinned: () => readonly Pinned[];
};

export type CompactingOptions = TurnOptions & {readonly compaction?: CompactionAccess | undefined};

/** A message of the user that follows the summary as it is. */
export type Carried = {readonly id: string; readonly message: Message};

/** What the next request carries, and how full the context window is. */
export type HistoryState = {
	readonly messages: Message[];
	readonly window: ContextWindow;
	/** The user's messages since the model's last one. They are the end of `messages`. */
	unanswered: readonly Carried[];
	/** True from a request that did not fit until the next one that does. */
	hasOverflowed: boolean;
	/** True if a compaction freed too little: another would only cost money. */
	isStuck: boolean;
	/** The number of messages that the last request had. */
	sent: number;
	/** Called once, when the next answer begins. */
	onAnswer: (() => void) | undefined;
};

/** Returns true if there is something to compact. */
export function isLong({messages, unanswered}: HistoryState): boolean {
	return messages.length - unanswered.length > 1;
}

/** Asks the model once, and counts what it uses. `shown` says whether the user saw any of the answer. */
export function countedTurn(
	state: HistoryState,
	options: CompactingOptions,
	messages: readonly Message[],
	shown: {isAny: boolean} = {isAny: false},
): AsyncGenerator<AgentEvent, ModelTurn> {
	const {window, sent: sentBefore} = state;
	state.sent = messages.length;
	const onEvent = (event: AgentEvent) => {
		if (event.type === 'usage') {
			window.afterUsage(event);
		}

		shown.isAny ||= event.type !== 'notice' && event.type !== 'usage';
		if (shown.isAny && state.onAnswer) {
			state.onAnswer();
			state.onAnswer = undefined;
		}
	};
	return takeTurn([...messages], {...options, requests: {...options.requests, sentBefore}, onEvent});
}
