import {describe, expect, test} from 'vitest';
import {AppError} from '../../src/core/error.ts';
import {noUsage} from '../../src/core/session/usage.ts';
import type {ChunkList} from '../../src/providers/chunks.ts';
import type {ProviderEvent} from '../../src/providers/provider.ts';
import {type AnswerReader, readAnswer} from '../../src/providers/read-answer.ts';
import {adapterOf, collect, fakeHost, fixture, requestOf, untilFailure} from './replay.ts';

/** A chunk holds the events that it stands for, or throws. */
type Step = readonly ProviderEvent[] | Error;

const text = (piece: string, id = '0'): ProviderEvent => ({type: 'text-delta', id, text: piece});
const usage = (output: number): ProviderEvent => ({type: 'usage', usage: {...noUsage, output}});
const finish: ProviderEvent = {type: 'finish', reason: 'stop'};

/** Reads lists of chunks that arrive one after another; `after` is thrown where the connection ends. */
function read(lists: readonly (readonly Step[])[], rest: Partial<AnswerReader> = {}, after?: Error) {
	const opening = async function* (): AsyncGenerator<ProviderEvent, AsyncIterable<ChunkList>> {
		return (async function* () {
			for (const list of lists) {
				yield {chunks: list.map((_, index) => ({list: lists.indexOf(list), index}))};
			}

			if (after) {
				throw after;
			}
		})();
	};
	const reader = {isOver: () => false, isComplete: () => false, end: () => undefined, ...rest};
	return readAnswer(opening, () => ({
		...reader,
		read(chunk, add) {
			const step = chunk === '[DONE]' ? [] : lists[Number(chunk['list'])]?.[Number(chunk['index'])];
			if (step instanceof Error) {
				throw step;
			}

			step?.forEach(add);
		},
	}));
}

test('what arrives together is one piece for each text, and what arrives later another', async () => {
	const events = await collect(
		read([[[text('a')], [text('b'), text('c')]], [[text('d')]], [[text('e', '1'), text('f')]]]),
	);
	expect(events).toEqual([text('abc'), text('d'), text('e', '1'), text('f')]);
});

test('other events stay where they are between the pieces', async () => {
	const call: ProviderEvent = {type: 'tool-call', id: 'c', name: 'f', arguments: {}};
	const thought: ProviderEvent = {type: 'reasoning-delta', id: '0', text: 'Hm'};
	expect(await collect(read([[[thought, text('a')], [call], [text('b')], [finish]]]))).toEqual([
		thought,
		text('a'),
		call,
		text('b'),
		finish,
	]);
});

test('the pieces of one call are one piece', async () => {
	const piece = (id: string, name: string, part: string) => ({type: 'tool-call-delta', id, name, text: part}) as const;
	const pieces = [piece('0', 'f', ''), piece('0', 'f', '{"a'), piece('0', 'f', '":1}'), piece('1', 'f', '{')];
	expect(await collect(read([[pieces]]))).toEqual([piece('0', 'f', '{"a":1}'), piece('1', 'f', '{')]);
});

test('the last usage and the last signature of joined pieces stay', async () => {
	const signed = (data: string): ProviderEvent => ({...text('x'), opaque: {wire: 'w', data}}) as ProviderEvent;
	const events = await collect(
		read([[[text('a'), usage(1)], [signed('first'), usage(2)], [signed('second')], [text('b'), usage(3)], [finish]]]),
	);
	expect(events).toEqual([{...text('axxb'), opaque: {wire: 'w', data: 'second'}}, usage(3), finish]);
});

test('an error in a list comes after what was before it', async () => {
	const error = new AppError('provider', 'Overloaded.');
	expect(await untilFailure(read([[[text('a')], [text('b')], error, [text('c')]], [[text('d')]]]))).toEqual({
		seen: [text('ab')],
		error,
	});
});

test('nothing is read once the answer is over', async () => {
	const seen: string[] = [];
	const isOver = () => seen.push('asked') > 1;
	const events = await collect(read([[[text('a')], [text('b')], [text('c')]], [[text('d')]]], {isOver}));
	expect(events).toEqual([text('ab')]);
});

describe('a connection that breaks', () => {
	const cut = new AppError('network', 'Cut.');

	test('after the end mark leaves the answer complete', async () => {
		const events = await collect(read([[[text('a')]]], {isComplete: () => true, end: add => add(finish)}, cut));
		expect(events).toEqual([text('a'), finish]);
	});

	test('before the end mark is an error, and so is a bug at any time', async () => {
		const bug = new TypeError('A bug.');
		expect(await untilFailure(read([[[text('a')]]], {}, cut))).toEqual({seen: [text('a')], error: cut});
		expect(await untilFailure(read([[[text('a')]]], {isComplete: () => true}, bug))).toMatchObject({error: bug});
	});
});

test.each([
	['anthropic', 'anthropic-error.sse'],
	['openai-chat', 'chat-error.sse'],
	['gemini', 'gemini-error.sse'],
	['openai-responses', 'responses-error.sse'],
])('%s yields the same text before an error, however the answer is cut into pieces', async (wire, name) => {
	const provider = await adapterOf(wire);
	const bytes = new TextEncoder().encode(fixture(name));
	const readIn = async (size: number) => {
		const body = (async function* () {
			for (let from = 0; from < bytes.length; from += size) {
				yield bytes.subarray(from, from + size);
			}
		})();
		const {seen, error} = await untilFailure(provider(requestOf(fakeHost({body}).transport)));
		const said = seen.map(event => (event.type === 'text-delta' ? event.text : '')).join('');
		return {said, error: error instanceof AppError && error.message, count: seen.length};
	};
	const [whole, single] = [await readIn(bytes.length), await readIn(1)];
	expect(whole).toMatchObject({said: single.said, error: single.error});
	expect(whole.error).not.toBe(false);
	expect(whole.count).toBeLessThanOrEqual(single.count);
});
