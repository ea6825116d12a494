import type {JsonObject} from '../json.ts';
import type {Opaque} from './event.ts';

/** A part of a model message, in the order in which the model wrote them. */
export type AssistantPart =
	| {readonly type: 'text'; readonly text: string; readonly opaque?: Opaque}
	| {readonly type: 'reasoning'; readonly text: string; readonly opaque?: Opaque}
	| {
			readonly type: 'tool-call';
			readonly id: string;
			readonly name: string;
			readonly arguments: JsonObject;
			readonly opaque?: Opaque;
	  };

/** A conversation as a model is given it. Every tool call is followed by its `tool` message before anything else. */
export type Message =
	| {readonly role: 'user'; readonly text: string}
	| {
			readonly role: 'assistant';
			/** `provider/model-name` of the model that wrote it: opaque parts go back to no other provider. */
			readonly model: string;
			readonly parts: readonly AssistantPart[];
	  }
	| {
			readonly role: 'tool';
			readonly callId: string;
			readonly name: string;
			readonly output: string;
			readonly failed: boolean;
	  };
