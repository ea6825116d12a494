import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {
	hasRedactable,
	redact,
	redactedSomewhere,
	redactKnown,
	redactKnownLines,
	redactLines,
} from '../../../src/core/secrets/redact.ts';
import {withoutSgr} from '../../../src/terminal/text/sgr.ts';
import {expectLinear} from '../../growth.ts';

test.each([
	['Authorization: Bearer abc.def-ghi_jkl', 'Authorization: *** ***'],
	['sent bearer 0123456789abcdef to the host', 'sent bearer *** to the host'],
	['postgres://app:hunter2@db:5432/shop', 'postgres://app:***@db:5432/shop'],
	[`key sk-${'a1'.repeat(12)} used`, 'key *** used'],
	[`svc_${'a'.repeat(43)} revoked`, '*** revoked'],
	['push with ghp_0123456789abcdefghij01', 'push with ***'],
	['AKIAIOSFODNN7EXAMPLE', '***'],
	['jwt eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl', 'jwt ***'],
	['DB_PASSWORD=hunter22', 'DB_PASSWORD=***'],
	['{"api_key":"x y z","level":"info"}', '{"api_key":"***","level":"info"}'],
	[String.raw`{"body":"{\"token\":\"abcdef\"}"}`, String.raw`{"body":"{\"token\":\"***\"}"}`],
	['GET /hook?token=abcdef123&page=2', 'GET /hook?token=***&page=2'],
	["aws_secret_access_key = 'wJalr/XUtn'", "aws_secret_access_key = '***'"],
	['Set-Cookie: sid=0123456789; Path=/', 'Set-Cookie: ***; Path=/'],
])('%j is redacted to %j [8]', (text, redacted) => {
	expect(redact(text)).toBe(redacted);
});

test.each([
	'GET /cart 500 in 12 ms',
	'used 1,200 tokens, prompt_tokens=800',
	'the token expired',
	'ask-me-anything about basic auth',
	'https://shop.test/path:80@here',
	'commit 3c87b24f0e1d2c3b4a5968778695a4b3c2d1e0f9',
])('%j is unchanged', text => {
	expect(redact(text)).toBe(text);
});

test('a private key is hidden to its end, and nothing after it', () => {
	const body = 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj';
	const lines = ['-----BEGIN RSA PRIVATE KEY-----', body, body, '-----END RSA PRIVATE KEY-----', 'ready'];
	expect(redactLines(lines)).toEqual([lines[0], '***', '***', lines[3], 'ready']);
	expect(redactLines(['-----BEGIN PRIVATE KEY-----', 'GET / 200', body])).toEqual([
		'-----BEGIN PRIVATE KEY-----',
		'GET / 200',
		body,
	]);
});

const base64 = 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj';
const [begin, end] = ['-----BEGIN OPENSSH PRIVATE KEY-----', '-----END OPENSSH PRIVATE KEY-----'];

test.each([
	['with a short last line', [begin, base64, 'c2hvcnQ=', end, 'ok'], [begin, '***', '***', end, 'ok']],
	['whose beginning was cut off', ['ok', '', base64, 'c2g=', end, 'ok'], ['ok', '', '***', '***', end, 'ok']],
	['whose end was cut off', ['ok', begin, base64], ['ok', begin, '***']],
	[
		'that is encrypted',
		['-----BEGIN RSA PRIVATE KEY-----', 'Proc-Type: 4,ENCRYPTED', '', base64],
		['-----BEGIN RSA PRIVATE KEY-----', 'Proc-Type: 4,ENCRYPTED', '', '***'],
	],
	[
		'of PGP',
		['-----BEGIN PGP PRIVATE KEY BLOCK-----', '', base64, '=njUN', '-----END PGP PRIVATE KEY BLOCK-----'],
		['-----BEGIN PGP PRIVATE KEY BLOCK-----', '', '***', '***', '-----END PGP PRIVATE KEY BLOCK-----'],
	],
	['on one line', [`KEY="${begin}\\n${base64}\\n${end}\\n"`, 'ok'], [`KEY="${begin}***${end}\\n"`, 'ok']],
])('a private key %s is hidden, and nothing beside it [8]', (_, lines, hidden) => {
	expect(redactLines(lines)).toEqual(hidden);
	expect(redactKnownLines(lines)).toEqual(hidden);
});

test('a password that is partly hidden with a name is hidden to its end', () => {
	expect(redact('://token://token"@host')).toBe('://token:***');
});

test('redacted text stays unchanged', () => {
	const piece = fc.constantFrom('token', '=', '"', "'", ' ', ':', 'bearer', 'sk-', 'a'.repeat(20), '://', '@', '\\');
	fc.assert(
		fc.property(fc.array(piece, {maxLength: 20}), pieces => {
			const once = redact(pieces.join(''));
			expect(redact(once)).toBe(once);
		}),
	);
});

test.each([' ', '\t', 'a ', `${base64} `, 'A: '])('%j repeated inside a key takes linear time', piece => {
	expectLinear(size => redactKnownLines([begin, `${piece.repeat(size)}!`, end]), 5000);
});

test.each(['token=', ':// ', '://a:', 'bearer ', 'eyJ', 'secret_', 'a', '"', '-----BEGIN ', '://:'])(
	'%j repeated takes linear time',
	piece => {
		expectLinear(size => redactLines([piece.repeat(size)]), 5000);
	},
);

describe('a credential with colours', () => {
	const key = 'ghp_0123456789abcdefghijABCDEFGHIJ012345';
	const around = fc.constantFrom('', ' ', 'a line ', '= ', '\u001B[1m', '\u001B[32m ');
	const color = fc.constantFrom('\u001B[31m', '\u001B[m', '\u001B[38:2::1:2:3m', '\u001B[0;1;44m');

	test('inside or around it is hidden as the one without [8]', () => {
		fc.assert(
			fc.property(around, around, fc.array(fc.tuple(fc.nat(key.length), color)), (before, behind, colors) => {
				const colored = colors
					.toSorted(([one], [other]) => other - one)
					.reduce((text, [at, sequence]) => text.slice(0, at) + sequence + text.slice(at), key);
				const line = `${before}${colored}${behind}`;
				const hidden = redactKnown(`first\n${line}\nlast`);
				expect(withoutSgr(hidden)).toBe(redactKnown(withoutSgr(`first\n${line}\nlast`)));
				expect(hasRedactable(line)).toBe(true);
				expect(redactedSomewhere.some(source => new RegExp(source).test(line))).toBe(true);
			}),
		);
	});

	test('that is whole leaves the line its colours, and so do lines without one', () => {
		expect(redactKnown(`\u001B[31ma ${key} b\u001B[m\n\u001B[32mc`)).toBe('\u001B[31ma *** b\u001B[m\n\u001B[32mc');
		expect(redactKnown(`\u001B[31ma ${key.slice(0, 9)}\u001B[m${key.slice(9)}\n\u001B[32mc`)).toBe(
			'a ***\n\u001B[32mc',
		);
	});

	test('is hidden in a private key and after the name of a value', () => {
		const body = 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj';
		expect(
			redactKnownLines(['-----BEGIN RSA \u001B[1mPRIVATE KEY-----', `\u001B[32m${body}`, `${body}\u001B[m`]),
		).toEqual(['-----BEGIN RSA \u001B[1mPRIVATE KEY-----', '***', '***']);
		expect(redact('DB_\u001B[1mPASSWORD\u001B[m=\u001B[32mhunter22')).toBe('DB_PASSWORD=***');
	});

	test('costs in proportion to the length of the text', () => {
		expectLinear(size => redactKnown(`\u001B[31mword ${key}\n`.repeat(size)), 200);
		expectLinear(size => redactKnown('\u001B[31'.repeat(size)), 2000);
	});
});
