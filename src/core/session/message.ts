import type {JsonObject} from '../json.ts';
import type {Opaque, ShownImage} from './event.ts';

/** A part of a model message, in the order in which the model wrote it. */
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

/** A message as sent to a model. Its `tool` message directly follows every tool call. */
export type Message =
	| {readonly role: 'user'; readonly text: string; readonly images?: readonly MessageImage[]}
	| {
			readonly role: 'assistant';
			/** `provider/model-name` of the author: opaque parts are sent back to no other provider. */
			readonly model: string;
			readonly parts: readonly AssistantPart[];
	  }
	| {
			readonly role: 'tool';
			readonly callId: string;
			readonly name: string;
			readonly output: string;
			readonly failed: boolean;
			readonly images?: readonly MessageImage[];
	  };

/** An image of a result, or an image or PDF of the user. Only one with `data`, its bytes in base64, is sent. */
export type MessageImage = ShownImage & {readonly data?: string};
