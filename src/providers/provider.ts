import type {JsonObject} from '../core/json.ts';
import type {Opaque} from '../core/session/event.ts';
import type {Message} from '../core/session/message.ts';
import type {ToolDefinition} from '../core/session/tool.ts';
import type {TokenUsage} from '../core/session/usage.ts';
import type {Transport} from '../net/transport.ts';

export type FinishReason = 'stop' | 'length' | 'tool-calls' | 'content-filter' | 'error' | 'other';

/** What a model says, in one vocabulary for all vendors. Parts that belong together share an `id`. */
export type ProviderEvent =
	| {readonly type: 'text-delta'; readonly id: string; readonly text: string; readonly opaque?: Opaque}
	/** Reasoning as far as it may be shown; `text` is empty where only the `opaque` item exists. */
	| {readonly type: 'reasoning-delta'; readonly id: string; readonly text: string; readonly opaque?: Opaque}
	/** One whole call; yielded once, when its arguments are complete. */
	| {
			readonly type: 'tool-call';
			readonly id: string;
			readonly name: string;
			readonly arguments: JsonObject;
			/** The arguments' text where it was no JSON object; `arguments` is then empty. */
			readonly malformed?: string;
			readonly opaque?: Opaque;
	  }
	/** What the user has to know of the request, such as a part of it that was left out. Comes before anything else. */
	| {readonly type: 'notice'; readonly level: 'info' | 'warning'; readonly text: string}
	/** Usage of the whole message so far. May come several times, the last one counts. */
	| {readonly type: 'usage'; readonly usage: TokenUsage}
	/** The vendor's own end mark was seen. A stream without it is incomplete (SAFETY 22). */
	| {
			readonly type: 'finish';
			readonly reason: FinishReason;
			/** Why, in the vendor's own sentence. */
			readonly message?: string;
			/** The vendor's word for an end that is neither usual nor explained by a sentence. */
			readonly word?: string;
	  };

export type ProviderRequest = {
	/** The vendor's name of the model, without `provider/`. */
	readonly model: string;
	/** As that vendor's own SDK reads it: up to `/v1` for OpenAI, Mistral, Groq and custom, the origin for the others. */
	readonly baseUrl: string;
	readonly system: string;
	readonly messages: readonly Message[];
	readonly tools: readonly ToolDefinition[];
	/** Most tokens that the answer may have; the adapter's own default otherwise. */
	readonly maxOutputTokens?: number;
	/** Sends a request with the credential of `baseUrl`'s origin attached. */
	readonly transport: Transport;
	readonly signal: AbortSignal;
};

/**
 * One request to one model. Throws `AppError`: `auth` (401, 403), `not-found` (404), `network` (no connection, a proxy's
 * HTML), `provider` (any other refusal, with the vendor's own message). Nothing is thrown for a stream that merely stops.
 */
export type Provider = (request: ProviderRequest) => AsyncGenerator<ProviderEvent>;

/** A provider bound to its model, host, key, instructions and tools: what the agent loop calls. Throws as `Provider`. */
export type ModelCall = (messages: readonly Message[], signal: AbortSignal) => AsyncGenerator<ProviderEvent>;
