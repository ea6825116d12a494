import type {Json} from '../core/json.ts';
import type {ProviderName} from '../core/model.ts';
import type {ImageType} from '../core/session/event.ts';
import type {AssistantPart, Message} from '../core/session/message.ts';

type Assistant = Extract<Message, {role: 'assistant'}>;

/** Returns what the vendor wants back with this part; undefined if another vendor or wire format made it. */
export function opaqueOf(
	part: AssistantPart,
	message: Assistant,
	format: string,
	provider: ProviderName,
): Json | undefined {
	const own = part.opaque?.wire === format && message.model.startsWith(`${provider}/`);
	return own ? part.opaque.data : undefined;
}

/** Returns the text of a result for a wire format that can't mark a failed one. */
export function resultText({output, failed}: Extract<Message, {role: 'tool'}>): string {
	return failed && !/^error\b/i.test(output) ? `Error: ${output}` : output;
}

/** An image of a message, in base64. */
export type SentImage = {readonly type: ImageType; readonly data: string};

/** Returns the images of a message that are sent. */
export function imagesOf({images = []}: Extract<Message, {role: 'tool' | 'user'}>): readonly SentImage[] {
	return images.flatMap(({type, data}) => (data === undefined ? [] : [{type, data}]));
}

/** Returns an image as a URL that holds it. */
export function dataUrl({type, data}: SentImage): string {
	return `data:${type};base64,${data}`;
}

/** Drops reasoning at the end, as an interrupted answer leaves it: vendors refuse reasoning that nothing follows. */
export function withoutTail<Item>(items: readonly Item[], isReasoning: (item: Item) => boolean): readonly Item[] {
	return items.slice(0, items.findLastIndex(item => !isReasoning(item)) + 1);
}
