import {AppError} from '../core/error.ts';
import type {CommandBlock} from '../core/session/block.ts';
import type {AgentEvent} from '../core/session/event.ts';
import type {Message} from '../core/session/message.ts';
import type {RunWarning} from '../core/session/tool.ts';
import type {Attachment} from '../core/session/user-events.ts';
import {dateIn, userMessage} from '../core/session/user-message.ts';
import {
	type CompactingOptions,
	type CompactionAccess,
	countedTurn,
	createContextWindow,
	type HistoryState,
	isLong,
} from './context/sent-history.ts';
import type {Mentions} from './mentions/read-mentions.ts';
import type {ModelTurn, TurnOptions} from './model-turn.ts';

/**
 * Who started a run: the user by hand, or one of their watches. A run that nobody started by hand is unattended: nobody may
 * be there to answer a question.
 */
export type RunStarter = 'user' | 'watch';

/** A message of the user, with the id of its event. One that is typed during a run joins at the next turn. */
export type QueuedMessage = {
	readonly id: string;
	readonly text: string;
	/** Left out for a message that the user sent by hand. */
	readonly startedBy?: RunStarter;
	/** The part of the text in which mentions count; all of it if left out. */
	readonly mentionsIn?: string;
	/** The commands of the user that it carries to the model. */
	readonly commands?: readonly CommandBlock[];
};

/** The dates that the model knows, as YYYY-MM-DD. A message of another day brings its own: the system prompt stays. */
export type Dates = {
	/** The date in the system prompt. */
	readonly begun: string;
	readonly today: () => string;
};

/** The conversation that a run continues. */
export type RunConversation = {
	/** The conversation so far. Every tool call in it has a result. */
	readonly messages: readonly Message[];
	/** The user's message; left out to continue the conversation as it is. */
	readonly prompt?: QueuedMessage | undefined;
	/** Returns and clears the user's queue. Called after each turn, also before the run would end. */
	readonly nextMessages: () => readonly QueuedMessage[];
	/** What the user should know before the first turn. */
	readonly warnings?: readonly RunWarning[];
	/** The dates that the model knows; left out if it needs to know none. */
	readonly dates?: Dates | undefined;
	/** What messages may mention; left out to send mentions as text. */
	readonly mentions?: Mentions | undefined;
	/** How the conversation is made shorter when the context window is full; left out to end the run then. */
	readonly compaction?: CompactionAccess | undefined;
	/** Compacts the conversation first. Without queued messages, that is all. */
	readonly compact?: {readonly guidance: string | undefined} | undefined;
};

/** Reads what a message mentions. */
type Attach = (message: QueuedMessage) => AsyncIterable<AgentEvent>;

/** The history of a run. */
export type History = {
	/** Compacts the conversation because the user asked. */
	readonly compact: (guidance: string | undefined) => AsyncGenerator<AgentEvent>;
	readonly addUserMessages: (queued: readonly QueuedMessage[]) => AsyncGenerator<AgentEvent>;
	readonly addAnswers: (answers: readonly Message[]) => void;
	/** Asks the model. Throws what `takeTurn` and `compact` throw. */
	readonly takeTurn: () => AsyncGenerator<AgentEvent, ModelTurn>;
};

/**
 * Creates the history of a run: what the next request carries. Once it fills the context window it is compacted before the
 * next request, and if the provider says that a request does not fit, or ends an answer because nothing more does.
 */
export function createHistory(conversation: RunConversation, turn: TurnOptions, attach: Attach): History {
	const {compaction, dates} = conversation;
	const {model, sentBefore = 0} = turn.requests;
	const options: CompactingOptions = {...turn, compaction};
	const state: HistoryState = {
		messages: [...conversation.messages],
		window: createContextWindow(compaction?.usedTokens ?? 0, compaction?.share),
		unanswered: [],
		hasOverflowed: false,
		isStuck: false,
		sent: sentBefore,
		onAnswer: undefined,
	};
	const {messages, window} = state;

	return {
		async *compact(guidance) {
			const {compactNow} = await import('./context/recover.ts');
			yield* compactNow(state, options, 'user', guidance);
		},
		async *addUserMessages(queued) {
			for (const {id, text, mentionsIn = text, commands = []} of queued) {
				const date = newDate(messages, dates);
				const carried = commands.map(command => command.id);
				yield {type: 'user-message', id, text, ...(carried.length > 0 && {commands: carried}), ...(date && {date})};
				const attachments: Attachment[] = [];
				for await (const event of attach({id, text: mentionsIn})) {
					yield event;
					attachments.push(...(event.type === 'attachment' ? [event] : []));
				}

				const message = userMessage(text, {attachments, commands, date});
				messages.push(message);
				window.add([message]);
				state.unanswered = [...state.unanswered, {id, message}];
			}
		},
		addAnswers(answers) {
			messages.push(...answers);
			window.add(answers);
		},
		async *takeTurn() {
			const size = isLong(state) ? await compaction?.windowSize(model) : undefined;
			// Not before the request, which nothing may delay; nobody waits for it, and a later turn knows.
			state.onAnswer =
				size === undefined && isLong(state)
					? () => void compaction?.findWindow?.(model, options.signal).catch(() => undefined)
					: undefined;

			if (window.isFull(size) && !state.isStuck) {
				const {compactNow} = await import('./context/recover.ts');
				yield* compactNow(state, options, 'automatic');
				state.isStuck = window.isFull(size);
			}

			const outcome: Outcome = {turn: undefined, failure: undefined, isAny: false};
			try {
				outcome.turn = yield* countedTurn(state, options, state.messages, outcome);
			} catch (error) {
				outcome.failure = error;
			}

			const answer = yield* orShorter(outcome, state, options);
			if (answer.parts.length > 0) {
				messages.push({role: 'assistant', model, parts: answer.parts});
			}

			state.unanswered = [];
			const warning = window.warning(await compaction?.windowSize(model));
			if (warning) {
				yield warning;
			}

			return answer;
		},
	};
}

/** Returns today's date if the model knows another one. */
function newDate(messages: readonly Message[], dates: Dates | undefined): string | undefined {
	const today = dates?.today();
	return today === (dateIn(messages) ?? dates?.begun) ? undefined : today;
}

/** How asking the model went; `isAny` is true if the user saw any of the answer. */
type Outcome = {turn: ModelTurn | undefined; failure: unknown; isAny: boolean};

/** Returns the answer, asking again with a shorter conversation if the window is full. Throws the failure otherwise. */
async function* orShorter(
	{turn, failure, isAny}: Outcome,
	state: HistoryState,
	options: CompactingOptions,
): AsyncGenerator<AgentEvent, ModelTurn> {
	let answer = turn;
	const mayBeFull = turn ? turn.stopReason === 'max_tokens' : failure instanceof AppError && !isAny;
	if (options.compaction && mayBeFull && !state.hasOverflowed) {
		const {cutByWindow, recover, refusedBySize} = await import('./context/recover.ts');
		const overflow = turn ? await cutByWindow(turn, state, options) : await refusedBySize(failure, state, options);
		state.hasOverflowed = overflow !== undefined;
		answer = (overflow && (yield* recover(state, options, overflow, failure))) ?? turn;
	}

	if (!answer) {
		throw failure;
	}

	state.hasOverflowed = false;
	return answer;
}
