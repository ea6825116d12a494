import {pathToFileURL} from 'node:url';
import * as fc from 'fast-check';
import {beforeAll, describe, expect, test} from 'vitest';
import {compiledPath} from '../../../.scripts/compile-modules.mjs';
import {createLineHighlighter, loadHighlighter} from '../../../src/terminal/markdown/highlight.ts';
import {languages} from '../../../src/terminal/markdown/highlight-languages.ts';
import {plainText} from '../../../src/terminal/text/ansi.ts';
import {createPalette, type Palette} from '../../../src/terminal/text/style.ts';
import {expectLinear} from '../../growth.ts';

const palette = createPalette({color: true});
const {keyword, string, number, comment} = palette.syntax;

/** A whole text of code; a line for each of its lines. */
function highlight(code: string, language: string, colors: Palette): readonly string[] {
	return code.split('\n').map(createLineHighlighter(language, colors).next);
}

test('code is plain until the languages are loaded', async () => {
	// Another test may have loaded them: the query makes it a module of its own.
	const {href} = pathToFileURL(compiledPath('src/terminal/markdown/highlight.ts'));
	const unloaded: typeof import('../../../src/terminal/markdown/highlight.ts') = await import(`${href}?unloaded`);
	const code = 'const a = 1;';
	expect(unloaded.createLineHighlighter('ts', palette).next(code)).toBe(code);
	await unloaded.loadHighlighter();
	expect(unloaded.createLineHighlighter('ts', palette).next(code)).not.toBe(code);
});

describe('a loaded highlighter', () => {
	beforeAll(loadHighlighter);

	test('styles tokens by role', () => {
		expect(highlight("const a = 'x<y>&';\nreturn 12;", 'ts', palette)).toEqual([
			`${keyword('const')} a = ${string("'x<y>&'")};`,
			`${keyword('return')} ${number('12')};`,
		]);
	});

	test('continues a comment over many lines', () => {
		const lines = ['/* a', ...Array.from({length: 60}, (_, index) => `const b${index}`), 'z */ return'];
		expect(highlight(lines.join('\n'), 'js', palette)).toEqual([
			...lines.slice(0, -1).map(comment),
			`${comment('z */')} ${keyword('return')}`,
		]);
	});

	test('knows aliases of languages and draws unknown ones as text', () => {
		expect(highlight('return', 'PY', palette)).toEqual([keyword('return')]);
		expect(highlight('return', 'klingon', palette)).toEqual(['return']);
		expect(highlight('return', '__proto__', palette)).toEqual(['return']);
		expect(highlight('return', '', palette)).toEqual(['return']);
	});

	test('draws a very long line plain', () => {
		const line = `const a = ${'1'.repeat(3000)}`;
		expect(highlight(`${line}\nreturn`, 'ts', palette)).toEqual([line, keyword('return')]);
	});

	test('peeking at an unfinished line changes nothing', () => {
		const {next, peek} = createLineHighlighter('ts', palette);
		expect(peek('/* a')).toBe(comment('/* a'));
		expect(next('return')).toBe(keyword('return'));
	});

	test('never adds or loses a character, in any language', () => {
		const piece = fc.constantFrom(
			'<a b="c">',
			'&amp;',
			'/*',
			'*/',
			'"',
			"'",
			'`',
			'$',
			'{x}',
			'# h',
			'\n',
			'  ',
			'if (a) {',
			'}',
		);
		const source = fc.array(fc.oneof(piece, fc.string()), {maxLength: 12}).map(parts => parts.join(''));
		fc.assert(
			fc.property(source, fc.constantFrom(...Object.keys(languages)), (code, language) => {
				expect(highlight(code, language, palette).map(plainText)).toEqual(code.split('\n'));
			}),
			{numRuns: 300},
		);
	});

	test('takes linear time in the number of lines', () => {
		const line = 'export const foo = (a: string) => bar(`x`, 12); // hi\n';
		expectLinear(lines => highlight(line.repeat(lines), 'ts', palette), 50);
	});
});
