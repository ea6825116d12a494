import {AppError} from '../core/error.ts';
import type {Command} from '../core/session/block.ts';
import type {Pinned} from '../core/session/compaction.ts';
import type {AgentEvent, CompactionCause} from '../core/session/event.ts';
import type {Message} from '../core/session/message.ts';
import type {Attachment} from '../core/session/user-events.ts';
import {dateIn, userMessage} from '../core/session/user-message.ts';
import {type Carried, compact} from './context/compact.ts';
import {type ContextWindow, createContextWindow} from './context/context-window.ts';
import {mapEvents} from './map-events.ts';
import {type ModelTurn, type TurnOptions, takeTurn} from './model-turn.ts';

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

/** What the compaction of a conversation needs to know of its session. */
export type CompactionAccess = {
	/** Returns the tokens of a model's context window; undefined if unknown. */
	readonly windowSize: (model: string) => Promise<number | undefined>;
	/** Tokens of it that the conversation uses before the run. */
	readonly usedTokens: number;
	/** The share of the window at which it is compacted; a default if left out. */
	readonly share?: number | undefined;
	/** Returns the messages that the user pinned. */
	readonly pinned: () => readonly Pinned[];
};

/** The dates that the model knows, as YYYY-MM-DD. A message of another day brings its own: the system prompt stays. */
export type Dates = {
	/** The date in the system prompt. */
	readonly begun: string;
	readonly today: () => string;
};

type Options = TurnOptions & {
	readonly messages: readonly Message[];
	readonly compaction?: CompactionAccess;
	readonly dates?: Dates | undefined;
	/** Reads what a message mentions. Without it, mentions are text. */
	readonly attach?: (message: QueuedMessage) => AsyncIterable<AgentEvent>;
};

/** What the next request carries, and how full the context window is. */
type State = {
	readonly messages: Message[];
	readonly window: ContextWindow;
	/** The user's messages since the model's last one. They are the end of `messages`. */
	unanswered: readonly Carried[];
	hasOverflowed: boolean;
	/** True if a compaction freed too little: another would only cost money. */
	isStuck: boolean;
	/** The number of messages that the last request had. */
	sent: number;
};

/**
 * Creates the history of a run: what the next request carries. Once it fills the context window it is compacted before
 * the next request, and, once a run, if the provider says that a request does not fit.
 */
export function createHistory(options: Options) {
	const {model, compaction} = options;
	const state: State = {
		messages: [...options.messages],
		window: createContextWindow(compaction?.usedTokens ?? 0, compaction?.share),
		unanswered: [],
		hasOverflowed: false,
		isStuck: false,
		sent: options.sentBefore ?? 0,
	};
	const {messages, window} = state;

	return {
		/** Compacts the conversation because the user asked. */
		compact: (guidance: string | undefined) => compactNow(state, options, 'user', guidance),
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
			if (window.isFull(size) && !state.isStuck) {
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

/** Returns true if there is something to compact. */
function isLong({messages, unanswered}: State): boolean {
	return messages.length - unanswered.length > 1;
}

async function* compactNow(
	state: State,
	options: Options,
	cause: CompactionCause,
	guidance?: string,
): AsyncGenerator<AgentEvent> {
	const {messages, window, unanswered: carried} = state;
	const pinned = options.compaction?.pinned() ?? [];
	const before = messages.slice(0, messages.length - carried.length);
	const usedTokens = window.used();
	const {onPiece: _, ...rest} = options;
	const sentBefore = state.sent;
	const context = {carried, messages: before, pinned, usedTokens, sentBefore};
	const shorter = yield* compact({...rest, ...context, cause, guidance});
	messages.splice(0, messages.length, ...shorter.messages);
	window.reset(shorter.usedTokens);
}

/** Asks the model, and once more after a compaction if the provider says that the request does not fit. */
async function* ask(state: State, options: Options): AsyncGenerator<AgentEvent, ModelTurn> {
	try {
		return yield* countedTurn(state, options);
	} catch (error) {
		const overflow = error instanceof AppError && error.overflow;
		if (!overflow || state.hasOverflowed || !options.compaction || !isLong(state)) {
			throw error;
		}
	}

	state.hasOverflowed = true;
	yield overflowNotice;
	yield* compactNow(state, options, 'overflow');
	return yield* countedTurn(state, options);
}

function countedTurn(state: State, options: Options): AsyncGenerator<AgentEvent, ModelTurn> {
	const {messages, window, sent: sentBefore} = state;
	state.sent = messages.length;
	return mapEvents(takeTurn([...messages], {...options, sentBefore}), event => {
		if (event.type === 'usage') {
			window.afterUsage(event);
		}

		return event;
	});
}

const overflowNotice: AgentEvent = {
	type: 'notice',
	level: 'info',
	text: 'The conversation no longer fits into the context window. Compacting it…',
};
