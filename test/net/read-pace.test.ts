import {PassThrough} from 'node:stream';
import {setImmediate as nextTurn} from 'node:timers/promises';
import {constants} from 'node:zlib';
import {expect, test} from 'vitest';
import {createReadPace, createReads} from '../../src/net/response-body.ts';
import {createTransport} from '../../src/net/undici-transport.ts';
import {atEnd, httpServer} from './servers.ts';

/** Returns the waits after reads of so many bytes, each so long after the wait before it. */
function waitsOf(reads: ReadonlyArray<{readonly bytes: number; readonly afterMs: number}>): readonly number[] {
	let now = 0;
	const pace = createReadPace(() => now);
	return reads.map(({bytes, afterMs}) => {
		now += afterMs;
		const waitMs = pace(bytes);
		now += waitMs;
		return waitMs;
	});
}

const reads = (count: number, bytes: number, afterMs: number) => Array.from({length: count}, () => ({bytes, afterMs}));

test('a body of many small pieces is read at intervals, once its pace is known', () => {
	const waits = waitsOf(reads(20, 80, 5));
	expect(waits.slice(0, 7)).toEqual(Array.from({length: 7}, () => 0));
	expect(new Set(waits.slice(7))).toEqual(new Set([33]));
});

test.each([
	['a short answer', reads(7, 80, 1)],
	['slow pieces', reads(50, 80, 40)],
	['large pieces', reads(50, 64 * 1024, 1)],
	['what zlib decompresses at once', reads(50, constants.Z_DEFAULT_CHUNK, 1)],
])('%s waits for nothing', (_, body) => {
	expect(new Set(waitsOf(body))).toEqual(new Set([0]));
});

test('a body that pauses, or has a large piece, is read at once again', () => {
	const body = [...reads(10, 80, 5), {bytes: 80, afterMs: 500}, ...reads(10, 80, 5), {bytes: 65_536, afterMs: 0}];
	const waits = waitsOf(body);
	expect([waits[9], waits[10], waits[20], waits[21]]).toEqual([33, 0, 33, 0]);
});

test('pieces that come while a body is not read are one read, and none is lost', async () => {
	const pieces = Array.from({length: 100}, (_, index) => `piece ${index}\n`);
	const server = await httpServer(async (_, response) => {
		for (const piece of pieces) {
			response.write(piece);
			await nextTurn();
		}

		response.end();
	});
	const transport = createTransport({userAgent: 'service/test'});
	atEnd(() => void transport.close());
	const {body} = await transport({method: 'GET', url: server.origin});
	const read: string[] = [];
	for await (const bytes of body) {
		read.push(Buffer.from(bytes).toString());
	}

	expect(read.join('')).toBe(pieces.join(''));
	expect(read.length).toBeLessThan(pieces.length / 2);
});

test('the last bytes of a body wait for nothing: its end ends a rest, however long that is', async () => {
	const stream = new PassThrough();
	const reads = createReads(stream);
	stream.write('one');
	expect(String(await reads.next())).toBe('one');
	const rested = reads.rest(1_000_000_000);
	stream.write('two ');
	stream.end('three');
	await rested;
	expect(String(await reads.next())).toBe('two three');
	expect(await reads.next()).toBeUndefined();
});

test('a body that breaks off is read up to there, and then throws why', async () => {
	const stream = new PassThrough();
	const reads = createReads(stream);
	stream.write('some');
	await nextTurn();
	stream.destroy(new Error('reset'));
	expect(String(await reads.next())).toBe('some');
	await expect(reads.next()).rejects.toThrow('reset');
});
