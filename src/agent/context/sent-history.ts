import type {Pinned} from '../../core/session/compaction.ts';
import type {AgentEvent} from '../../core/session/event.ts';
import type {Message} from '../../core/session/message.ts';
import {type ModelTurn, type TurnOptions, takeTurn} from '../model-turn.ts';
import type {ContextWindow} from './context-window.ts';

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
