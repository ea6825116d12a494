import type {Json} from '../core/json.ts';
import type {ProviderName} from '../core/model.ts';
import type {AssistantPart, Message} from '../core/session/message.ts';

type Assistant = Extract<Message, {role: 'assistant'}>;

/** What the vendor wanted back with this part, if it was this very vendor and wire format; nobody else may read it. */
export function opaqueOf(
	part: AssistantPart,
	message: Assistant,
	wire: string,
	provider: ProviderName,
): Json | undefined {
	const own = part.opaque?.wire === wire && message.model.startsWith(`${provider}/`);
	return own ? part.opaque.data : undefined;
}

/** The text that a model reads of a result where the wire format has no mark for a failed one. */
export function resultText({output, failed}: Extract<Message, {role: 'tool'}>): string {
	return failed && !/^error\b/i.test(output) ? `Error: ${output}` : output;
}

/** Drops what stands at the end and cannot: vendors refuse reasoning that nothing follows, as an interrupted answer has it. */
export function withoutTail<Item>(items: readonly Item[], isReasoning: (item: Item) => boolean): readonly Item[] {
	return items.slice(0, items.findLastIndex(item => !isReasoning(item)) + 1);
}

/** Adds a path to that of a base URL. Queries are kept, of the base URL (`?api-version=` of Azure) and of the path. */
export function endpointUrl(baseUrl: string, path: string): string {
	const [base = '', baseQuery] = splitQuery(baseUrl);
	const [end = '', query] = splitQuery(path);
	const queries = [baseQuery, query].filter(Boolean).join('&');
	return base.replace(/\/+$/, '') + end + (queries && `?${queries}`);
}

function splitQuery(url: string): readonly [string, string] {
	const at = url.indexOf('?');
	return at < 0 ? [url, ''] : [url.slice(0, at), url.slice(at + 1)];
}
