import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {applyEdits} from '../../../src/agent/tools/files/apply-edits.ts';
import {describeChange} from '../../../src/agent/tools/files/change-file.ts';
import {openTools} from './open-tools.ts';

/** What a file has, what a model writes, what the file has then, and how many tries that takes. */
type Case = readonly [name: string, file: string, old: string, next: string, after: string, tries?: number];

const crlf = (text: string) => text.replaceAll('\n', '\r\n');
const nfd = (text: string) => text.normalize('NFD');

const glyphs: readonly Case[] = [
	['curly double quotes', 'say “hi” now\n', 'say "hi" now', 'say "hi" later', 'say “hi” later\n'],
	['a curly apostrophe', 'it’s one\n', "it's one", "it's two", 'it’s two\n'],
	['a straight apostrophe for a curly one', "it's one\n", 'it’s one', 'it’s two', "it's two\n"],
	['a quote that changes', 'say “hi”\n', 'say "hi"', 'say hi!', 'say hi!\n'],
	['new quotes beside old ones', 'a “b”\n', 'a "b"', 'a "b" "c"', 'a “b” "c"\n'],
	['low quotes', 'say „hi‟\n', 'say "hi"', 'say "ho"', 'say „ho‟\n'],
	['a no-break space', 'a\u00A0b c\n', 'a b c', 'a b d', 'a\u00A0b d\n'],
	['a narrow no-break space', '5\u202FPM\n', '5 PM', '6 PM', '6\u202FPM\n'],
	['an ideographic space', 'a\u3000b\n', 'a b', 'a bc', 'a\u3000bc\n'],
	['a no-break space that the file lacks', 'a b c\n', 'a\u00A0b c', 'a\u00A0b d', 'a b d\n'],
	['decomposed accents', `${nfd('café')} one\n`, 'café one', 'café two', `${nfd('café')} two\n`],
	['composed accents', 'café one\n', nfd('café one'), nfd('café two'), 'café two\n'],
	['decomposed Korean', `${nfd('한국어')} one\n`, '한국어 one', '한국어 two', `${nfd('한국어')} two\n`],
	['an ellipsis', 'wait… one\n', 'wait... one', 'wait... two', 'wait… two\n'],
	['three dots', 'wait... one\n', 'wait… one', 'wait… two', 'wait... two\n'],
	['a zero-width space', 'a\u200Bb one\n', 'ab one', 'ab two', 'a\u200Bb two\n'],
	['a byte order mark in the middle', 'x\n\uFEFFa one\n', 'x\na one', 'x\na two', 'x\n\uFEFFa two\n'],
	['a soft hyphen', 'hy\u00ADphen one\n', 'hyphen one', 'hyphen two', 'hy\u00ADphen two\n'],
	['full-width letters', 'Ａ１：one\n', 'A1:one', 'A1:two', 'Ａ１：two\n'],
	['full-width brackets', 'f（x）\n', 'f(x)', 'f(y)', 'f（y）\n'],
	['half-width kana', 'ｶﾞ one\n', 'ガ one', 'ガ two', 'ｶﾞ two\n'],
	['an en dash', '1–2 a\n', '1-2 a', '1-2 b', '1–2 b\n'],
	['an em dash', 'a — b\n', 'a - b', 'a - c', 'a — c\n'],
	['a minus sign', 'a − 1\n', 'a - 1', 'a - 2', 'a − 2\n'],
	['a no-break hyphen', 'a‑b c\n', 'a-b c', 'a-b d', 'a‑b d\n'],
	['a ligature', 'ﬁle one\n', 'file one', 'file two', 'ﬁle two\n'],
	['a variation selector', 'ok ✔️ one\n', 'ok ✔ one', 'ok ✔ two', 'ok ✔️ two\n'],
	['all at once', '“a…”\u00A0– it’s\n', '"a..." - it\'s', '"a..." - it', '“a…”\u00A0– it\n'],
];

const blanks: readonly Case[] = [
	[
		'tabs for spaces',
		'\tif (a) {\n\t\tb();\n\t}\n',
		'    if (a) {\n        b();\n    }',
		'    if (a) {\n        c();\n    }',
		'\tif (a) {\n\t\tc();\n\t}\n',
	],
	[
		'tabs for two spaces',
		'\tif (a) {\n\t\tb();\n\t}\n',
		'  if (a) {\n    b();\n  }',
		'  if (a) {\n    b();\n    c();\n  }',
		'\tif (a) {\n\t\tb();\n\t\tc();\n\t}\n',
	],
	[
		'spaces for tabs',
		'  if (a) {\n    b();\n  }\n',
		'\tif (a) {\n\t\tb();\n\t}',
		'\tif (a) {\n\t\tif (c) {\n\t\t\tb();\n\t\t}\n\t}',
		'  if (a) {\n    if (c) {\n      b();\n    }\n  }\n',
	],
	[
		'all lines farther left',
		'    a:\n      b: 1\n',
		'a:\n  b: 1',
		'a:\n  b: 1\n  c: 2',
		'    a:\n      b: 1\n      c: 2\n',
	],
	[
		'all lines farther right',
		'a:\n  b: 1\n',
		'    a:\n      b: 1',
		'    a:\n      b: 2\n    c: 3',
		'a:\n  b: 2\nc: 3\n',
	],
	['one line with other blanks before it', 'x\n\t\tone();\n', '        one();', '        two();', 'x\n\t\ttwo();\n'],
	['blanks at the end of a line', 'a  \nb\n', 'a\nb', 'a\nc', 'a  \nc\n'],
	['blanks that the file has not at the end', 'a\nb\n', 'a  \nb', 'a  \nc', 'a\nc\n'],
	['a blank line with blanks', 'a\n   \nb\n', 'a\n\nb', 'a\n\nc', 'a\n   \nc\n'],
	['a blank line without blanks', 'a\n\nb\n', 'a\n  \nb', 'a\n  \nc', 'a\n\nc\n'],
	['aligned columns', 'a   = 1\nbbb = 2\n', 'a = 1\nbbb = 2', 'a = 1\nbbb = 3', 'a   = 1\nbbb = 3\n'],
	['a tab between words', 'name\tone\n', 'name one', 'name two', 'name\ttwo\n'],
	[
		'a no-break space before a line',
		'\u00A0\u00A0a\n\u00A0\u00A0b\n',
		'  a\n  b',
		'  a\n  c',
		'\u00A0\u00A0a\n\u00A0\u00A0c\n',
	],
	[
		'a new function in a file of tabs',
		'\tf() {\n\t\treturn “a”;\n\t}\n',
		'  f() {\n    return "a";\n  }',
		'  f() {\n    return "a";\n  }\n\n  g() {\n    f();\n  }',
		'\tf() {\n\t\treturn “a”;\n\t}\n\n\tg() {\n\t\tf();\n\t}\n',
	],
	[
		'a deeper level that the old text has not',
		'\ta();\n\tb();\n',
		'    a();\n    b();',
		'    if (x) {\n        a();\n    }\n    b();',
		'\tif (x) {\n\t\ta();\n\t}\n\tb();\n',
	],
	['a line less', '\ta();\n\tb();\n\tc();\n', '  a();\n  b();\n  c();', '  a();\n  c();', '\ta();\n\tc();\n'],
];

const levels: readonly Case[] = [
	[
		'four blanks a level for two',
		'a:\n    - b\n    - c\n',
		'a:\n  - b\n  - c',
		'a:\n  - b\n  - d:\n    - e\n  - c',
		'a:\n    - b\n    - d:\n        - e\n    - c\n',
	],
	[
		'two blanks a level for four',
		'a:\n  b:\n    c: 1\n',
		'a:\n    b:\n        c: 1',
		'a:\n    b:\n        c: 2\n    d: 3',
		'a:\n  b:\n    c: 2\n  d: 3\n',
	],
];

const lines: readonly Case[] = [
	['CRLF', crlf('a\nb\nc\n'), 'a\nb\n', 'a\nB\nb2\n', crlf('a\nB\nb2\nc\n')],
	['CRLF in the old text alone', 'a\nb\nc\n', 'a\r\nb', 'a\r\nB\r\nx', 'a\nB\nx\nc\n'],
	['mixed ends, old text over both', 'a\r\nb\nc\n', 'a\nb\nc', 'a\nb\nd', 'a\r\nb\nd\n'],
	['mixed ends, new lines as the place', 'a\r\nb\r\nc\nd\n', 'b', 'b\nx', 'a\r\nb\r\nx\r\nc\nd\n'],
	['mixed ends, a new line among LF', 'a\r\nb\nc\n', 'b\n', 'b\nx\n', 'a\r\nb\nx\nc\n'],
	['line numbers and tabs', 'x\none\ntwo\n', '2\tone\n3\ttwo', '2\tone\n3\tTWO', 'x\none\nTWO\n'],
	['line numbers, new lines without', 'x\none\ntwo\n', '2\tone\n3\ttwo', '2\tone\nnew\n3\ttwo', 'x\none\nnew\ntwo\n'],
	[
		'line numbers right-aligned',
		'x\n\tone\n\ttwo\n',
		'     2→\tone\n     3→\ttwo',
		'     2→\tone\n     3→\tTWO',
		'x\n\tone\n\tTWO\n',
	],
	['one numbered line', 'x\none\n', '2\tone', '2\ttwo', 'x\ntwo\n'],
	['line numbers and a blank line', 'a\n\nb\n', '1\ta\n2\t\n3\tb', '1\ta\n2\t\n3\tc', 'a\n\nc\n'],
	['line numbers and curly quotes', 'x\n“a”\nb\n', '2\t"a"\n3\tb', '2\t"a"\n3\tc', 'x\n“a”\nc\n'],
	['blank lines before', 'x\na\nb\n', '\n\na\nb', '\n\na\nc', 'x\na\nc\n'],
	['blank lines behind', 'a\nb\nx\n', 'a\nb\n\n\n', 'a\nc\n\n\n', 'a\nc\nx\n'],
	['an end that the last line has not', 'a\nb', 'b\n', 'c\n', 'a\nc'],
	['data that looks like line numbers', '1\ta\n2\tb\n', '1\ta\n2\tb', '1\ta\n2\tc', '1\ta\n2\tc\n'],
];

const refused: readonly Case[] = [
	['a Cyrillic letter', 'const nаme = one;\n', 'const name = one;', 'const name = two;', 'const name = two;\n', 2],
	['another word', 'const total = one;\n', 'const sum = one;', 'const total = two;', 'const total = two;\n', 2],
	['a missing space', 'f(a, b);\n', 'f(a,b);', 'f(a, c);', 'f(a, c);\n', 2],
	[
		'blanks that no shift explains',
		'if a:\n  b()\n      c()\n',
		'if a:\n  b()\n  c()',
		'if a:\n  b()',
		'if a:\n  b()\n',
		2,
	],
	['another case', 'const Name = one;\n', 'const name = one;', 'const Name = two;', 'const Name = two;\n', 2],
	['a slip in the second line', 'one();\ntwo(a);\n', 'one();\ntwo(b);', 'one();\ntwo(c);', 'one();\ntwo(c);\n', 2],
	['a backslash too many', "split('\\n')\n", "split('\\\\n')", "split('x')", "split('x')\n", 2],
];

describe('a scripted model changes', () => {
	const cases = [...glyphs, ...blanks, ...levels, ...lines, ...refused].map(
		([name, file, old, next, after, tries = 1]) => ({
			name,
			file,
			old,
			next,
			after,
			tries,
		}),
	);

	test('more than 60 files', () => {
		expect(cases.length).toBeGreaterThan(60);
	});

	test.each(cases)('$name', async ({file, old, next, after, tries}) => {
		const {read, edit, text, asked} = await openTools({'a.txt': file});
		await read('a.txt');
		let sought = old;
		let count = 1;
		for (; count <= 3; count++) {
			const refusal = await edit('a.txt', sought, next).then(
				() => undefined,
				(error: Error) => error.message,
			);
			if (refusal === undefined) {
				break;
			}

			// The second try copies the lines that the message shows.
			expect(refusal).toContain('What differs (→ is a tab, · a space):');
			sought = [...refusal.matchAll(/(?<=\n)\d+\t(.*)/g)].map(([, line]) => line).join('\n');
		}

		expect([await text('a.txt'), count]).toEqual([after, tries]);
		expect(asked.map(({exactChange}) => exactChange?.diff)).toEqual([describeChange('a.txt', file, after).exact.diff]);
	});
});

describe('a message draws', () => {
	const refusal = async (file: string, old: string) => {
		const {read, edit} = await openTools({'a.txt': file});
		await read('a.txt');
		return edit('a.txt', old, 'x').catch((error: Error) => error.message);
	};

	test('the code points of letters that look alike', async () => {
		expect(await refusal('const nаme = 1;\n', 'const name = 1;')).toContain(
			'line 1 has: const·nа⟨U+0430⟩me·=·1;\nold_text has: const·name·=·1;',
		);
	});

	test('tabs, spaces and what nobody sees, near the difference alone', async () => {
		const message = await refusal(`${'x'.repeat(500)}\ta\u00A0\u200Bb;\n`, `${'x'.repeat(500)}    ac b;`);
		expect(message).toContain(`line 1 has: …${'x'.repeat(60)}→a⟨U+00A0⟩⟨U+200B⟩b;`);
		expect(message).toContain(`old_text has: …${'x'.repeat(60)}····ac·b;`);
	});

	test('the lines of several places that look alike, which are not changed', async () => {
		expect(await refusal('“a”\nx\n‘a’\n“a”\n', '"a"')).toContain(
			'matches 2 places, at lines 1, 4, if what looks the same counts as equal. Nothing was written.',
		);
		expect(await refusal('\ta;\n    a;\n', '      a;\n')).toContain('2 places, at lines 1, 2');
	});
});

test('an exact match is meant, whatever else looks the same', () => {
	expect(applyEdits('“a”\n"a"\n', [{old_text: '"a"', new_text: 'b'}])).toBe('“a”\nb\n');
	expect(applyEdits('\ta\n  a\n', [{old_text: '  a', new_text: '  b'}])).toBe('\ta\n  b\n');
});

test('several edits and replace_all keep the characters of each place', () => {
	const edits = [
		{old_text: 'it\'s "a"', new_text: 'it\'s "b"', replace_all: true},
		{old_text: 'end - x', new_text: 'end - y'},
	];
	expect(applyEdits("it’s “a”\nit's ‟a”\nend – x\n", edits)).toBe("it’s “b”\nit's ‟b”\nend – y\n");
});

const words = fc.array(fc.constantFrom('alpha', 'beta', 'gamma', 'é', '한', '"q"', "it's", 'a-b', 'x...', '(y)', ';'), {
	minLength: 1,
	maxLength: 5,
});
const codeLine = fc.tuple(fc.nat(2), words).map(([depth, parts]) => '\t'.repeat(depth) + parts.join(' '));

/** Each makes a text that looks the same. */
const distortions: ReadonlyArray<(text: string) => string> = [
	text => text,
	text => text.normalize('NFD'),
	text => text.replaceAll('"', '“'),
	text => text.replaceAll("'", '’'),
	text => text.replaceAll('-', '–'),
	text => text.replaceAll('...', '…'),
	text => text.replaceAll('(', '（').replaceAll(')', '）'),
	text => text.replaceAll(' ', '\u00A0'),
	text => text.replaceAll('a', 'a\u200B'),
	text => text.replace(/\r?\n/g, '\r\n'),
	text => text.replaceAll('\t', '    '),
	text => text.replace(/\r?\n/g, '  $&'),
];

test('an edit of a slice that looks the same applies, bytes outside of it stay, and the diff is what is written', () => {
	let applied = 0;
	fc.assert(
		fc.property(
			fc.array(codeLine, {minLength: 1, maxLength: 6}),
			fc.nat(5),
			fc.integer({min: 1, max: 3}),
			fc.array(fc.constantFrom(...distortions), {maxLength: 4}),
			fc.array(fc.constantFrom(...distortions), {maxLength: 2}),
			(rows, at, length, inFile, inOld) => {
				const distort = (text: string, by: typeof inFile) => by.reduce((so, change) => change(so), text);
				const first = at % rows.length;
				// A mark makes the slice unique.
				const slice = rows.slice(first, first + length).map((row, index) => (index === 0 ? `${row} mark` : row));
				const [head, tail] = [rows.slice(0, first).join('\n'), rows.slice(first + length).join('\n')];
				const before = distort(`${head}\n`, inFile);
				const behind = distort(`\n${tail}`, inFile);
				const own = distort(slice.join('\n'), inFile);
				const old = distort(slice.join('\n'), inOld);
				const next = old.replace(/m\p{DI}*a\p{DI}*rk/u, 'other');
				const after = applyEdits(before + own + behind, [{old_text: old, new_text: next}]);
				const expected = own.replace(/m\p{DI}*a\p{DI}*rk/u, 'other');
				const trimmed = (text: string) => text.replace(/[\t \u00A0]+$/u, '');
				expect(trimmed(after.slice(0, after.length - behind.length))).toBe(trimmed(before + expected));
				expect(after.endsWith(behind)).toBe(true);
				applied++;
			},
		),
	);
	expect(applied).toBeGreaterThan(90);
});

test('a text that looks like two places is refused, and nothing is written', () => {
	fc.assert(
		fc.property(codeLine, fc.constantFrom(...distortions), fc.constantFrom(...distortions), (row, one, other) => {
			const file = `${one(row)}\nbetween\n${other(row)}\n`;
			const old = row.replaceAll(' ', '\u2009').replace(/$/, '\u2009').replaceAll('\t', '      ');
			fc.pre(!file.includes(old));
			expect(() => applyEdits(file, [{old_text: old, new_text: 'x'}])).toThrow(/Nothing was written/);
		}),
	);
});

test.each([
	['repeats of one letter', 'a'.repeat(1_000_000), `${'a'.repeat(50_000)}b${'a'.repeat(50_000)}`],
	['repeats of a line', ' a\n'.repeat(300_000), `${'a \n'.repeat(30_000)}b`],
	['a line of one megabyte', 'é“'.repeat(500_000), `${'é"'.repeat(20_000)}x`],
	['blank lines', '\n'.repeat(500_000), `${'\n'.repeat(100_000)}x`],
	['100 kB that resemble many places', ' a\n'.repeat(300_000), 'a \n'.repeat(30_000)],
])("%s don't take long, and change nothing", (_, file, old) => {
	expect(() => applyEdits(file, [{old_text: old, new_text: 'x'}])).toThrow(/Nothing was written/);
});
