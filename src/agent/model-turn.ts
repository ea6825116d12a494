import {AppError} from '../core/error.ts';
import {brokenOff} from '../core/session/block.ts';
import type {AgentEvent, StopReason} from '../core/session/event.ts';
import type {AssistantPart, Message} from '../core/session/message.ts';
import type {ToolDefinition} from '../core/session/tool.ts';
import type {TokenUsage} from '../core/session/usage.ts';
import {assertRoomForCall} from '../providers/calls.ts';
import type {FinishReason, ModelCall, ProviderEvent} from '../providers/provider.ts';
import type {Retry} from './model-retry.ts';
import {goOn, openAnswer} from './open-answer.ts';
import {estimateUsage} from './usage-estimate.ts';

export type ToolCall = Omit<Extract<ProviderEvent, {type: 'tool-call'}>, 'type'>;

type Finish = Extract<ProviderEvent, {type: 'finish'}>;

/** One message of the model, as the next request carries it. */
export type ModelTurn = {
	readonly parts: readonly AssistantPart[];
	readonly calls: readonly ToolCall[];
	readonly stopReason: StopReason;
	/** Why the answer is not whole, where the vendor says more than that. */
	readonly why?: string;
};

type Options = {
	/** `provider/model-name`. */
	readonly model: string;
	readonly ask: ModelCall;
	/** What the model may call; counted where the provider does not count. */
	readonly tools?: readonly ToolDefinition[];
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
	other: 'incomplete',
} as const satisfies Record<FinishReason, StopReason>;

/**
 * Calls the model once and passes on what it says. Throws `AppError` `incomplete` where the link broke or ended after
 * something was shown, and where the answer ended for a reason that is unknown; the error of the call as it is where
 * nothing was shown (then it was also retried) and where the host itself reported one.
 */
export async function* takeTurn(messages: readonly Message[], options: Options): AsyncGenerator<AgentEvent, ModelTurn> {
	const answer = createAnswer(messages, options);
	try {
		for await (const event of yield* openAnswer(messages, options)) {
			yield* answer.take(event);
		}
	} catch (error) {
		yield* answer.estimate();
		throw error;
	}

	const {finish, parts, calls} = answer.taken();
	if (!finish) {
		yield* answer.estimate();
		throw new AppError('incomplete', brokenOff, {hint: goOn});
	}

	assertKnownEnd(finish);
	const stopReason = stopReasons[finish.reason];
	const isAnswered = calls.length > 0 || parts.some(part => part.type === 'text' && part.text.trim());
	if (!isAnswered && stopReason !== 'refusal') {
		yield emptyAnswer;
	}

	const why = finish.message ?? (finish.word && `The answer was filtered (${finish.word}).`);
	return {
		parts,
		calls,
		stopReason: calls.length > 0 && stopReason === 'end_turn' ? 'tool_use' : stopReason,
		...(why && stopReason !== 'end_turn' && {why}),
	};
}

/** Collects one message of the model, and tells its events under the id of that message. */
function createAnswer(messages: readonly Message[], {model, newId, tools = []}: Options) {
	const messageId = newId();
	const parts: AssistantPart[] = [];
	const calls: ToolCall[] = [];
	const used = new Set(messages.map(message => (message.role === 'tool' ? message.callId : '')));
	let finish: Finish | undefined;
	let spoken: {readonly type: string; readonly id: string} | undefined;
	let usage: TokenUsage | undefined;

	const speak = (event: Extract<ProviderEvent, {type: 'text-delta' | 'reasoning-delta'}>): readonly AgentEvent[] => {
		const {type, id, text, opaque} = event;
		if (!text && !opaque) {
			return [];
		}

		const previous = spoken?.type === type && spoken.id === id ? parts.pop() : undefined;
		const begun = previous && previous.type !== 'tool-call' ? previous : undefined;
		const kind = type === 'text-delta' ? 'text' : 'reasoning';
		parts.push({...begun, type: kind, text: (begun?.text ?? '') + text, ...(opaque && {opaque})});
		spoken = event;
		return [{...event, messageId}];
	};

	const call = (event: Extract<ProviderEvent, {type: 'tool-call'}>): readonly AgentEvent[] => {
		assertRoomForCall(calls.length);
		// Some hosts give no id, or the same one to every call; results are joined by it, so it has to be its own.
		const id = event.id && !used.has(event.id) ? event.id : newId();
		used.add(id);
		const {type, malformed, ...part} = {...event, id};
		parts.push({type, ...part});
		calls.push({...part, ...(malformed !== undefined && {malformed})});
		spoken = undefined;
		return [{...event, id, messageId}];
	};

	return {
		take(event: ProviderEvent): readonly AgentEvent[] {
			switch (event.type) {
				case 'text-delta':
				case 'reasoning-delta':
					return speak(event);
				case 'tool-call':
					return call(event);
				case 'notice':
					return [event];
				case 'usage':
					usage = event.usage;
					return [{type: 'usage', messageId, model, usage}];
				case 'finish':
					finish = event;
					return [];
				default:
					return event satisfies never;
			}
		},
		/** What a broken answer used counts too, though nobody has told it. */
		estimate(): readonly AgentEvent[] {
			const estimated = estimateUsage({messages, tools}, parts, usage);
			return estimated ? [{type: 'usage', messageId, model, usage: estimated}] : [];
		},
		taken: () => ({finish, parts, calls}),
	};
}

const emptyAnswer: AgentEvent = {
	type: 'notice',
	level: 'warning',
	text: 'The model gave an empty answer.',
	hint: 'Ask again, or choose another model.',
};

/** Throws `AppError` for an end that is an error, and for one whose meaning nobody here knows (SAFETY 22). */
function assertKnownEnd({reason, message, word}: Finish): void {
	if (reason === 'error') {
		const text =
			message ?? `The provider ended the answer with an error${word && word !== 'error' ? ` (${word})` : ''}.`;
		throw new AppError('provider', text, {hint: 'Try again.'});
	}

	if (reason === 'other') {
		const text =
			message ??
			`The answer ended ${word ? `with “${word}”, an unknown reason` : 'for an unknown reason'}. It may be incomplete.`;
		throw new AppError('incomplete', text, {hint: goOn});
	}
}
