import {AppError} from '../core/error.ts';
import type {CallPiece, PiecesDropped} from '../core/session/call-draft.ts';
import type {AgentEvent} from '../core/session/event.ts';
import type {Message} from '../core/session/message.ts';
import type {ModelCall, ProviderEvent} from '../providers/provider.ts';
import {createChannel} from './channel.ts';
import {createModelRetry, type Retry} from './model-retry.ts';

/** Shows a piece of a call that is being written. */
export type OnPiece = (piece: CallPiece | PiecesDropped) => void;

type Options = {
	readonly ask: ModelCall;
	readonly signal: AbortSignal;
	readonly retry?: Retry;
	readonly onPiece?: OnPiece;
};

/** An event of an answer without the pieces of calls, which are only drawn. */
export type AnswerEvent = Exclude<ProviderEvent, {type: 'tool-call-delta'}>;

/** What to do about an incomplete answer. */
export const continueHint = 'Ask the model to continue.';

/** The user is told about longer waits (SAFETY 21). */
const maxSilentWaitMs = 2000;

/** Opens the answer. Retries until the first event that is shown has come (SAFETY 23). */
export async function* openAnswer(
	messages: readonly Message[],
	{ask, signal, retry = createModelRetry(), onPiece = () => undefined}: Options,
): AsyncGenerator<AgentEvent, AsyncGenerator<AnswerEvent>> {
	const waits = createChannel<AgentEvent>();
	const attempt = async () => {
		// The pieces of an earlier attempt never become a call.
		onPiece({type: 'pieces-dropped'});
		const rest = withoutPieces(untilAbort(ask(messages, signal), signal), onPiece);
		const head: AnswerEvent[] = [];
		for (let next = await rest.next(); !next.done; next = await rest.next()) {
			// Shown at once, because the next attempt doesn't repeat it.
			if (next.value.type === 'notice') {
				waits.push(next.value);
				continue;
			}

			head.push(next.value);
			if (isShown(next.value)) {
				break;
			}
		}

		return {head, rest};
	};
	const onWait = (waitMs: number, error: unknown) => {
		if (waitMs > maxSilentWaitMs) {
			const why = error instanceof AppError ? error.message : 'The provider did not answer.';
			// A message that ends with the vendor's text may lack its full stop.
			const text = `${why.replace(/([^.!?…])$/, '$1.')} Retrying in ${Math.round(waitMs / 1000)} s.`;
			waits.push({type: 'notice', level: 'info', text});
		}
	};

	const opening = retry(attempt, {signal, onWait});
	opening.then(
		() => waits.end(),
		(error: unknown) => waits.end({error}),
	);
	yield* waits;
	return answerOf(await opening);
}

/** True if the user sees the event. Signatures and counts can still be discarded. */
function isShown(event: AnswerEvent): boolean {
	switch (event.type) {
		case 'text-delta':
		case 'reasoning-delta':
			return event.text !== '';
		case 'usage':
			return false;
		default:
			return true;
	}
}

type Opened = {readonly head: readonly AnswerEvent[]; readonly rest: AsyncGenerator<AnswerEvent>};

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

/** Yields an answer without the pieces of its calls, which go to `onPiece`. */
async function* withoutPieces(events: AsyncGenerator<ProviderEvent>, onPiece: OnPiece): AsyncGenerator<AnswerEvent> {
	for await (const event of events) {
		if (event.type === 'tool-call-delta') {
			const {id, name, text} = event;
			onPiece({type: 'call-piece', id, name, text});
		} else {
			yield event;
		}
	}
}

/** Yields events until the signal aborts, then throws its reason, even if the source of the events ignores it. */
async function* untilAbort(events: AsyncGenerator<ProviderEvent>, signal: AbortSignal): AsyncGenerator<ProviderEvent> {
	// One listener for the whole answer: adding one for each token would cost more than reading it.
	let interrupt: (reason: unknown) => void = () => {};
	const onAbort = () => interrupt(signal.reason);
	signal.addEventListener('abort', onAbort, {once: true});
	try {
		for (;;) {
			const next = await new Promise<IteratorResult<ProviderEvent>>((resolve, reject) => {
				interrupt = reject;
				events.next().then(resolve, reject);
				if (signal.aborted) {
					onAbort();
				}
			});
			if (next.done) {
				return;
			}

			yield next.value;
		}
	} finally {
		signal.removeEventListener('abort', onAbort);
		// Not awaited: a generator that hangs would delay the end of the run.
		events.return(undefined).catch(() => undefined);
	}
}
