import {abortable} from '../core/abortable.ts';
import {AppError} from '../core/error.ts';
import type {AgentEvent} from '../core/session/event.ts';
import type {Message} from '../core/session/message.ts';
import type {ModelCall, ProviderEvent} from '../providers/provider.ts';
import {createChannel} from './channel.ts';
import {createModelRetry, type Retry} from './model-retry.ts';

type Options = {readonly ask: ModelCall; readonly signal: AbortSignal; readonly retry?: Retry};

/** What to do about an answer that is not whole. */
export const goOn = 'Ask the model to continue.';

/** Waits longer than this many milliseconds are said (SAFETY 21). */
const silentWait = 2000;

/** Opens the answer, again where that may help, until the first event that will be shown has come (SAFETY 23). */
export async function* openAnswer(
	messages: readonly Message[],
	{ask, signal, retry = createModelRetry()}: Options,
): AsyncGenerator<AgentEvent, AsyncGenerator<ProviderEvent>> {
	const waits = createChannel<AgentEvent>();
	const attempt = async () => {
		const rest = heeding(ask(messages, signal), signal);
		const head: ProviderEvent[] = [];
		for (let next = await rest.next(); !next.done; next = await rest.next()) {
			// Said at once, because what was left out of one try is left out of the next without a word.
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
	const onWait = (milliseconds: number, error: unknown) => {
		if (milliseconds > silentWait) {
			const why = error instanceof AppError ? error.message : 'The model’s host did not answer.';
			// A message that ends with the host's own words may lack its full stop.
			const text = `${why.replace(/([^.!?…])$/, '$1.')} Trying again in ${Math.round(milliseconds / 1000)} s.`;
			waits.push({type: 'notice', level: 'info', text});
		}
	};

	const opening = retry(attempt, {signal, onWait});
	opening.then(
		() => waits.end(),
		(error: unknown) => waits.end({error}),
	);
	yield* waits;
	return follow(await opening);
}

/** Whether the user sees anything of an event: a signature or a count can still be thrown away. */
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

type Answer = {readonly head: readonly ProviderEvent[]; readonly rest: AsyncGenerator<ProviderEvent>};

/** The whole answer, with a link that breaks after its first event told as what it is: an answer that is incomplete. */
async function* follow({head, rest}: Answer): AsyncGenerator<ProviderEvent> {
	try {
		yield* head;
		yield* rest;
	} catch (error) {
		const broken = error instanceof AppError && error.code === 'network';
		throw broken ? new AppError('incomplete', error.message, {hint: goOn, cause: error}) : error;
	} finally {
		await rest.return(undefined);
	}
}

/** Ends as soon as the signal says so, even where the far end does not listen to it. */
async function* heeding(events: AsyncGenerator<ProviderEvent>, signal: AbortSignal): AsyncGenerator<ProviderEvent> {
	try {
		for (;;) {
			const next = await abortable(events.next(), signal);
			if (next.done) {
				return;
			}

			yield next.value;
		}
	} finally {
		// Not awaited: a generator that hangs would hold up the end of the run.
		events.return(undefined).catch(() => undefined);
	}
}
