import fc from 'fast-check';
import {expect, test} from 'vitest';
import type {InputToken} from '../../../src/terminal/input/token.ts';
import {createTokenizer} from '../../../src/terminal/input/tokenizer.ts';
import {anyText} from '../../any-text.ts';

/** Joins runs of text, which may come in pieces. */
function merged(tokens: readonly InputToken[]): readonly InputToken[] {
	const all: InputToken[] = [];
	for (const token of tokens) {
		const last = all.at(-1);
		if (token.type === 'text' && last?.type === 'text') {
			all[all.length - 1] = {type: 'text', text: last.text + token.text};
		} else {
			all.push(token);
		}
	}

	return all;
}

function tokensOf(chunks: readonly Uint8Array[]): readonly InputToken[] {
	const tokenizer = createTokenizer();
	return merged([...chunks.flatMap(chunk => tokenizer.push(chunk)), ...tokenizer.flush()]);
}

function cutAt(bytes: Uint8Array, cuts: readonly number[]): readonly Uint8Array[] {
	const places = [0, ...cuts.map(cut => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
	return places.slice(1).map((place, index) => bytes.subarray(places[index], place));
}

/** Bytes that are likely to mean something: pieces of sequences between arbitrary ones. */
const pieces = fc.oneof(
	fc.constantFrom(
		'\u001b',
		'\u001b[',
		'\u001bO',
		'\u001b]',
		'\u001b\\',
		'\u001bP',
		'\u0007',
		';',
		':',
		'1',
		'27',
		'13',
		'200~',
		'201~',
	),
	fc.constantFrom(
		'\u001b[200~',
		'\u001b[201~',
		'\u001b[201',
		'u',
		'M',
		'<',
		'?',
		'$',
		'^',
		'~',
		'R',
		'日',
		'👩‍👧',
		'é',
		'\r',
		'\n',
		'\u0018',
	),
	anyText({maxLength: 4}),
);
const bytes = fc.oneof(
	fc.array(pieces, {maxLength: 30}).map(all => new Uint8Array(Buffer.from(all.join(''), 'utf8'))),
	fc
		.array(
			fc.oneof(
				fc.uint8Array({maxLength: 6}),
				pieces.map(piece => new Uint8Array(Buffer.from(piece))),
			),
			{maxLength: 20},
		)
		.map(all => new Uint8Array(Buffer.concat(all))),
);

test('any bytes give the same tokens at any chunking', () => {
	fc.assert(
		fc.property(bytes, fc.array(fc.nat(200), {maxLength: 12}), (input, cuts) => {
			expect(tokensOf(cutAt(input, cuts))).toEqual(tokensOf([input]));
		}),
		{numRuns: 1000},
	);
});

test('one byte at a time gives the same tokens as all at once', () => {
	fc.assert(
		fc.property(bytes, input => {
			expect(tokensOf(Array.from(input, byte => Uint8Array.of(byte)))).toEqual(tokensOf([input]));
		}),
		{numRuns: 500},
	);
});

test('no control character becomes text, and a timeout leaves nothing pending', () => {
	fc.assert(
		fc.property(bytes, input => {
			const tokenizer = createTokenizer();
			const tokens = [...tokenizer.push(input), ...tokenizer.flush()];
			const texts = tokens.flatMap(token => (token.type === 'text' ? [token.text] : []));
			expect(texts.join('')).not.toMatch(/\p{Cc}/u);
			expect(tokenizer.pending()).toBe('nothing');
		}),
	);
});

test('a paste of any text is returned whole', () => {
	fc.assert(
		fc.property(
			fc.string({unit: 'grapheme', maxLength: 200}),
			fc.array(fc.nat(300), {maxLength: 8}),
			(pasted, cuts) => {
				const input = new Uint8Array(Buffer.from(`\u001b[200~${pasted}\u001b[201~`));
				const expected = {type: 'paste', text: pasted.replaceAll(/\r\n?/g, '\n'), truncated: false};
				expect(tokensOf(cutAt(input, cuts))).toEqual([expected]);
			},
		),
	);
});
