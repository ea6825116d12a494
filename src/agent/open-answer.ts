import {AppError} from '../core/error.ts';
import type {CallPiece, PiecesDropped} from '../core/session/call-draft.ts';
import type {AgentEvent} from '../core/session/event.ts';
import type {Message} from '../core/session/message.ts';
import type {TokenUsage} from '../core/session/usage.ts';
import {maxAttempts} from '../net/retry.ts';
import type {ModelCall, ModelEvent, PlainRequest, ProviderEvent} from '../providers/provider.ts';
import {createChannel} from './channel.ts';
import type {Ledger, RequestFacts} from './ledger-entry.ts';
import {createModelRetry, type Retry} from './model-retry.ts';

/** Shows a piece of a call that is being written. */
export type OnPiece = (piece: CallPiece | PiecesDropped) => void;

type Options = {
	readonly ask: ModelCall;
	/** `provider/model-name`. */
	readonly model: string;
	readonly signal: AbortSignal;
	readonly retry?: Retry;
	readonly onPiece?: OnPiece;
	readonly newId: () => string;
	/** Left out for a request of the conversation. */
	readonly plain?: PlainRequest;
};

/** An event of an answer without the pieces of calls, which are only drawn. */
export type AnswerEvent = Exclude<ProviderEvent, {type: 'tool-call-delta'}>;

/** What to do about an incomplete answer. */
export const continueHint = 'Ask the model to continue.';

/** The user is told about longer waits (SAFETY 21), and about every one after the first retry. */
const maxSilentWaitMs = 2000;

/** An answer that ended before anything was shown. It costs little to ask again, and the next answer often has a text. */
class EmptyAnswerError extends AppError {
	readonly opened: Opened;

	constructor(opened: Opened) {
		super('provider', 'The model gave an empty answer.', {temporary: true});
		this.opened = opened;
	}
}

/** Returns the error for an answer that its provider ended with one, such as a call that it could not read. */
export function endedWithError({message, vendorReason}: Extract<ProviderEvent, {type: 'finish'}>): AppError {
	const code = vendorReason && vendorReason !== 'error' ? ` (${vendorReason})` : '';
	return new AppError('provider', message ?? `The provider ended the answer with an error${code}.`, {
		hint: 'Try again.',
		temporary: true,
	});
}

/** An answer that has begun, and the request that it is for. */
type OpenAnswer = {readonly events: AsyncGenerator<AnswerEvent>; readonly facts: RequestFacts};

/**
 * Opens the answer. Retries until the first event that is shown has come (SAFETY 23). What the vendor reported for an
 * attempt that failed is in the ledger as a request of its own. If each attempt was empty, that is the answer.
 */
export async function* openAnswer(
	messages: readonly Message[],
	{ask, model, signal, retry = createModelRetry(), onPiece = () => undefined, newId, plain}: Options,
	ledger: Ledger,
): AsyncGenerator<AgentEvent, OpenAnswer> {
	const waits = createChannel<AgentEvent>();
	let attempts = 0;
	const attempt = () => {
		// The pieces of an earlier attempt never become a call.
		onPiece({type: 'pieces-dropped'});
		attempts += 1;
		return beginAnswer(ask(messages, signal, plain), {
			signal,
			onPiece,
			onEvent: waits.push,
			isRetry: attempts > 1,
			ledger,
			newId,
		});
	};
	let isStarting = false;
	const onWait = (waitMs: number, error: unknown, attempt: number) => {
		if (error instanceof AppError && error.starting) {
			if (!isStarting) {
				waits.push({type: 'notice', level: 'info', text: `${error.message} Waiting for it…`});
			}

			isStarting = true;
		} else if (waitMs > maxSilentWaitMs || attempt > 2) {
			const why = error instanceof AppError ? error.message : 'The provider did not answer.';
			// A message that ends with the vendor's text may lack its full stop.
			const count = `attempt ${attempt}/${maxAttempts}`;
			const text = `${why.replace(/([^.!?…])$/, '$1.')} Retrying in ${Math.ceil(waitMs / 1000)} s (${count}).`;
			waits.push({type: 'notice', level: 'info', text, waitMs});
		}
	};

	const stopWatching = isLocalModel(model) ? watchSilence(waits.push) : () => undefined;
	const opening = retry(attempt, {signal, onWait}).catch((error: unknown) => {
		if (error instanceof EmptyAnswerError) {
			return error.opened;
		}

		throw error;
	});
	opening.finally(stopWatching).then(
		() => waits.end(),
		(error: unknown) => waits.end({error}),
	);
	yield* waits;
	const opened = await opening;
	return {events: answerOf(opened), facts: opened.facts};
}

/** After this silence of a local host the user is told what it probably does. */
const slowStartMs = 15_000;

/** True for a model of a program that users run themselves, which loads it with the first request. */
export function isLocalModel(model: string): boolean {
	return /^(?:ollama|lmstudio|custom)\//.test(model);
}

/** Notifies the user once if nothing comes for long. Returns a function that stops that. */
function watchSilence(tell: (event: AgentEvent) => void): () => void {
	const text = 'No answer yet: the host may be loading the model, or reading a long prompt.';
	const timer = setTimeout(() => tell({type: 'notice', level: 'info', text}), slowStartMs);
	timer.unref();
	return () => clearTimeout(timer);
}

type Attempt = {
	readonly signal: AbortSignal;
	readonly onPiece: OnPiece;
	/** Gets what is recorded at once, because the next attempt doesn't repeat it. */
	readonly onEvent: (event: AgentEvent) => void;
	readonly isRetry: boolean;
	readonly ledger: Ledger;
	readonly newId: () => string;
};

/**
 * Reads an answer up to the first event that is shown. Throws what its request does, and a temporary error for an answer
 * that ends empty, or with an error, before that.
 */
async function beginAnswer(events: AsyncGenerator<ModelEvent>, attempt: Attempt): Promise<Opened> {
	const {signal, onPiece, onEvent, isRetry, ledger, newId} = attempt;
	let facts: RequestFacts = {isRetry, beginning: undefined};
	const rest = untilAbort(events, signal, {
		onPiece,
		onRequest(beginning) {
			facts = {...facts, beginning};
		},
	});
	const head: AnswerEvent[] = [];
	try {
		for (let next = await rest.next(); !next.done; next = await rest.next()) {
			if (next.value.type === 'notice') {
				onEvent(next.value);
				continue;
			}

			head.push(next.value);
			if (next.value.type === 'finish') {
				assertAnswered(next.value, {head: [next.value], rest, facts});
			}

			if (isShown(next.value)) {
				break;
			}
		}
	} catch (error) {
		const usage = lastUsage(head);
		if (usage) {
			onEvent(await ledger(newId(), usage, facts));
		}

		throw error;
	}

	return {head, rest, facts};
}

/** Throws if an answer of which nothing was shown ended as if it were complete, or with an error. */
function assertAnswered(finish: Extract<ProviderEvent, {type: 'finish'}>, opened: Opened): void {
	if (finish.reason === 'error') {
		throw endedWithError(finish);
	}

	if (finish.reason === 'stop' || finish.reason === 'tool-calls') {
		throw new EmptyAnswerError(opened);
	}
}

function lastUsage(events: readonly AnswerEvent[]): TokenUsage | undefined {
	const last = events.findLast(({type}) => type === 'usage');
	return last?.type === 'usage' ? last.usage : undefined;
}

/** True if the user sees the event. Signatures and counts can still be discarded. */
function isShown(event: AnswerEvent): boolean {
	switch (event.type) {
		case 'text-delta':
		case 'reasoning-delta':
			return event.text.trim() !== '';
		case 'usage':
			return false;
		default:
			return true;
	}
}

type Opened = {
	readonly head: readonly AnswerEvent[];
	readonly rest: AsyncGenerator<AnswerEvent>;
	readonly facts: RequestFacts;
};

/** Yields the whole answer. Throws `AppError("incomplete")` if the connection breaks, because part of it was shown. */
async function* answerOf({head, rest}: Opened): AsyncGenerator<AnswerEvent> {
	try {
		yield* head;
		yield* rest;
	} catch (error) {
		const broken = error instanceof AppError && error.code === 'network';
		throw broken ? new AppError('incomplete', error.message, {hint: continueHint, cause: error}) : error;
	} finally {
		await rest.return(undefined);
	}
}

type Listeners = {
	readonly onPiece: OnPiece;
	readonly onRequest: (beginning: NonNullable<RequestFacts['beginning']>) => void;
};

/**
 * Yields an answer without what its request begins with and without the pieces of its calls, which go to the listeners.
 * Once the signal aborts it throws its reason, even if the source of the events ignores it.
 */
async function* untilAbort(
	events: AsyncGenerator<ModelEvent>,
	signal: AbortSignal,
	listeners: Listeners,
): AsyncGenerator<AnswerEvent> {
	// One listener for the whole answer: adding one for each token would cost more than reading it.
	let interrupt: (reason: unknown) => void = () => {};
	const onAbort = () => interrupt(signal.reason);
	signal.addEventListener('abort', onAbort, {once: true});
	try {
		for (;;) {
			const next = await new Promise<IteratorResult<ModelEvent>>((resolve, reject) => {
				interrupt = reject;
				events.next().then(resolve, reject);
				if (signal.aborted) {
					onAbort();
				}
			});
			if (next.done) {
				return;
			}

			const event = next.value;
			if (event.type === 'tool-call-delta') {
				const {id, name, text} = event;
				listeners.onPiece({type: 'call-piece', id, name, text});
			} else if (event.type === 'request') {
				listeners.onRequest(event);
			} else {
				yield event;
			}
		}
	} finally {
		signal.removeEventListener('abort', onAbort);
		// Not awaited: a generator that hangs would delay the end of the run.
		events.return(undefined).catch(() => undefined);
	}
}
