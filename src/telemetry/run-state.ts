import type {JsonObject} from '../core/json.ts';
import type {AgentEvent} from '../core/session/event.ts';
import type {PriceOf} from '../core/session/usage.ts';

export type EventOf<T extends AgentEvent['type']> = Extract<AgentEvent, {type: T}>;

export type SpanOptions = {
	/** The version of this program. */
	readonly version: string;
	/** Whether spans have prompts, answers, arguments and results; without it they have numbers and names alone. */
	readonly hasContent: boolean;
	/** Masks credentials in such texts (SAFETY 8). */
	readonly hide: (text: string) => string;
	readonly priceOf: PriceOf;
};

export type Call = {
	readonly id: string;
	readonly name: string;
	readonly arguments: JsonObject;
	/** When the model wrote it, in microseconds since 1970. */
	readonly us: number;
};

/** A request to the model, while its answer arrives. */
export type Chat = {
	/** The id of the answer; undefined if none arrived. */
	readonly id: string | undefined;
	/** `provider/model-name`. */
	readonly model: string;
	readonly startUs: number;
	endUs: number;
	/** The user's messages that it is the first to carry. */
	readonly users: readonly EventOf<'user-message'>[];
	readonly calls: Call[];
	text: string;
	/** True if the transcript shows a part of it: then it is a message of the session. */
	isMessage: boolean;
	/** What was reported of it last. */
	usage: EventOf<'usage'> | undefined;
};

/** How a request failed, or why its answer ended. */
export type Ending = {
	/** As OpenTelemetry's conventions name it. */
	readonly reason: string;
	readonly error?: {readonly type: string; readonly message: string};
};

/** Where the span of a run stands. */
export type Place = {
	readonly traceId: string;
	readonly spanId: string;
	/** The span of the call that started it, for a sub-agent. */
	readonly parentSpanId?: string;
};

/** A run as far as it was read. */
export type Run = {
	readonly id: string;
	readonly place: Place;
	/** The runs of its sub-agents, by the call that started each. */
	readonly tasks: Map<string, Run>;
	readonly session: string;
	readonly model: string;
	readonly startUs: number;
	/** When the next request can have begun: after the last thing that it had to wait for. */
	readyUs: number;
	/** The user's messages that no request carries yet. */
	users: EventOf<'user-message'>[];
	chat: Chat | undefined;
	/** Calls without a result. */
	readonly calls: Map<string, Call>;
	/** By message. */
	readonly usage: Map<string, EventOf<'usage'>>;
	compactions: number;
};

export function startedRun(
	{runId, model}: EventOf<'run-start'>,
	{session, us, place}: {readonly session: string; readonly us: number; readonly place: Place},
): Run {
	return {
		...{
			id: runId,
			place,
			tasks: new Map(),
			session,
			model,
			startUs: us,
			readyUs: us,
			users: [],
			chat: undefined,
			compactions: 0,
		},
		calls: new Map(),
		usage: new Map(),
	};
}

/** Returns a request that begins with what the user said since the last one. */
export function openedChat(run: Run, id: string | undefined, model: string): Chat {
	const {users, readyUs} = run;
	run.users = [];
	return {
		...{id, model, startUs: readyUs, endUs: readyUs, users, calls: [], text: '', isMessage: false},
		usage: undefined,
	};
}
