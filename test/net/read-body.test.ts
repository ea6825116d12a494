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

test('a body over the cap is an error [21]', async () => {
	expect(await readText(answer('12345'), {limit: 5})).toBe('12345');
	await expect(readText(answer('123456'), {limit: 5})).rejects.toMatchObject({
		message: 'The server answered with more than 5 B.',
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

test('a body that comes a byte at a time ends in time, and one that only comes slowly is read [21]', async () => {
	const drip = dripping(1);
	await expect(readText(drip, {from: 'https://a.test', now: drip.now})).rejects.toMatchObject({
		code: 'network',
		message: 'https://a.test answers too slowly: 2 B in a minute or more.',
		permanent: true,
	});
	expect(drip.time()).toBe(100_000);

	const slow = dripping(256 * 1024);
	await expect(readText(slow, {limit: 4 * 1024 * 1024, now: slow.now})).rejects.toThrow('more than 4.2 MB');
	expect(slow.time()).toBe(17 * 50_000);
});

test('JSON is read, with brackets and quotes in its strings', async () => {
	const value = {a: [1, {b: '[[[{{{\\" "'}], c: null, d: '\\'};
	expect(await readJson(answer(JSON.stringify(value)), {depth: 3})).toEqual(value);
	expect(await readJson(answer('null'))).toBeNull();
});

test('JSON nested too deep is an error, not a full stack [24]', async () => {
	const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
	expect(await readJson(answer(nested(100)))).toBeDefined();
	for (const text of [nested(101), nested(200_000), `${'{"a":'.repeat(101)}1${'}'.repeat(101)}`]) {
		await expect(readJson(answer(text))).rejects.toThrow('nested deeper than 100 levels');
	}

	await expect(readJson(answer('['.repeat(200_000)))).rejects.toThrow('something that is not JSON');
});

test.each([
	['a web page by its type', '<p>Please log in</p>', 'text/html; charset=utf-8', 'a web page instead of data'],
	['a web page by its look', ' <!DOCTYPE html><html></html>', 'application/json', 'a web page instead of data'],
	['text', 'upstream error', 'text/plain', 'something that is not JSON'],
	['nothing', '', 'application/json', 'nothing'],
])('%s instead of JSON is told apart', async (_, text, type, what) => {
	await expect(readJson(answer(text, type), {from: 'https://a.test'})).rejects.toMatchObject({
		code: 'network',
		message: `https://a.test answered with ${what}.`,
	});
});
