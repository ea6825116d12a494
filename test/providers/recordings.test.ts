import {describe, expect, test} from 'vitest';
import {AppError} from '../../src/core/error.ts';
import {createSseParser} from '../../src/providers/chunks.ts';
import type {Provider, ProviderEvent} from '../../src/providers/provider.ts';
import {createRandom, drawnSeed} from '../faults/fault.ts';
import {type Recording, recordings} from './recordings.ts';
import {
	adapterOf,
	eventsOf,
	fakeHost,
	inPieces,
	joined,
	requestOf,
	summaryOf,
	untilFailure,
	withoutNewIds,
} from './replay.ts';

const cases = recordings.map(recording => [recording.id, recording] as const);

const providerOf = ({wire, vendor}: Recording) => adapterOf(wire, vendor);

async function replay(provider: Provider, bytes: Uint8Array, cuts: number | readonly number[] = []) {
	return joined(withoutNewIds(await eventsOf(provider, inPieces(bytes, cuts))));
}

describe('a stream', () => {
	test.each(cases)('%s is read as its vendor means it', async (_, recording) => {
		const {text, reasoning, calls, finish, usage} = summaryOf(
			await eventsOf(await providerOf(recording), recording.bytes),
		);
		expect({
			text: text.trim(),
			reasoning: reasoning.trim(),
			tool_calls: calls.map(({name, arguments: args}) => ({name, arguments: args})),
			finish,
			usage: {
				input_tokens: usage?.input,
				cache_read_input_tokens: usage?.cacheRead,
				cache_creation_input_tokens: usage?.cacheWrite,
				output_tokens: usage?.output,
				reasoning_tokens: usage?.reasoning,
			},
		}).toEqual({
			text: recording.text.trim(),
			reasoning: recording.reasoning.trim(),
			tool_calls: recording.tool_calls,
			finish: [recording.finish],
			usage: recording.usage,
		});
		expect(new Set(calls.map(({id}) => id)).size).toBe(calls.length);
		expect(calls.map(({id}) => id)).not.toContain('');
	});

	test.each(cases)('%s has the same answer in pieces of any size', async (_, recording) => {
		const provider = await providerOf(recording);
		const whole = await replay(provider, recording.bytes);
		for (const size of [1, 3, 7]) {
			expect(await replay(provider, recording.bytes, size)).toEqual(whole);
		}
	});

	const small = cases.filter(([, {bytes}]) => bytes.length < 1200);
	test.each(small)(
		`%s has the same answer when cut in two at every fourth byte (seed ${drawnSeed})`,
		async (_, recording) => {
			const provider = await providerOf(recording);
			const whole = JSON.stringify(await replay(provider, recording.bytes));
			for (let cut = 1 + createRandom(drawnSeed).below(4); cut < recording.bytes.length; cut += 4) {
				expect(JSON.stringify(await replay(provider, recording.bytes, [cut]))).toBe(whole);
			}
		},
	);

	test.each(cases)('%s has the same answer with other line ends, a BOM and comments', async (_, recording) => {
		const provider = await providerOf(recording);
		const whole = await replay(provider, recording.bytes);
		const text = new TextDecoder().decode(recording.bytes).replaceAll('\r\n', '\n');
		const variants = [
			text.replaceAll('\n', '\r\n'),
			text.replaceAll('\n', '\r'),
			`\uFEFF${text}`,
			text.replaceAll('\n\n', '\n: still here\n\n:\n'),
			text.trimEnd(),
		];
		for (const variant of variants) {
			for (const size of [5, 4096]) {
				expect(await replay(provider, new TextEncoder().encode(variant), size)).toEqual(whole);
			}
		}
	});

	test.each(cases)('[22] %s ends with its end mark only', async (_, recording) => {
		const provider = await providerOf(recording);
		const parser = createSseParser();
		const messages = [...parser.feed(recording.bytes), ...parser.end()];
		const asText = messages.map(({event, data}) => `${event ? `event: ${event}\n` : ''}data: ${data}\n\n`);
		const end = messages.findIndex(({data}) => isEndMark(recording.wire, data));
		expect(end).toBeGreaterThanOrEqual(0);
		for (let count = 0; count < messages.length; count++) {
			const bytes = new TextEncoder().encode(asText.slice(0, count).join(''));
			const {seen, error} = await untilFailure(eventsFrom(provider, bytes));
			expect(error === undefined || error instanceof AppError).toBe(true);
			expect(seen.some(({type}) => type === 'finish')).toBe(count > end);
		}
	});
});

function eventsFrom(provider: Provider, bytes: Uint8Array): AsyncIterable<ProviderEvent> {
	return provider(requestOf(fakeHost({body: bytes}).transport));
}

function isEndMark(wire: string, data: string): boolean {
	switch (wire) {
		case 'anthropic':
			return data.includes('"type":"message_stop"');
		case 'gemini':
			return /"finishReason": ?"/.test(data);
		case 'openai-responses':
			return /"type":"response\.(?:completed|incomplete)"/.test(data);
		default:
			return data === '[DONE]' || /"finish_reason": ?"/.test(data);
	}
}
