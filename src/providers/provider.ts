import type {Effort} from '../core/effort.ts';
import type {JsonObject} from '../core/json.ts';
import type {Opaque} from '../core/session/event.ts';
import type {Message} from '../core/session/message.ts';
import type {RequestEndpoint, RequestPrefix} from '../core/session/request-record.ts';
import type {ToolDefinition} from '../core/session/tool.ts';
import type {TokenUsage} from '../core/session/usage.ts';
import type {Transport} from '../net/transport.ts';

/** `written-call`: the answer ends with a call as text that can't be read as one. */
export type FinishReason = 'stop' | 'length' | 'tool-calls' | 'content-filter' | 'error' | 'other' | 'written-call';

/** An event of an answer, the same for all vendors. Deltas of one part share an `id`. */
export type ProviderEvent =
	| {readonly type: 'text-delta'; readonly id: string; readonly text: string; readonly opaque?: Opaque}
	/** Reasoning that may be shown; `text` is empty if there is only the `opaque` item. */
	| {readonly type: 'reasoning-delta'; readonly id: string; readonly text: string; readonly opaque?: Opaque}
	/**
	 * A piece of the arguments of a call that is still being written, or its beginning with an empty `text`. For drawing
	 * only. `id` is the same for all pieces of a call; the complete call has its own. Vendors that send calls whole have none.
	 */
	| {readonly type: 'tool-call-delta'; readonly id: string; readonly name: string; readonly text: string}
	/** A complete call, yielded once. */
	| {
			readonly type: 'tool-call';
			readonly id: string;
			readonly name: string;
			readonly arguments: JsonObject;
			/** The text of the arguments if it isn't a JSON object; `arguments` is then empty. */
			readonly malformed?: string;
			/** True for a call that the model wrote as text, because its host has no parser for it. */
			readonly written?: true;
			readonly opaque?: Opaque;
	  }
	/** The text with this `id` was reasoning: the tag that ends it had none that begins it. */
	| {readonly type: 'reclassify'; readonly id: string}
	/** A message for the user, such as a field that was left out. Comes before anything else. */
	| {readonly type: 'notice'; readonly level: 'info' | 'warning'; readonly text: string; readonly hint?: string}
	/** Usage of the whole message so far. May come several times; the last one counts. */
	| {readonly type: 'usage'; readonly usage: TokenUsage}
	/** The vendor's end mark. A stream without it is incomplete (SAFETY 22). */
	| {
			readonly type: 'finish';
			readonly reason: FinishReason;
			/** The vendor's explanation, a sentence. */
			readonly message?: string;
			/** The vendor's code for an unusual end without an explanation. */
			readonly vendorReason?: string;
	  };

export type ProviderRequest = {
	/** The vendor's name of the model, without `provider/`. */
	readonly model: string;
	/**
	 * As the vendor's own SDK reads it: up to `/v1` for OpenAI and compatible hosts, the origin for Anthropic and
	 * Google.
	 */
	readonly baseUrl: string;
	readonly system: string;
	readonly messages: readonly Message[];
	readonly tools: readonly ToolDefinition[];
	/** How much the model thinks; its own default if left out. */
	readonly effort?: Effort;
	/** Is the same for all requests of a conversation, and says nothing about it. */
	readonly cacheKey?: string;
	/** Most tokens of the answer; the adapter's default if left out. */
	readonly maxOutputTokens?: number;
	/** Sends a request with the credential for the origin of `baseUrl`. */
	readonly transport: Transport;
	readonly signal: AbortSignal;
};

/**
 * Sends one request to one model and yields its answer. Throws `AppError`: `auth` (401, 403), `not-found` (404),
 * `network` (no connection, a proxy's HTML), `provider` (any other refusal, with the vendor's message). A stream that
 * merely stops throws nothing.
 */
export type Provider = (request: ProviderRequest) => AsyncGenerator<ProviderEvent>;

/** What a request begins with, as hashes, and where it goes. Comes before its answer. */
export type RequestBeginning = {
	readonly type: 'request';
	/** Where the request goes. */
	readonly endpoint?: RequestEndpoint;
} & Omit<RequestPrefix, 'count' | 'messages' | 'earlier'>;

export type ModelEvent = ProviderEvent | RequestBeginning;

/** A request of its own beside the conversation: with another system prompt, and without tools. */
export type PlainRequest = {readonly system: string};

/** A provider bound to its model, host, key, instructions and tools, for the agent loop. Throws like `Provider`. */
export type ModelCall = (
	messages: readonly Message[],
	signal: AbortSignal,
	plain?: PlainRequest,
) => AsyncGenerator<ModelEvent>;

/** A call that may wait first, such as for the user's agreement to where it goes. A `ModelCall` is one that doesn't. */
export type AskModel = (...request: Parameters<ModelCall>) => ReturnType<ModelCall> | Promise<ReturnType<ModelCall>>;
