import * as fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {safeLine, safeText} from '../../../src/terminal/text/safe-text.ts';
import {anyText} from '../../any-text.ts';
import {expectLinear} from '../../growth.ts';

/** Characters that a terminal obeys or a reader can't see, frequent in random text. */
const hostile = fc.constantFrom(
	...[
		'\u001B',
		'\u001B[2J',
		'\u001B]0;title\u0007',
		'\u009B31m',
		'\u0090',
		'\u0007',
		'\b',
		'\r',
		'\r\n',
		'\0',
		'\u007F',
	],
	...['\u202E', '\u2066', '\u200B', '\u200D', '\u200C', '\uFE0F', '\uFEFF', '\u00AD', '\u2028', '\uD800', '\uDE00'],
	...[
		'\u{E0041}',
		'\u{E007F}',
		'\u{E0100}',
		'\u{1F3F4}',
		'👩',
		'🏽',
		'1',
		'\u20E3',
		'می',
		'क्',
		'漢',
		'\t',
		'\n',
		'⟨U+202E⟩',
	],
);
const hostileText = fc.array(fc.oneof(hostile, anyText(), fc.string()), {maxLength: 12}).map(parts => parts.join(''));

/** Control characters except LF and TAB, lone surrogates, and controls of text direction. */
const obeyed = /[\0-\u0008\u000B-\u001F\u007F-\u009F\u2028\u2029\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]|\p{Cs}/u;

describe('safeText', () => {
	test.each([
		['an escape sequence', 'a\u001B[2Jb', 'a␛[2Jb'],
		['an escape that a stripper would put together', '\u001B\u001B[2J[2J', '␛␛[2J[2J'],
		['a window title', '\u001B]0;x\u0007', '␛]0;x␇'],
		['a clipboard write with the 8-bit introducer', '\u009D52;c;eA==\u009C', '⟨U+009D⟩52;c;eA==⟨U+009C⟩'],
		['NUL, backspace and delete', '\0\b\u007F', '␀␈␡'],
		['a lone CR, which would overwrite the line', 'safe\rrm -rf', 'safe␍rm -rf'],
		['a CR before CRLF', 'a\r\r\nb', 'a␍\nb'],
		['text direction', 'a\u202Egpj.exe\u2066', 'a⟨U+202E⟩gpj.exe⟨U+2066⟩'],
		['zero width between Latin letters', 'pay\u200Bpal a\u200Db', 'pay⟨U+200B⟩pal a⟨U+200D⟩b'],
		['a byte order mark and a soft hyphen', '\uFEFFa\u00ADb', '⟨U+FEFF⟩a⟨U+00AD⟩b'],
		['line and paragraph separators', 'a\u2028b\u2029', 'a⟨U+2028⟩b⟨U+2029⟩'],
		['a message in tag characters', 'hi\u{E0068}\u{E0069}', 'hi⟨U+E0068⟩⟨U+E0069⟩'],
		['a message in variation selectors', '😀\uFE0F\u{E0101}\u{E0102}', '😀\uFE0F⟨U+E0101⟩⟨U+E0102⟩'],
		['a Hangul filler', '\u3164x\u115F', '⟨U+3164⟩x⟨U+115F⟩'],
		['a blank of Braille', 'a\u2800b \u2801\u2800\u2800\u2801', 'a⟨U+2800⟩b \u2801⟨U+2800⟩⟨U+2800⟩\u2801'],
		[
			'blanks of other scripts',
			'\uFFA0\u1160\u034F\u180E\u17B4\u17B5\u{1D159}\u{13441}\u{16FE4}\uFFFC',
			'⟨U+FFA0⟩⟨U+1160⟩⟨U+034F⟩⟨U+180E⟩⟨U+17B4⟩⟨U+17B5⟩⟨U+1D159⟩⟨U+13441⟩⟨U+16FE4⟩⟨U+FFFC⟩',
		],
		['a name that ends in a blank', '.env\u3164 src/\u2800.ts', '.env⟨U+3164⟩ src/⟨U+2800⟩.ts'],
		[
			'the ninth mark on a letter, and those after it',
			`e${'\u0301'.repeat(10)}o\u0308`,
			`e${'\u0301'.repeat(8)}⟨U+0301⟩⟨U+0301⟩o\u0308`,
		],
		[
			'marks around an invisible character',
			`e${'\u0301'.repeat(8)}\u034F\u0301`,
			`e${'\u0301'.repeat(8)}⟨U+034F⟩⟨U+0301⟩`,
		],
		[
			'marks after a joiner',
			`ب${'\u0610'.repeat(6)}\u200D${'\u0610'.repeat(3)}ب`,
			`ب${'\u0610'.repeat(6)}\u200D\u0610⟨U+0610⟩⟨U+0610⟩ب`,
		],
		['lone surrogates', 'a\uD800b\uDC00', 'a⟨U+D800⟩b⟨U+DC00⟩'],
	])('[2] shows %s', (_, text, shown) => {
		expect(safeText(text)).toBe(shown);
	});

	test.each([
		'plain ASCII, with\ttabs\nand lines',
		'Ünïcödé, Ελληνικά, русский, עברית, العربية, 日本語, 한국어, ไทย',
		'— “quotes” … • ✓ ⏎ ─│┌ ⟨U+202E⟩ ␛',
		'👩‍👩‍👧 👍🏽 ❤️ ☎︎ 1️⃣ 🇩🇪 🏳️‍🌈 👩🏽‍💻 😀\n⛹🏽‍♀️',
		'\u{1F3F4}\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}',
		'می\u200Cخواهم क्\u200Dष ක්\u200Dර',
		'葛\u{E0100} e\u0301',
		// Vietnamese, Hebrew with points and accents, Arabic with vowels, Thai, Lao, Hindi, Tamil, Burmese, Khmer.
		'Tiếng Việt Tie\u0302\u0301ng Vie\u0323\u0302t',
		'בְּרֵאשִׁ֖ית בָּרָ֣א אֱלֹהִ֑ים',
		'بِسْمِ ٱللَّهِ ٱلرَّحْمَٰنِ ٱلرَّحِيمِ',
		'ที่นี่ก็ดี ปั๊ม ນ້ຳ हिन्दी क्ष्म्य்ं தமிழ் ကြွက် ស្ត្រី',
		// The tallest stack of Tibetan: eight marks.
		'བོད་ཡིག \u0F67\u0F90\u0FB5\u0FA8\u0FB3\u0FBA\u0FBC\u0FBB\u0F82',
		'⠓⠑⠇⠇⠕⠀⠺⠕⠗⠇⠙ 조선글 ㄱㄴㄷ ᄀᆞᆷ ｱｲｳ',
	])('[2] keeps %j', text => {
		expect(safeText(text)).toBe(text);
	});

	test('turns CRLF into LF', () => {
		expect(safeText('a\r\nb\r\n')).toBe('a\nb\n');
	});

	test('[1] never returns a character that a terminal obeys, for any text', () => {
		fc.assert(
			fc.property(hostileText, text => {
				expect(safeText(text)).not.toMatch(obeyed);
			}),
		);
	});

	test('[2] leaves no blank glyph and no pile of marks, for any text', () => {
		const part = fc.constantFrom(
			'a',
			'\u2800',
			'\u2801',
			'\u3164',
			'\u0301',
			'\u200D',
			'\u034F',
			'\u0610',
			'ب',
			'\uFFFC',
			'\uFE0F',
		);
		fc.assert(
			fc.property(fc.array(part, {maxLength: 40}), parts => {
				const safe = safeText(parts.join(''));
				expect(safe).not.toMatch(/\u3164|\u034F|\uFFFC|\u2800(?!\u2801)|(?<!\u2801)\u2800|\p{M}{9}/u);
				expect(safeText(safe)).toBe(safe);
			}),
		);
	});

	test('[1] changes nothing when applied again', () => {
		fc.assert(
			fc.property(hostileText, text => {
				const safe = safeText(text);
				expect(safeText(safe)).toBe(safe);
			}),
		);
	});

	test('[1] is safe when safe texts are joined', () => {
		fc.assert(
			fc.property(hostileText, hostileText, (a, b) => {
				expect(safeText(a) + safeText(b)).not.toMatch(obeyed);
			}),
		);
	});

	test('keeps letters, digits and punctuation of all scripts', () => {
		const printable = fc.string({unit: 'grapheme'}).filter(text => /^[\p{L}\p{N}\p{P}\p{S}\p{Zs}]*$/u.test(text));
		fc.assert(
			fc.property(printable, text => {
				fc.pre(!/[\p{Default_Ignorable_Code_Point}\u2800\uFFFC\u{13441}\u{13442}\u{1D159}]|\p{M}{9}/u.test(text));
				expect(safeText(text)).toBe(text);
			}),
		);
	});

	test('takes linear time in the number of escapes', () => {
		expect(safeText('\u001B'.repeat(1_000_000))).toHaveLength(1_000_000);
		expectLinear(size => safeText('\u001B'.repeat(size)), 5000);
		expectLinear(size => safeText(`e${'\u0301'.repeat(size)}`), 5000);
	});
});

describe('safeLine', () => {
	test('[2] returns one line', () => {
		expect(safeLine('a\nb\r\nc\td\u001B')).toBe('a␊b␊c d␛');
	});

	test('changes nothing when applied again', () => {
		fc.assert(
			fc.property(hostileText, text => {
				expect(safeLine(safeLine(text))).toBe(safeLine(text));
				expect(safeLine(text)).not.toMatch(/[\n\t]/);
			}),
		);
	});
});
