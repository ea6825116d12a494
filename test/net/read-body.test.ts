import {expect, test} from 'vitest';
import {readJson, readText} from '../../src/net/read-body.ts';

function answer(text: string | Uint8Array, type = 'application/json') {
	const bytes = Buffer.from(text);
	return {
		headers: {'content-type': type},
		body: (async function* () {
			for (let index = 0; index < bytes.length; index += 3) {
				yield bytes.subarray(index, index + 3);
			}
		})(),
	};
}

test('text is joined before it is decoded, so that no character is torn', async () => {
	expect(await readText(answer('äöü 日本語 👩‍🚀'))).toBe('äöü 日本語 👩‍🚀');
	expect(await readText(answer(Buffer.from([0xef, 0xbb, 0xbf, 0x61, 0xff])))).toBe('a\ufffd');
});

test('a body over the limit is an error [21]', async () => {
	expect(await readText(answer('12345'), {maxBytes: 5})).toBe('12345');
	await expect(readText(answer('123456'), {maxBytes: 5})).rejects.toMatchObject({
		message: 'The server sent more than 5 B.',
		permanent: true,
	});
});

/** Answers with pieces of so many bytes, one each 50 s of a clock of its own. */
function dripping(size: number) {
	let time = 0;
	const body = (async function* () {
		for (;;) {
			time += 50_000;
			yield new Uint8Array(size);
		}
	})();
	return {body, now: () => time, time: () => time};
}

test('a body that trickles in is a timeout, and a slow one is read [21]', async () => {
	const drip = dripping(1);
	await expect(readText(drip, {from: 'https://a.test', now: drip.now})).rejects.toMatchObject({
		code: 'network',
		message: 'https://a.test is too slow: 2 B in over a minute.',
		permanent: true,
	});
	expect(drip.time()).toBe(100_000);

	const slow = dripping(256 * 1024);
	await expect(readText(slow, {maxBytes: 4 * 1024 * 1024, now: slow.now})).rejects.toThrow('more than 4.2 MB');
	expect(slow.time()).toBe(17 * 50_000);
});

test('JSON is read, with brackets and quotes in its strings', async () => {
	const value = {a: [1, {b: '[[[{{{\\" "'}], c: null, d: '\\'};
	expect(await readJson(answer(JSON.stringify(value)), {maxDepth: 3})).toEqual(value);
	expect(await readJson(answer('null'))).toBeNull();
});

test('deeply nested JSON is an error, not a stack overflow [24]', async () => {
	const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
	expect(await readJson(answer(nested(100)))).toBeDefined();
	for (const text of [nested(101), nested(200_000), `${'{"a":'.repeat(101)}1${'}'.repeat(101)}`]) {
		await expect(readJson(answer(text))).rejects.toThrow('nested over 100 levels deep');
	}

	await expect(readJson(answer('['.repeat(200_000)))).rejects.toThrow('something other than JSON');
});

test.each([
	['a web page by its type', '<p>Please log in</p>', 'text/html; charset=utf-8', 'a web page instead of data'],
	['a web page by its look', ' <!DOCTYPE html><html></html>', 'application/json', 'a web page instead of data'],
	['text', 'upstream error', 'text/plain', 'something other than JSON'],
	['nothing', '', 'application/json', 'an empty response'],
])('%s instead of JSON is told apart', async (_, text, type, what) => {
	await expect(readJson(answer(text, type), {from: 'https://a.test'})).rejects.toMatchObject({
		code: 'network',
		message: `https://a.test returned ${what}.`,
	});
});
