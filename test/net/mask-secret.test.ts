import fc from 'fast-check';
import {expect, test} from 'vitest';
import {originOf} from '../../src/core/origin.ts';
import {secret} from '../../src/core/secrets/secret.ts';
import {createBytesMask, maskText} from '../../src/net/mask-secret.ts';
import {readText} from '../../src/net/read-body.ts';
import {createTransport} from '../../src/net/undici-transport.ts';
import {atEnd, httpServer} from './servers.ts';

const key = 'sk-sk-sk-0123456789';

/** Yields the pieces of a body with a secret masked. */
async function* maskedBytes(pieces: AsyncIterable<Uint8Array>, hidden: string): AsyncGenerator<Uint8Array> {
	const mask = createBytesMask(secret(hidden));
	for await (const piece of pieces) {
		yield* mask?.mask(piece) ?? [piece];
	}

	yield* mask?.end() ?? [];
}

async function masked(text: string, cuts: readonly number[], hidden = key): Promise<string> {
	async function* pieces() {
		const bytes = Buffer.from(text);
		const places = [0, ...[...cuts].sort((a, b) => a - b), bytes.length];
		for (const [index, place] of places.slice(1).entries()) {
			yield bytes.subarray(places[index], place);
		}
	}

	return readText({body: maskedBytes(pieces(), hidden)});
}

test('a secret is masked wherever the bytes are cut, and nothing else is changed [8]', async () => {
	const piece = fc.constantFrom('sk-', 'sk-sk-', key, 'ü', '\n\n', '0123456789', key.slice(0, -1));
	await fc.assert(
		fc.asyncProperty(fc.array(piece, {maxLength: 8}), fc.array(fc.nat(120), {maxLength: 6}), async (words, cuts) => {
			const text = words.join('');
			const length = Buffer.byteLength(text);
			const inside = cuts.filter(cut => cut <= length);
			expect(await masked(text, inside)).toBe(text.replaceAll(key, '***'));
		}),
	);
});

test('bytes that cannot be part of the secret are not held back', async () => {
	async function* pieces() {
		yield Buffer.from('data: {}\n\n');
		throw new Error('asked for more before handing this on');
	}

	const body = maskedBytes(pieces(), key);
	expect(await body.next()).toEqual({done: false, value: Buffer.from('data: {}\n\n')});
});

test('a placeholder such as “none” is not masked, because it may be a word of the response', async () => {
	expect(await masked('none of it', [], 'none')).toBe('none of it');
	expect(maskText('none of it', secret('none'))).toBe('none of it');
});

test('a key that a host repeats in a response or a redirect is masked [8]', async () => {
	const server = await httpServer((request, response) => {
		const echo = String(request.headers['x-api-key']);
		if (request.url === '/redirect') {
			response.writeHead(307, {location: `http://127.0.0.1:1/${echo}`}).end();
		} else {
			response.writeHead(401).end(`{"error":"${echo} is wrong"}`);
		}
	});
	const credential = {origin: originOf(server.origin), kind: 'x-api-key', secret: secret(key)} as const;
	const send = createTransport({userAgent: 'service/test', credential});
	atEnd(() => void send.close());
	const answer = await send({method: 'POST', url: server.origin});
	expect(await readText(answer)).toBe('{"error":"*** is wrong"}');
	await expect(send({method: 'POST', url: `${server.origin}/redirect`})).rejects.toMatchObject({
		message: `Not following the redirect of ${server.origin} to http://127.0.0.1:1/***: another server.`,
	});
});
