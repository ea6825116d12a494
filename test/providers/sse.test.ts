import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {AppError} from '../../src/core/error.ts';
import {createSseParser, type ServerSentEvent} from '../../src/providers/chunks.ts';

async function* inPieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
	for (let from = 0; from < bytes.length; from += size) {
		yield bytes.subarray(from, from + size);
	}
}

/** Yields what a parser reads in a body, as its reader does. */
async function* readSse(body: AsyncIterable<Uint8Array>, options = {}): AsyncGenerator<readonly ServerSentEvent[]> {
	const parser = createSseParser(options);
	for await (const bytes of body) {
		const events = parser.feed(bytes);
		yield* events.length > 0 ? [events] : [];
	}

	const last = parser.end();
	yield* last.length > 0 ? [last] : [];
}

async function read(text: string | Uint8Array, size = 1 << 20, maxLength?: number): Promise<ServerSentEvent[]> {
	const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text;
	const events: ServerSentEvent[] = [];
	for await (const list of readSse(inPieces(bytes, size), maxLength === undefined ? {} : {maxLength})) {
		expect(list).not.toEqual([]);
		events.push(...list);
	}

	return events;
}

test('an event has its name and its data lines, joined by line feeds', async () => {
	expect(await read('event: greeting\ndata: Hello\ndata: you\nid: 7\nretry: 10\n\ndata:bare\n\n')).toEqual([
		{event: 'greeting', data: 'Hello\nyou'},
		{event: undefined, data: 'bare'},
	]);
});

test('comments, unknown fields and events without data are skipped', async () => {
	expect(await read(': hello\n\nevent: ping\n\nstrange: field\nnonsense\ndata: 1\n: between\n\n')).toEqual([
		{event: undefined, data: '1'},
	]);
});

test('[DONE] is data like any other', async () => {
	expect(await read('data: {}\n\ndata: [DONE]\n\n')).toEqual([
		{event: undefined, data: '{}'},
		{event: undefined, data: '[DONE]'},
	]);
});

describe('the last event', () => {
	test.each(['data: {"a":1}', 'data: {"a":1}\n', 'data: {"a":1}\r\n', 'data: {"a":1}\r'])(
		'%j is delivered',
		async text => {
			expect(await read(text)).toEqual([{event: undefined, data: '{"a":1}'}]);
		},
	);

	test('is delivered when it is [DONE] without a line end', async () => {
		expect(await read('data: [DONE]')).toEqual([{event: undefined, data: '[DONE]'}]);
	});

	test.each(['data: {"a":', 'data: [DON', 'data: {"a":"cut', 'dat', 'event: x\n', ''])('%j is no event', async text => {
		expect(await read(text)).toEqual([]);
	});
});

test('an event is yielded with its last line end, even if lines end in CR', async () => {
	const events = readSse(
		(async function* () {
			yield new TextEncoder().encode('data: 1\r\r');
			throw new AppError('network', 'Nothing else came.');
		})(),
	);
	expect(await events.next()).toEqual({done: false, value: [{event: undefined, data: '1'}]});
	await expect(events.next()).rejects.toThrow('Nothing else came.');
});

test('invalid UTF-8 becomes replacement characters', async () => {
	const bytes = new Uint8Array([
		...new TextEncoder().encode('data: a'),
		0xff,
		0xc3,
		...new TextEncoder().encode('\n\n'),
	]);
	expect(await read(bytes)).toEqual([{event: undefined, data: 'a\uFFFD\uFFFD'}]);
});

describe('[21] a line over the cap', () => {
	const tooLong = `data: ${'x'.repeat(2000)}\n\n`;

	test.each([7, 64, 1 << 20])('is an error in pieces of %d bytes', async size => {
		const error = await read(`data: ok\n\n${tooLong}`, size, 1000).catch((thrown: unknown) => thrown);
		expect(error).toBeInstanceOf(AppError);
		expect(error).toMatchObject({code: 'network'});
	});

	test('is an error also where data lines follow each other for ever', async () => {
		await expect(read('data: 0123456789\n'.repeat(200), 32, 1000)).rejects.toThrow(AppError);
	});

	test('many events together may be longer', async () => {
		expect(await read('data: 0123456789\n\n'.repeat(200), 1 << 20, 1000)).toHaveLength(200);
	});
});

test('a reader that stops early ends the body', async () => {
	let ended = false;
	const body = (async function* () {
		try {
			yield new TextEncoder().encode('data: 1\n\ndata: 2\n\n');
			yield new TextEncoder().encode('data: 3\n\n');
		} finally {
			ended = true;
		}
	})();
	for await (const list of readSse(body)) {
		expect(list.map(({data}) => data)).toEqual(['1', '2']);
		break;
	}

	expect(ended).toBe(true);
});

test('any events in any line ends, at any chunking, are read as they were written', async () => {
	const line = fc.string({unit: 'grapheme', maxLength: 12}).map(text => text.replace(/[\r\n]/g, ' ').trimStart());
	const event = fc.record({
		name: fc.option(fc.constantFrom('a', 'delta'), {nil: undefined}),
		lines: fc.array(line, {minLength: 1, maxLength: 3}),
	});
	await fc.assert(
		fc.asyncProperty(
			fc.array(event, {maxLength: 5}),
			fc.constantFrom('\n', '\r\n', '\r'),
			fc.boolean(),
			fc.integer({min: 1, max: 9}),
			async (events, end, bom, size) => {
				const text = events
					.map(({name, lines}) =>
						[...(name ? [`event: ${name}`] : []), ...lines.map(data => `data: ${data}`), ':', '', ''].join(end),
					)
					.join('');
				expect(await read(`${bom ? '\uFEFF' : ''}${text}`, size)).toEqual(
					events.map(({name, lines}) => ({event: name, data: lines.join('\n')})),
				);
			},
		),
		{numRuns: 200},
	);
});
