import {Buffer} from 'node:buffer';
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {createValueMask, looksRandom} from '../../../src/core/secrets/value-mask.ts';
import {expectLinear} from '../../growth.ts';

const chunk = (text: string, size: number) => text.match(new RegExp(`[\\s\\S]{1,${size}}`, 'g')) ?? [];
const hexOf = (text: string) => Buffer.from(text).toString('hex');

/** Prints bytes as `xxd` does. */
function xxd(text: string, columns = 16): string {
	const bytes = Buffer.from(text);
	const lines: string[] = [];
	for (let at = 0; at < bytes.length; at += columns) {
		const row = bytes.subarray(at, at + columns);
		const digits = (row.toString('hex').match(/.{1,4}/g) ?? []).join(' ').padEnd(columns * 2 + columns / 2);
		lines.push(`${at.toString(16).padStart(8, '0')}: ${digits} ${row.toString('latin1').replace(/[^ -~]/g, '.')}`);
	}

	return lines.join('\n');
}

/** Prints bytes as `hexdump -C` does. */
function hexdump(text: string): string {
	const bytes = Buffer.from(text);
	const lines: string[] = [];
	for (let at = 0; at < bytes.length; at += 16) {
		const row = bytes.subarray(at, at + 16);
		const pairs = row.toString('hex').match(/../g) ?? [];
		const digits = `${pairs.slice(0, 8).join(' ').padEnd(23)}  ${pairs.slice(8).join(' ').padEnd(23)}`;
		lines.push(`${at.toString(16).padStart(8, '0')}  ${digits}  |${row.toString('latin1').replace(/[^ -~]/g, '.')}|`);
	}

	return lines.join('\n');
}

/** Prints characters as `od -c` does. */
function od(text: string): string {
	return chunk(text, 16)
		.map(
			(row, index) =>
				`${(index * 16).toString(8).padStart(7, '0')}${[...row].map(one => (one === '\n' ? '  \\n' : `   ${one}`)).join('')}`,
		)
		.join('\n');
}

/** Prints numbers of so many bytes as `od -An` does. */
function numbers(text: string, format: (low: number, high: number) => string, size = 1): string {
	const bytes = Buffer.from(text);
	return chunk('x'.repeat(bytes.length), 16)
		.map((_, row) =>
			Array.from({length: Math.ceil(Math.min(16, bytes.length - row * 16) / size)}, (_, index) => {
				const at = row * 16 + index * size;
				return ` ${format(bytes[at] ?? 0, bytes[at + 1] ?? 0)}`;
			}).join(''),
		)
		.join('\n');
}

/** Prints bytes as `base32` does, without line breaks. */
function base32(text: string): string {
	const bits = [...Buffer.from(text)].map(byte => byte.toString(2).padStart(8, '0')).join('');
	const digits = chunk(bits, 5).map(
		group => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'[Number.parseInt(group.padEnd(5, '0'), 2)],
	);
	return digits.join('').padEnd(Math.ceil(digits.length / 8) * 8, '=');
}

/** Forms in which programs print a text, each with how much of a value may be left: characters beside it, or at the end of a line. */
const forms: Readonly<Record<string, (text: string) => string>> = {
	plain: text => text,
	base64: text => Buffer.from(text).toString('base64'),
	'base64 without padding': text => Buffer.from(text).toString('base64').replace(/=+$/, ''),
	'base64 for URLs': text => Buffer.from(text).toString('base64url'),
	'base64 in lines of 76': text => chunk(Buffer.from(text).toString('base64'), 76).join('\n'),
	'base64 in lines of 20': text => chunk(Buffer.from(text).toString('base64'), 20).join('\r\n'),
	'base64 as JSON': text => JSON.stringify({data: Buffer.from(text).toString('base64')}),
	hex: hexOf,
	'upper-case hex': text => hexOf(text).toUpperCase(),
	'hex with colons': text => (hexOf(text).match(/../g) ?? []).join(':'),
	'hex with spaces': text => (hexOf(text).match(/../g) ?? []).join(' '),
	'hex in lines': text => chunk(hexOf(text), 60).join('\n'),
	'hex of C': text => (hexOf(text).match(/../g) ?? []).map(pair => `0x${pair}`).join(', '),
	'escapes of bytes': text => (hexOf(text).match(/../g) ?? []).map(pair => `\\x${pair}`).join(''),
	xxd: text => xxd(text),
	'xxd of 8 columns': text => xxd(text, 8),
	'hexdump -C': hexdump,
	'od -c': od,
	URL: encodeURIComponent,
	'every character of a URL': text => (hexOf(text).match(/../g) ?? []).map(pair => `%${pair.toUpperCase()}`).join(''),
	form: text => new URLSearchParams({text}).toString(),
	JSON: text => JSON.stringify({text}),
	'JSON in JSON': text => JSON.stringify({text: JSON.stringify({text})}),
	'escapes of Go': text => JSON.stringify(text).replace(/[<>&]/g, one => `\\u00${hexOf(one)}`),
	HTML: text =>
		text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;').replaceAll("'", '&#39;'),
	'lines of 7': text => chunk(text, 7).join('\n'),
	'spaces between': text => [...text].join(' '),
	'a list of bytes': text => JSON.stringify(Buffer.from(text)),
	'od -b': text => numbers(text, byte => byte.toString(8).padStart(3, '0')),
	od: text => numbers(text, (low, high) => (low + high * 256).toString(8).padStart(6, '0'), 2),
	'escapes of printf': text => [...Buffer.from(text)].map(byte => `\\0${byte.toString(8)}`).join(''),
	'escapes with braces': text => [...Buffer.from(text)].map(byte => `\\u{${byte.toString(16)}}`).join(''),
	'xxd -b': text => numbers(text, byte => byte.toString(2).padStart(8, '0')),
	base32,
	'base64 twice': text => Buffer.from(Buffer.from(text).toString('base64')).toString('base64'),
	'base64 of hex': text => Buffer.from(hexOf(text)).toString('base64'),
	'hex from behind': text => [...hexOf(text)].reverse().join(''),
	colours: text =>
		[...text].map((one, index) => (index % 3 === 0 ? `\u001B[3${index % 8}m${one}\u001B[0m` : one)).join(''),
	'a matched part in colour': text => `${text.slice(0, 5)}\u001B[01;31m\u001B[K${text.slice(5)}\u001B[m\u001B[K`,
};

/** Forms of which only letters and digits are looked at. */
const letterForms: typeof forms = {
	'a sign between': text => [...text].join('-'),
	'a list of characters': text => `['${[...text].join("', '")}']`,
	'groups of three': text => chunk(text, 3).join('|'),
	'another case': text => text.toUpperCase(),
	reversed: text => [...text].reverse().join(''),
	'UTF-16': text => [...text].join('\0'),
};

/** A value of letters and digits, and a few signs before the last one: in the forms of letters those behind it stay. */
const token = fc
	.tuple(fc.stringMatching(/^[A-Za-z0-9_-]{10,40}[A-Za-z0-9]$/), fc.stringMatching(/^(?:[a-z][0-9][A-Z]){5}$/))
	.map(([some, mixed]) => some.slice(0, 6) + mixed + some.slice(6));

/** A value as tools make them: at least twelve characters, with letters, digits and signs. */
const secretValue = fc
	.tuple(
		fc.stringMatching(/^[A-Za-z0-9+/=_.~!@#$%^&*()<>?"'-]{14,48}$/),
		fc.stringMatching(/^[a-z][0-9][A-Z][0-9][a-z][0-9]$/),
	)
	.map(([some, mixed]) => some.slice(0, 6) + mixed + some.slice(6));

const around = fc.stringMatching(/^[a-z =:\n]{0,40}$/);

test('[8] no form of a value is left, for random values in random texts', () => {
	for (const [given, printed] of [
		[secretValue, forms],
		[token, letterForms],
	] as const) {
		fc.assert(
			fc.property(given, fc.array(given, {maxLength: 3}), around, around, (value, others, before, after) => {
				const {hide} = createValueMask([value, ...others]);
				for (const [name, form] of Object.entries(printed)) {
					const text = form(`${before}${value}${after}`);
					const shown = hide(text);
					expect(shown, name).toContain('***');
					expect(leftOf(shown, text, value, form), `${name}: ${text} became ${shown}`).toBeLessThan(4);
					expect(shown.split('\n').length, name).toBe(text.split('\n').length);
					expect(hide(shown), name).toBe(shown);
				}
			}),
			{numRuns: 60},
		);
	}
});

/** Forms in which a program writes characters as others, each of them in one way. */
const escaped = ['plain', 'URL', 'form', 'JSON', 'JSON in JSON', 'escapes of Go', 'HTML'] as const;

test('[8] what stands beside a value is not taken for an escape with an end of it', () => {
	const sign = fc.constantFrom('', '%', '\\', '&');
	const letters = fc.constantFrom('', 'aa', '41', 'n', 'x41', 'u0041', 'amp;', '#39;');
	const words = fc.stringMatching(/^[a-z]{4,10}[<>"'&%]{1,2}[a-z]{6,12}$/);
	fc.assert(
		fc.property(sign, letters, words, sign, letters, (before, start, middle, end, after) => {
			const value = start + middle + end;
			const {hide} = createValueMask([value]);
			for (const name of escaped) {
				const form = forms[name] ?? String;
				const text = form(`${before}${value}${after}`);
				const shown = hide(text);
				expect(leftOf(shown, text, value, form), `${name}: ${text} became ${shown}`).toBe(0);
				expect(shown, `${name}: ${text}`).toContain('***');
			}
		}),
		{numRuns: 300},
	);
});

test('[8] what is left of base64 and hex decodes to no part of a value', () => {
	fc.assert(
		fc.property(secretValue, around, around, (value, before, after) => {
			const {hide} = createValueMask([value]);
			const text = `${before}${value}${after}`;
			const parts = Array.from({length: value.length - 9}, (_, at) => value.slice(at, at + 10));
			const pieces = [hide(Buffer.from(text).toString('base64')), hide(hexOf(text))].map(shown => shown.split('***'));
			const decoded = [
				...(pieces[0] ?? []).flatMap(piece => [0, 1, 2, 3].map(from => Buffer.from(piece.slice(from), 'base64'))),
				...(pieces[1] ?? []).flatMap(piece => [0, 1].map(from => Buffer.from(piece.slice(from), 'hex'))),
			].map(bytes => bytes.toString('latin1'));
			expect(decoded.filter(one => parts.some(part => one.includes(part)))).toEqual([]);
		}),
	);
});

/** Returns how many characters in a row of the value's own form are still there, beyond those of any three letters. */
function leftOf(shown: string, text: string, value: string, form: (text: string) => string): number {
	const plain = (given: string) => given.replace(/\u001B\[[\d;]*[A-Za-z]/g, '').replace(/\s+/g, '');
	const [rest, whole] = [plain(shown), plain(text)];
	let most = 0;
	for (let at = 0; at + 8 <= value.length; at++) {
		const part = plain(form(value.slice(at, at + 8)));
		most = Math.max(most, part.length > 7 && whole.includes(part) && rest.includes(part) ? 8 : 0);
	}

	return most;
}

test.each<[string, string, readonly string[]]>([
	['a short word', 'true false abc', ['abc', 'true']],
	['another word', 'production-line is no match', ['production-lane']],
	['a part of a made-up word', 'a horse battery', ['correct-horse-battery']],
	['hexadecimal numbers', 'commit 3b050536aa482d7dca70995d17fd962d', ['3b050536-made-up-value']],
	['nothing', '', ['correct-horse']],
])('leaves %s alone', (_, text, values) => {
	expect(createValueMask(values).hide(text)).toBe(text);
});

test('[8] a part of a random value is masked, and values that overlap as one', () => {
	const value = 'kX9mQ2vB7nL4wZ8tR1';
	expect(createValueMask([value]).hide(`see ${value.slice(2, 15)} here`)).toBe('see *** here');
	expect(createValueMask([value, value.slice(4)]).hide(`${value}!`)).toBe('***!');
	expect(createValueMask(['correct-horse', 'horse-battery']).hide('correct-horse-battery')).toBe('***');
});

test('[8] the rest of a line stays, in each view', () => {
	const {hide} = createValueMask(['kX9mQ2vB7nL4wZ8tR1']);
	expect(hide('TOKEN=kX9mQ2vB7nL4wZ8tR1 # of May')).toBe('TOKEN=*** # of May');
	expect(hide('{"a":"kX9mQ2v\\u0042\\x37nL4wZ8tR1","b":1}')).toBe('{"a":"***","b":1}');
	expect(hide('kX9mQ2vB7\nnL4wZ8tR1 end')).toBe('***\n*** end');
});

test('a word is random if nobody would make it up', () => {
	for (const word of ['q1w2E3r4T5y6U7', 'f3a9c1d07be84256', 'Zt81kQpW02mXvB77nLrY', 'wJalrXUtnFEMI/K7MDENG/bPxRfiCY']) {
		expect([word, looksRandom(word)]).toEqual([word, true]);
	}

	for (const word of [
		'my-company-prod-2024-eu-west-1',
		'correct-horse-battery',
		'administrator',
		'123456789012345',
		'getUserAccountBalance',
	]) {
		expect([word, looksRandom(word)]).toEqual([word, false]);
	}
});

test('takes linear time, also for texts made of beginnings', () => {
	const values = Array.from({length: 200}, (_, index) => `sk-proj-${hexOf(`${index * 7919}`)}aB3${index}`);
	const {hide} = createValueMask(values);
	for (const piece of [
		'sk-proj-',
		'sk-proj-3',
		'\\',
		'%',
		'0x',
		'\u001B[',
		'&#',
		'ab:',
		'00000000: 4e4f 4445  NO\n',
		'\\u00',
		'a\n',
	]) {
		expectLinear(size => hide(piece.repeat(size)), 4000);
	}
});
