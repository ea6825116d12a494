import {readFileSync} from 'node:fs';
import type {TransportRequest} from '../../src/net/transport.ts';
import type {Provider, ProviderEvent, ProviderRequest} from '../../src/providers/provider.ts';
import {registry} from '../../src/providers/registry.ts';

export type Answer = {
	readonly status?: number;
	readonly headers?: Readonly<Record<string, string>>;
	readonly body: string | Uint8Array | AsyncIterable<Uint8Array>;
};

/** Yields bytes in pieces of one size, or cut at each of the given offsets. */
export async function* inPieces(bytes: Uint8Array, cuts: number | readonly number[]): AsyncGenerator<Uint8Array> {
	const places = typeof cuts === 'number' ? steps(bytes.length, cuts) : cuts;
	let from = 0;
	for (const to of [...places, bytes.length]) {
		yield bytes.subarray(from, to);
		from = to;
	}
}

function steps(length: number, size: number): readonly number[] {
	return Array.from({length: Math.ceil(length / size) - 1}, (_, index) => (index + 1) * size);
}

/** Yields a text as vendors send it: event by event. */
async function* byEvent(text: string): AsyncGenerator<Uint8Array> {
	for (const event of text.match(/.+?(?:\n\n|\r\n\r\n|\r\r|$)/gs) ?? []) {
		yield new TextEncoder().encode(event);
	}
}

/** Creates a host that gives these answers in turn and records its requests. The events of a text arrive one by one. */
export function fakeHost(...answers: readonly Answer[]) {
	const requests: TransportRequest[] = [];
	const transport: ProviderRequest['transport'] = async request => {
		const {status = 200, headers = {}, body} = answers[requests.length] ?? answers.at(-1) ?? {body: ''};
		// The memory of a body is used again after its answer.
		requests.push({...request, ...(request.body !== undefined && {body: String(request.body)})});
		const bytes = body instanceof Uint8Array ? inPieces(body, []) : body;
		return {status, headers, body: typeof bytes === 'string' ? byEvent(bytes) : bytes};
	};
	return {transport, requests, bodyOf: (index: number) => JSON.parse(String(requests[index]?.body))};
}

/** Returns a request for an unknown model, with a short conversation. */
export function requestOf(
	transport: ProviderRequest['transport'],
	rest: Partial<ProviderRequest> = {},
): ProviderRequest {
	return {
		model: 'some-model',
		baseUrl: 'https://host.test',
		system: '',
		messages: [{role: 'user', text: 'Hello'}],
		tools: [],
		transport,
		signal: new AbortController().signal,
		...rest,
	};
}

/** Returns all events of a provider for a body, without the pieces of its calls. */
export async function eventsOf(provider: Provider, body: Answer['body']): Promise<readonly ProviderEvent[]> {
	const events = await collect(provider(requestOf(fakeHost({body}).transport)));
	return events.filter(({type}) => type !== 'tool-call-delta');
}

export async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
	const collected: Item[] = [];
	for await (const item of items) {
		collected.push(item);
	}

	return collected;
}

/** Returns the events before an error, and the error. */
export async function untilFailure(events: AsyncIterable<ProviderEvent>) {
	const seen: ProviderEvent[] = [];
	try {
		for await (const event of events) {
			seen.push(event);
		}
	} catch (error) {
		return {seen, error};
	}

	return {seen, error: undefined};
}

/** Replaces the ids that we generate, which differ in every run. */
export function withoutNewIds(events: readonly ProviderEvent[]): readonly ProviderEvent[] {
	return events.map(event =>
		event.type === 'tool-call' && /^call_[\da-f]{24}$/.test(event.id) ? {...event, id: 'new'} : event,
	);
}

/** Returns events with adjacent pieces of one text as one, and without a usage that a later one replaces. */
export function joined(events: readonly ProviderEvent[]): readonly ProviderEvent[] {
	const lastUsage = events.findLastIndex(({type}) => type === 'usage');
	const kept = events.filter(({type}, index) => type !== 'usage' || index === lastUsage);
	const all: ProviderEvent[] = [];
	for (const event of kept) {
		const last = all.at(-1);
		const isSame = last?.type === event.type && (event.type === 'text-delta' || event.type === 'reasoning-delta');
		if (isSame && 'text' in last && 'id' in last && last.id === event.id) {
			all[all.length - 1] = {...last, ...event, text: last.text + event.text};
		} else {
			all.push(event);
		}
	}

	return all;
}

/** Returns what the events of an answer add up to. */
export function summaryOf(events: readonly ProviderEvent[]) {
	const isReasoning = (id: string) => events.some(event => event.type === 'reclassify' && event.id === id);
	const join = (type: 'text-delta' | 'reasoning-delta') =>
		events
			.map(event => {
				const isDelta = event.type === 'text-delta' || event.type === 'reasoning-delta';
				const kind = isDelta && isReasoning(event.id) ? 'reasoning-delta' : event.type;
				return isDelta && kind === type ? event.text : '';
			})
			.join('');
	const usage = events.findLast(event => event.type === 'usage')?.usage;
	return {
		text: join('text-delta'),
		reasoning: join('reasoning-delta'),
		calls: events.flatMap(event => (event.type === 'tool-call' ? [event] : [])),
		finish: events.flatMap(event => (event.type === 'finish' ? [event.reason] : [])),
		usage,
	};
}

/** Returns the adapter for a wire format. Unnamed hosts of Chat Completions are custom ones. */
export async function adapterOf(format: string, host = 'custom'): Promise<Provider> {
	switch (format) {
		case 'anthropic':
			return registry.anthropic.load();
		case 'gemini':
			return registry.google.load();
		case 'openai-responses':
			return registry.openai.load();
		default:
			return registry[host === 'mistral' || host === 'groq' ? host : 'custom'].load();
	}
}

/** Returns a stream or body of `test/fixtures/providers`. */
export function fixture(name: string): string {
	return readFileSync(new URL(`../fixtures/providers/${name}`, import.meta.url), 'utf8');
}
