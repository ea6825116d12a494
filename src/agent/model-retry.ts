import {AppError} from '../core/error.ts';
import type {CallPiece, PiecesDropped} from '../core/session/call-draft.ts';
import type {AgentEvent} from '../core/session/event.ts';
import type {Message} from '../core/session/message.ts';
import type {TokenUsage} from '../core/session/usage.ts';
import {maxAttempts, type RetryClock, systemClock, withRetry} from '../net/retry.ts';
import type {AskModel, ModelEvent, PlainRequest, ProviderEvent} from '../providers/provider.ts';
import {createChannel} from './channel.ts';
import type {Ledger, RequestFacts} from './request-usage.ts';

type OnWait = (waitMs: number, error: unknown, attempt: number) => void;

/**
 * Repeats an attempt after failures that may pass. Calls `onWait` before each wait, with its length and reason, and the
 * number of the attempt that follows.
 */
export type Retry = <Value>(
	attempt: () => Promise<Value>,
	hooks: {readonly signal: AbortSignal; readonly onWait: OnWait},
) => Promise<Value>;

/**
 * A host that was silent for longer has probably worked, and would be asked to work, and to bill, once more. So the
 * longest silence of one request is also that of all its attempts.
 */
const maxElapsedMs = 300_000;

/** Creates the retry of SAFETY 23. */
export function createModelRetry(clock: RetryClock = systemClock): Retry {
	return (attempt, hooks) => withRetry(() => attempt(), {...hooks, clock, isRetryable, maxElapsedMs});
}

/** True if the host couldn't be reached or is unavailable, or if its refusal is temporary. */
function isRetryable(error: unknown): boolean {
	return (
		error instanceof AppError &&
		(error.code === 'network' ||
			error.starting ||
			(error.code === 'provider' && (error.temporary || error.retryAfter !== undefined)))
	);
}

/** Shows a piece of a call that is being written. */
export type OnPiece = (piece: CallPiece | PiecesDropped) => void;

/** An event of an answer without the pieces of calls, which are only drawn. */
export type AnswerEvent = Exclude<ProviderEvent, {type: 'tool-call-delta'}>;

/** An answer that has begun. Its reader closes it, however it ends. */
export type OpenAnswer = {
	readonly facts: RequestFacts;
	/**
	 * Returns the next event; undefined once the answer has ended. Throws `AppError("incomplete")` if the connection breaks,
	 * because part of it was shown.
	 */
	readonly next: () => Promise<AnswerEvent | undefined>;
	readonly close: () => void;
};

/** An answer that is being opened. */
type Opening = {
	/** What is recorded meanwhile: why the user waits, and the usage of attempts that failed. Fails as the opening does. */
	readonly events: AsyncIterable<AgentEvent>;
	readonly answer: Promise<OpenAnswer>;
};

type Options = {
	readonly requests: {
		readonly ask: AskModel;
		/** `provider/model-name`. */
		readonly model: string;
		readonly retry?: Retry | undefined;
		readonly onPiece?: OnPiece | undefined;
	};
	readonly signal: AbortSignal;
	readonly newId: () => string;
	/** Left out for a request of the conversation. */
	readonly plain?: PlainRequest | undefined;
};

/**
 * Opens an answer. Retries until the first event that is shown has come (SAFETY 23). What the vendor reported for an
 * attempt that failed is in the ledger as a request of its own. If each attempt was empty, that is the answer.
 */
export function openAnswer(messages: readonly Message[], options: Options, ledger: Ledger): Opening {
	const {requests, signal, newId, plain} = options;
	const {ask, model, retry = createModelRetry(), onPiece = () => undefined} = requests;
	const events = createChannel<AgentEvent>();
	let attempts = 0;
	const attempt = () => {
		// The pieces of an earlier attempt never become a call.
		onPiece({type: 'pieces-dropped'});
		attempts += 1;
		return beginAnswer(() => ask(messages, signal, plain), {
			signal,
			onPiece,
			onEvent: events.push,
			isRetry: attempts > 1,
			ledger,
			newId,
		});
	};
	let isStarting = false;
	const onWait = (waitMs: number, error: unknown, attempt: number) => {
		if (error instanceof AppError && error.starting) {
			if (!isStarting) {
				events.push({type: 'notice', level: 'info', text: `${error.message} Waiting for it…`});
			}

			isStarting = true;
		} else if (waitMs > maxSilentWaitMs || attempt > 2) {
			const why = error instanceof AppError ? error.message : 'The provider did not answer.';
			// A message that ends with the vendor's text may lack its full stop.
			const count = `attempt ${attempt}/${maxAttempts}`;
			const text = `${why.replace(/([^.!?…])$/, '$1.')} Retrying in ${Math.ceil(waitMs / 1000)} s (${count}).`;
			events.push({type: 'notice', level: 'info', text, waitMs});
		}
	};

	const stopWatching = isLocalModel(model) ? watchSilence(events.push) : () => undefined;
	const answer = retry(attempt, {signal, onWait}).catch((error: unknown) => {
		if (error instanceof EmptyAnswerError) {
			return error.answer;
		}

		throw error;
	});
	answer.finally(stopWatching).then(
		() => events.end(),
		(error: unknown) => events.end({error}),
	);
	return {events, answer};
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
 * that ends empty, with an error or without an end, before that.
 */
async function beginAnswer(
	ask: () => ReturnType<AskModel>,
	{signal, onPiece, onEvent, isRetry, ledger, newId}: Attempt,
): Promise<OpenAnswer> {
	let facts: RequestFacts = {isRetry, beginning: undefined};
	const source = readUntilAbort(ask(), signal, event => {
		if (event.type === 'tool-call-delta') {
			const {id, name, text} = event;
			onPiece({type: 'call-piece', id, name, text});
			return undefined;
		}

		if (event.type === 'request') {
			facts = {...facts, beginning: event};
			return undefined;
		}

		return event;
	});
	const openedWith = (head: AnswerEvent[]): OpenAnswer => ({
		facts,
		next() {
			const event = head.shift();
			return event ? Promise.resolve(event) : source.next().catch(throwCutOff);
		},
		close: source.close,
	});
	const head: AnswerEvent[] = [];
	try {
		for (let event = await source.next(); event; event = await source.next()) {
			if (event.type === 'notice') {
				onEvent(event);
				continue;
			}

			head.push(event);
			if (event.type === 'finish') {
				assertAnswered(event, openedWith([event]));
			}

			if (isShown(event)) {
				return openedWith(head);
			}
		}

		throw new EmptyAnswerError('The connection closed before the model answered.', openedWith([]));
	} catch (error) {
		const usage = lastUsage(head);
		if (usage) {
			onEvent(await ledger(newId(), usage, facts));
		}

		throw error;
	}
}

/** Throws if an answer of which nothing was shown ended as if it were complete, or with an error. */
function assertAnswered(finish: Extract<ProviderEvent, {type: 'finish'}>, opened: OpenAnswer): void {
	if (finish.reason === 'error') {
		throw endedWithError(finish);
	}

	if (finish.reason === 'stop' || finish.reason === 'tool-calls') {
		throw new EmptyAnswerError('The model gave an empty answer.', opened);
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

/** Throws what reading an answer threw: one that the user has seen the beginning of is incomplete without its rest. */
function throwCutOff(error: unknown): never {
	const isCut = error instanceof AppError && error.code === 'network';
	throw isCut ? new AppError('incomplete', error.message, {hint: continueHint, cause: error}) : error;
}

/**
 * Reads events as `pass` returns them, without those that it drops. Once the signal aborts, `next` throws its reason, even if
 * the source of the events ignores it. It returns undefined at their end.
 */
function readUntilAbort(
	asked: ReturnType<AskModel>,
	signal: AbortSignal,
	pass: (event: ModelEvent) => AnswerEvent | undefined,
) {
	// One listener for the whole answer: adding one for each token would cost more than reading it.
	let interrupt: (reason: unknown) => void = () => {};
	const onAbort = () => interrupt(signal.reason);
	signal.addEventListener('abort', onAbort, {once: true});
	const orAborted = <Value>(start: () => Promise<Value>) =>
		new Promise<Value>((resolve, reject) => {
			interrupt = reject;
			start().then(resolve, reject);
			if (signal.aborted) {
				onAbort();
			}
		});
	const close = () => {
		signal.removeEventListener('abort', onAbort);
		// Not awaited: a generator that hangs would delay the end of the run.
		Promise.resolve(asked)
			.then(events => events.return(undefined))
			.catch(() => undefined);
	};

	let events = asked instanceof Promise ? undefined : asked;
	const next = async (): Promise<AnswerEvent | undefined> => {
		try {
			events ??= await orAborted(async () => asked);
			const source = events;
			for (;;) {
				const {done, value} = await orAborted(() => source.next());
				const event = done ? undefined : pass(value);
				if (event) {
					return event;
				}

				if (done) {
					close();
					return undefined;
				}
			}
		} catch (error) {
			close();
			throw error;
		}
	};
	return {next, close};
}

/** What to do about an incomplete answer. */
export const continueHint = 'Ask the model to continue.';

/** The user is told about longer waits (SAFETY 21), and about every one after the first retry. */
const maxSilentWaitMs = 2000;

/** An answer that ended before anything was shown. It costs little to ask again, and the next answer often has a text. */
class EmptyAnswerError extends AppError {
	readonly answer: OpenAnswer;

	constructor(message: string, answer: OpenAnswer) {
		super('provider', message, {temporary: true});
		this.answer = answer;
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
