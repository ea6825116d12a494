import {abortable} from '../core/abortable.ts';
import {brokenOff} from '../core/block.ts';
import {AppError} from '../core/error.ts';
import type {AgentEvent, StopReason} from '../core/event.ts';
import type {AssistantPart, Message} from '../core/message.ts';
import {assertRoomForCall} from '../providers/calls.ts';
import type {FinishReason, ModelCall, ProviderEvent} from '../providers/provider.ts';
import {createChannel} from './channel.ts';
import {createModelRetry, type Retry} from './model-retry.ts';

export type ToolCall = Omit<Extract<ProviderEvent, {type: 'tool-call'}>, 'type'>;

/** One message of the model, as the next request carries it. */
export type ModelTurn = {
	readonly parts: readonly AssistantPart[];
	readonly calls: readonly ToolCall[];
	readonly stopReason: StopReason;
};

type Options = {
	/** `provider/model-name`. */
	readonly model: string;
	readonly ask: ModelCall;
	readonly newId: () => string;
	readonly signal: AbortSignal;
	readonly retry?: Retry;
};

const stopReasons = {
	stop: 'end_turn',
	length: 'max_tokens',
	'tool-calls': 'end_turn',
	'content-filter': 'refusal',
	error: 'error',
	other: 'end_turn',
} as const satisfies Record<FinishReason, StopReason>;

/** Waits longer than this many milliseconds are said (SAFETY 21). */
const silentWait = 2000;

/**
 * Calls the model once and passes on what it says. Throws `AppError` `incomplete` where the link broke or ended after
 * something was shown, the error of the call as it is where nothing was (then it was also retried) and where the host
 * itself reported one.
 */
export async function* takeTurn(messages: readonly Message[], options: Options): AsyncGenerator<AgentEvent, ModelTurn> {
	const {model, newId} = options;
	const messageId = newId();
	const parts: AssistantPart[] = [];
	const calls: ToolCall[] = [];
	const used = new Set(messages.map(message => (message.role === 'tool' ? message.callId : '')));
	let finish: Extract<ProviderEvent, {type: 'finish'}> | undefined;
	let spoken: {readonly type: string; readonly id: string} | undefined;

	for await (const event of yield* openAnswer(messages, options)) {
		switch (event.type) {
			case 'text-delta':
			case 'reasoning-delta': {
				const {type, id, text, opaque} = event;
				if (!text && !opaque) {
					break;
				}

				const previous = spoken?.type === type && spoken.id === id ? parts.pop() : undefined;
				const begun = previous && previous.type !== 'tool-call' ? previous : undefined;
				const kind = type === 'text-delta' ? 'text' : 'reasoning';
				parts.push({...begun, type: kind, text: (begun?.text ?? '') + text, ...(opaque && {opaque})});
				spoken = event;
				yield {...event, messageId};
				break;
			}
			case 'tool-call': {
				assertRoomForCall(calls.length);
				// Some hosts give no id, or the same one to every call; results are joined by it, so it has to be its own.
				const id = event.id && !used.has(event.id) ? event.id : newId();
				used.add(id);
				const {type, malformed, ...part} = {...event, id};
				parts.push({type, ...part});
				calls.push({...part, ...(malformed !== undefined && {malformed})});
				spoken = undefined;
				yield {...event, id, messageId};
				break;
			}
			case 'usage':
				yield {type: 'usage', messageId, model, usage: event.usage};
				break;
			case 'finish':
				finish = event;
				break;
			default:
				event satisfies never;
		}
	}

	if (!finish) {
		throw new AppError('incomplete', brokenOff, {hint: goOn});
	}

	if (finish.reason === 'error') {
		throw new AppError('provider', finish.message ?? 'The model’s host ended the answer with an error.', {
			hint: 'Try again.',
		});
	}

	const stopReason = stopReasons[finish.reason];
	const answered = calls.length > 0 || parts.some(part => part.type === 'text' && part.text.trim());
	yield* remark(finish.message, answered || stopReason === 'refusal');
	return {parts, calls, stopReason: calls.length > 0 && stopReason === 'end_turn' ? 'tool_use' : stopReason};
}

const goOn = 'Ask the model to go on.';

/** What the user is told beside the answer: the host's own words, or that there was no answer. */
function* remark(message: string | undefined, answered: boolean): Generator<AgentEvent> {
	if (message) {
		yield {type: 'notice', level: 'warning', text: message};
	} else if (!answered) {
		yield {
			type: 'notice',
			level: 'warning',
			text: 'The model gave an empty answer.',
			hint: 'Ask again, or choose another model.',
		};
	}
}

/** Opens the answer, again where that may help, until the first event that will be shown has come (SAFETY 23). */
async function* openAnswer(
	messages: readonly Message[],
	{ask, signal, retry = createModelRetry()}: Options,
): AsyncGenerator<AgentEvent, AsyncGenerator<ProviderEvent>> {
	const waits = createChannel<AgentEvent>();
	const attempt = async () => {
		const rest = heeding(ask(messages, signal), signal);
		const head: ProviderEvent[] = [];
		for (let next = await rest.next(); !next.done; next = await rest.next()) {
			head.push(next.value);
			if (next.value.type !== 'usage') {
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
