import {AppError} from '../core/error.ts';
import type {AgentEvent} from '../core/session/event.ts';
import type {Message} from '../core/session/message.ts';
import type {ModelCall, ProviderEvent} from '../providers/provider.ts';
import {createChannel} from './channel.ts';
import {createModelRetry, type Retry} from './model-retry.ts';

type Options = {readonly ask: ModelCall; readonly signal: AbortSignal; readonly retry?: Retry};

/** What to do about an incomplete answer. */
export const continueHint = 'Ask the model to continue.';

/** The user is told about longer waits (SAFETY 21). */
const maxSilentWaitMs = 2000;

/** Opens the answer. Retries until the first event that is shown has come (SAFETY 23). */
export async function* openAnswer(
	messages: readonly Message[],
	{ask, signal, retry = createModelRetry()}: Options,
): AsyncGenerator<AgentEvent, AsyncGenerator<ProviderEvent>> {
	const waits = createChannel<AgentEvent>();
	const attempt = async () => {
		const rest = untilAbort(ask(messages, signal), signal);
		const head: ProviderEvent[] = [];
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
function isShown(event: ProviderEvent): boolean {
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

type Opened = {readonly head: readonly ProviderEvent[]; readonly rest: AsyncGenerator<ProviderEvent>};

/** Yields the whole answer. Throws `AppError("incomplete")` if the connection breaks, because part of it was shown. */
async function* answerOf({head, rest}: Opened): AsyncGenerator<ProviderEvent> {
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
