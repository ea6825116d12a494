import {AppError} from '../core/error.ts';
import type {Command} from '../core/session/block.ts';
import type {AgentEvent} from '../core/session/event.ts';
import type {Message} from '../core/session/message.ts';
import type {Attachment} from '../core/session/user-events.ts';
import {dateIn, userMessage} from '../core/session/user-message.ts';
import {createContextWindow} from './context/context-window.ts';
import {type CompactingOptions, countedTurn, type HistoryState, isLong} from './context/sent-history.ts';
import type {ModelTurn} from './model-turn.ts';

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
	readonly commands?: readonly Command[];
};

/** The dates that the model knows, as YYYY-MM-DD. A message of another day brings its own: the system prompt stays. */
export type Dates = {
	/** The date in the system prompt. */
	readonly begun: string;
	readonly today: () => string;
};

type Options = CompactingOptions & {
	readonly messages: readonly Message[];
	readonly dates?: Dates | undefined;
	/** Reads what a message mentions. Without it, mentions are text. */
	readonly attach?: (message: QueuedMessage) => AsyncIterable<AgentEvent>;
};

/**
 * Creates the history of a run: what the next request carries. Once it fills the context window it is compacted before the
 * next request, and if the provider says that a request does not fit, or ends an answer because nothing more does.
 */
export function createHistory(options: Options) {
	const {model, compaction} = options;
	const state: HistoryState = {
		messages: [...options.messages],
		window: createContextWindow(compaction?.usedTokens ?? 0, compaction?.share),
		unanswered: [],
		hasOverflowed: false,
		isStuck: false,
		sent: options.sentBefore ?? 0,
		onAnswer: undefined,
	};
	const {messages, window} = state;

	return {
		/** Compacts the conversation because the user asked. */
		async *compact(guidance: string | undefined): AsyncGenerator<AgentEvent> {
			const {compactNow} = await import('./context/recover.ts');
			yield* compactNow(state, options, 'user', guidance);
		},
		async *addUserMessages(queued: readonly QueuedMessage[]): AsyncGenerator<AgentEvent> {
			for (const {id, text, mentionsIn = text, commands = []} of queued) {
				const date = newDate(messages, options.dates);
				const carried = commands.map(command => command.id);
				yield {type: 'user-message', id, text, ...(carried.length > 0 && {commands: carried}), ...(date && {date})};
				const attachments: Attachment[] = [];
				for await (const event of options.attach?.({id, text: mentionsIn}) ?? []) {
					yield event;
					attachments.push(...(event.type === 'attachment' ? [event] : []));
				}

				const message = userMessage(text, {attachments, commands, date});
				messages.push(message);
				window.add([message]);
				state.unanswered = [...state.unanswered, {id, message}];
			}
		},
		addAnswers(answers: readonly Message[]) {
			messages.push(...answers);
			window.add(answers);
		},
		/** Asks the model. Throws what `takeTurn` and `compact` throw. */
		async *takeTurn(): AsyncGenerator<AgentEvent, ModelTurn> {
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

			const turn = yield* ask(state, options);
			if (turn.parts.length > 0) {
				messages.push({role: 'assistant', model, parts: turn.parts});
			}

			state.unanswered = [];
			const warning = window.warning(await compaction?.windowSize(model));
			if (warning) {
				yield warning;
			}

			return turn;
		},
	};
}

/** Returns today's date if the model knows another one. */
function newDate(messages: readonly Message[], dates: Dates | undefined): string | undefined {
	const today = dates?.today();
	return today === (dateIn(messages) ?? dates?.begun) ? undefined : today;
}

/** Asks the model, and again with a shorter conversation if the window is full. */
async function* ask(state: HistoryState, options: Options): AsyncGenerator<AgentEvent, ModelTurn> {
	const {compaction} = options;
	const shown = {isAny: false};
	let turn: ModelTurn | undefined;
	let failure: unknown;
	try {
		turn = yield* countedTurn(state, options, state.messages, shown);
	} catch (error) {
		failure = error;
	}

	const mayBeFull = turn ? turn.stopReason === 'max_tokens' : failure instanceof AppError && !shown.isAny;
	if (compaction && mayBeFull && !state.hasOverflowed) {
		const {cutByWindow, recover, refusedBySize} = await import('./context/recover.ts');
		const overflow = turn ? await cutByWindow(turn, state, options) : await refusedBySize(failure, state, options);
		state.hasOverflowed = overflow !== undefined;
		turn = (overflow && (yield* recover(state, options, overflow, failure))) ?? turn;
	}

	if (!turn) {
		throw failure;
	}

	state.hasOverflowed = false;
	return turn;
}
