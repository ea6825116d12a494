import * as fc from 'fast-check';
import {beforeAll, describe, expect, test} from 'vitest';
import {loadHighlighter} from '../../../src/terminal/markdown/highlight.ts';
import {plainText} from '../../../src/terminal/text/ansi.ts';
import {createPalette} from '../../../src/terminal/text/style.ts';
import {lineWidth} from '../../../src/terminal/text/width.ts';
import {changedLines, drawingOf} from '../../../src/ui/transcript/diff-lines.ts';
import {palette} from '../canvas.ts';

const change = {
	path: 'src/a.ts',
	added: 3,
	removed: 1,
	diff: '@@ -8 +8 @@\n eight\n-nine\n+NINE\n+and a half\n@@ -99 +100 @@\n ninety-nine\n+more\n\\ No newline at end of file',
};
const style = {width: 60, palette};

test('a diff has the numbers of its lines, signs without colour too, and a mark between places', () => {
	expect(drawingOf(change).window({...style, rows: 20})).toEqual({
		shown: [
			'   8   eight',
			'   9 - nine',
			'   9 + NINE',
			'  10 + and a half',
			'     ⋯',
			' 100   ninety-nine',
			' 101 + more',
			'     \\  No newline at end of file',
		],
		leftOut: 0,
	});
	expect(drawingOf(change).title(style)).toBe('src/a.ts · +3 −1');
});

test('added and removed lines have their colours', () => {
	const colored = createPalette({color: true});
	const {shown} = drawingOf(change).window({width: 60, palette: colored, rows: 20});
	expect([shown[1], shown[2]]).toEqual([colored.danger('   9 - nine'), colored.success('   9 + NINE')]);
});

describe('the words that differ', () => {
	const colored = createPalette({color: true});
	const drawn = (diff: string) =>
		drawingOf({path: 'a', added: 1, removed: 1, diff: `@@ -1 +1 @@\n${diff}`}).window({
			width: 80,
			palette: colored,
			rows: 20,
		}).shown;
	const mark = colored.mark;

	test('are marked in a removed line and the one in its place', () => {
		expect(drawn('-const total = price * count;\n+const total = price * amount + tax;')).toEqual([
			colored.danger(` 1 - const total = price * ${mark('count')};`),
			colored.success(` 1 + const total = price * ${mark('amount + tax')};`),
		]);
	});

	test('are marked line by line, as far as both sides go', () => {
		expect(drawn('-let one = 1;\n-let two = 2;\n+let one = 3;\n+let two = 4;\n+let three = 5;')).toEqual([
			colored.danger(` 1 - let one = ${mark('1')};`),
			colored.danger(` 2 - let two = ${mark('2')};`),
			colored.success(` 1 + let one = ${mark('3')};`),
			colored.success(` 2 + let two = ${mark('4')};`),
			colored.success(' 3 + let three = 5;'),
		]);
	});

	test('are not marked if hardly anything is the same, nor in lines that are only added', () => {
		expect(drawn('-abc def ghi\n+something else').join('')).not.toContain('\u001B[7m');
		expect(drawn(' same\n+new line').join('')).not.toContain('\u001B[7m');
		expect(drawn(`-${'x '.repeat(2000)}\n+${'x '.repeat(1999)}y `).join('')).not.toContain('\u001B[7m');
	});

	test('stay safe, and the text of the lines stays the same [1]', () => {
		const evil = 'a \u001B[2J \u202Eb c d e f g h';
		const lines = drawn(`-${evil} x\n+${evil} \u001B]0;y\u0007`);
		expect(lines.map(plainText)).toEqual([
			' 1 - a ␛[2J ⟨U+202E⟩b c d e f g h x',
			' 1 + a ␛[2J ⟨U+202E⟩b c d e f g h ␛]0;y␇',
		]);
	});
});

test('a low window shows a part, says how many lines are left out, and scrolls', () => {
	expect(drawingOf(change).window({...style, rows: 4})).toEqual({
		shown: ['   8   eight', '   9 - nine', '   9 + NINE'],
		leftOut: 5,
	});
	expect(drawingOf(change).window({...style, rows: 4, offset: 5}).shown[0]).toBe(' 100   ninety-nine');
});

describe('a long line', () => {
	const long = {path: 'a', added: 1, removed: 0, diff: `@@ -1 +1 @@\n+${'word '.repeat(30)}`};

	test('is wrapped in a question, and cut in the conversation', () => {
		expect(drawingOf(long).rows(60, 9)).toBe(3);
		expect(drawingOf(long).window({...style, rows: 9}).shown).toHaveLength(3);
		expect(changedLines(long, style)).toEqual([expect.stringMatching(/…$/)]);
	});

	test('that is taller than the window shows its beginning', () => {
		expect(drawingOf(long).window({...style, rows: 3})).toMatchObject({leftOut: 0, shown: {length: 3}});
		expect(drawingOf(long).window({...style, rows: 2})).toMatchObject({leftOut: 1, shown: {length: 1}});
	});
});

test.each([60, 20, 2])('hostile paths and contents stay in their lines, %i cells wide [1]', width => {
	const hostile = 'a\u001B[2J\u001B]0;x\u0007\u202Eb\rc';
	const evil = {path: hostile, added: 1, removed: 0, diff: `@@ -1 +1 @@\n+${hostile}\n ${'宽'.repeat(80)}`};
	const lines = [drawingOf(evil).title({width, palette}), ...drawingOf(evil).window({width, palette, rows: 200}).shown];
	for (const line of lines) {
		expect(plainText(line)).not.toMatch(/[\u0000-\u0008\u000B-\u001F\u007F\u202E]/);
		expect(lineWidth(line)).toBeLessThanOrEqual(width);
	}
});

describe('code in its language', () => {
	const colored = createPalette({color: true});
	const {syntax, mark, added, removed, dim} = colored;
	const drawn = (path: string, diff: string, from = {width: 80, palette: colored, rows: 20}) =>
		drawingOf({path, added: 1, removed: 1, diff: `@@ -1 +1 @@\n${diff}`}).window(from).shown;
	beforeAll(loadHighlighter);

	test('is coloured below the marks of words, and a removed line stays in its colour', () => {
		expect(drawn('src/a.ts', '-const total = 1;\n+const total = 2;\n return total;')).toEqual([
			removed(` 1 - const total = ${mark('1')};`),
			added(` 1 + ${syntax.keyword('const')} total = ${added(mark('2'))};`),
			dim(` 2   ${syntax.keyword('return')} total;`),
		]);
	});

	test('is read in the lines around it, anew in each place of the file', () => {
		const [, open, inner] = drawn('a.js', ' let a;\n+/* one\n+two */\n@@ -90 +90 @@\n let b;');
		expect([open, inner]).toEqual([
			added(`  2 + ${syntax.comment('/* one')}`),
			added(`  3 + ${syntax.comment('two */')}`),
		]);
	});

	test('of unknown files, and without colour, is drawn as text', () => {
		expect(drawn('notes', '+const a = 1;')).toEqual([added(' 1 + const a = 1;')]);
		expect(drawn('a.ts', '+const a = 1;', {...style, rows: 20})).toEqual([' 1 + const a = 1;']);
	});

	test('shows each character of any line [1]', () => {
		const line = fc.string({
			unit: fc.constantFrom(
				'<',
				'&',
				'"',
				'`',
				'$',
				'{',
				'/',
				'*',
				'\u001B',
				'\u202E',
				'a',
				' ',
				'\t',
				'&amp;',
				'</span>',
			),
		});
		fc.assert(
			fc.property(line, fc.constantFrom('a.ts', 'a.html', 'a.py', 'a.sh'), (text, path) => {
				const plain = drawn('notes', `+${text}\n ${text}`);
				expect(drawn(path, `+${text}\n ${text}`).map(plainText)).toEqual(plain.map(plainText));
			}),
			{numRuns: 50},
		);
	});
});
