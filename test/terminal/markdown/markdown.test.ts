import * as fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {renderMarkdown} from '../../../src/terminal/markdown/markdown.ts';
import {hyperlink} from '../../../src/terminal/text/ansi.ts';
import {createPalette} from '../../../src/terminal/text/style.ts';
import {lineWidth} from '../../../src/terminal/text/width.ts';
import {continues} from '../../../src/terminal/text/wrap.ts';
import {countSteps, expectLinear} from '../../growth.ts';
import {markdownSource} from '../markdown-source.ts';

const plain = createPalette({color: false});
const palette = createPalette({color: true});

const draw = (source: string, width = 40) => renderMarkdown(source, {width, palette: plain});

describe('renderMarkdown', () => {
	test('draws headings, paragraphs and rules one blank line apart', () => {
		expect(draw('# One\ntext\n\n\n\nmore\n***\n### Three', 8)).toEqual([
			...['# One', '', 'text', '', 'more', '', '────────', '', '### Three'.slice(0, 3), 'Three'],
		]);
	});

	test('keeps the line breaks of a paragraph and wraps it at words', () => {
		expect(draw('one\n  two  \nthree four five six', 12)).toEqual(['one', 'two', 'three four', 'five six']);
	});

	test('styles by role, and by marks without colour', () => {
		const source = '**b** *e* ~~d~~ `c`';
		expect(draw(source)).toEqual(['**b** *e* ~~d~~ `c`']);
		expect(renderMarkdown(source, {width: 40, palette})).toEqual([
			[palette.strong('b'), palette.emphasis('e'), palette.strikethrough('d'), palette.code('c')].join(' '),
		]);
	});

	test('hangs the lines of items under their text', () => {
		const source =
			'- one two three\n  - nested item\n\n    more\n- [ ] to do\n- [x] done\n\n8. eight\n9. nine\n1. ten ten ten';
		expect(draw(source, 14)).toEqual([
			...['• one two', '  three', '  ◦ nested', '    item', '', '    more', '[ ] to do', '[x] done', ''],
			...['8. eight', '9. nine', '10. ten ten', '    ten'],
		]);
	});

	test('draws the box of a task in place of a bullet, and behind a number', () => {
		expect(draw('- a\n  - [ ] b\n- [x] c\n\n1. [x] d')).toEqual(['• a', '  [ ] b', '[x] c', '', '1. [x] d']);
	});

	test('draws a quote behind a bar', () => {
		expect(draw('> a b c d\n>\n> > e f', 12)).toEqual(['│ a b c d', '│', '│ │ e f']);
		expect(draw('> > e f', 10)).toEqual(['│ │', '│ e f']);
	});

	test('draws code without a border beside it and breaks its long lines hard', () => {
		expect(draw('```ts\n  const a = 1;\n\n```\n\n    indented\n', 12)).toEqual([
			...['── ts ─', '  const a = ', '1;', '', '────────────', '', '────', 'indented', '────────'],
		]);
	});

	test('marks rows whose line of code continues by their last cell, which adds nothing to copy', () => {
		const style = {width: 8, palette, softWraps: true};
		const [, first = '', second, rule] = renderMarkdown('```\nabcdefghij\n```', style);
		expect(first).toBe(`abcdefg${palette.mark('h')}${continues}`);
		expect([second, rule]).toEqual(['ij', palette.dim('────────')]);
		expect(renderMarkdown('- ```\n  abcdefghij\n  ```', {width: 10, palette})[1]).toBe(`  abcdefg${palette.mark('h')}`);
		expect(draw('```\nabcdefghij\n```', 8)).toEqual(['────', 'abcdefgh', 'ij', '────────']);
	});

	test('draws code without an end to the end of the source', () => {
		expect(draw('~~~\na\n```\n', 8)).toEqual(['────', 'a', '```', '────']);
	});

	test('shows HTML as text, except for a line break', () => {
		expect(draw('<div>\n<b>x</b>\n</div>\n\na <i>b</i><br>c <br /> **d**')).toEqual([
			...['<div>', '<b>x</b>', '</div>', '', 'a <i>b</i>', 'c', '**d**'],
		]);
	});

	test("draws reference definitions as text, because a stream can't wait for them", () => {
		expect(draw('[a][1]\n\n[1]: https://example.com/')).toEqual(['[a][1]', '', '[1]: https://example.com/']);
	});

	test('resolves links to earlier definitions, using the first of each name', () => {
		const source = '[One]: https://example.com/1\n[one]: https://example.com/2\n[__proto__]: https://example.com/3';
		expect(draw(`${source}\n\n[a][ONE], [one][], [One], [b][two], [c][toString] and [d][__proto__]`, 200).at(-1)).toBe(
			[
				...['a (https://example.com/1), one (https://example.com/1), One (https://example.com/1)'],
				'[b][two], [c][toString] and d (https://example.com/3)',
			].join(', '),
		);
	});

	test.each([
		['a path', 'C:\\\\dir\\\\*'],
		['a formula in a sentence', 'with \\(a_1 * b *c* \\in \\{1, 2\\}\\) in it'],
		['a formula on its own', '\\[ x^2 \\\\ y \\, z \\]'],
		['half a formula', 'with \\( in it'],
	])('keeps the backslashes of %s', (_, source) => {
		expect(draw(source, 80)).toEqual([source]);
		expect(renderMarkdown(source, {width: 80, palette})).toEqual([source]);
	});

	test.each([
		['one tilde', 'H~2~O and x~y~z'],
		['a formula between dollars', 'with $x*y*z$ and $$\\sum_{i}^{*n*} a_i$$ in it'],
		['two prices', 'from $5 or `$6` on'],
	])('leaves %s as it is', (_, source) => {
		expect(draw(source, 80)).toEqual([source]);
	});

	test('marks the names of footnotes, and leaves their texts where they are', () => {
		expect(draw('One[^1] and two[^note-2].\n\n[^1]: The **first**.')).toEqual([
			...['One[1] and two[note-2].', '', '[1]: The **first**.'],
		]);
	});

	test('draws a long line in steps that grow with its length', () => {
		expectLinear(length => draw('word **b** `c` 日本 '.repeat(length / 20), 80), 4000);
	});

	test('reads a backslash before Markdown characters as an escape', () => {
		expect(draw('\\*a\\* \\_b\\_ \\`c\\` \\# \\<d>')).toEqual(['*a* _b_ `c` # <d>']);
	});
});

describe('links', () => {
	const line = (source: string) => renderMarkdown(source, {width: 200, palette: plain, links: true})[0];
	const url = 'https://example.com/a';

	test('[3] show their address and can be clicked on both', () => {
		expect(line(`[text](${url})`)).toBe(`${hyperlink('text', url)} (${hyperlink(url, url)})`);
	});

	test('[3] are drawn once if the text is the address', () => {
		expect(line(`<${url}>`)).toBe(hyperlink(url, url));
		expect(line('a@example.com')).toBe(hyperlink('a@example.com', 'mailto:a@example.com'));
	});

	test('[3] show the true address of a text that looks like another one', () => {
		const evil = 'https://evil.example/';
		expect(line(`[https://example.com](${evil})`)).toBe(
			`${hyperlink('https://example.com', evil)} (${hyperlink(evil, evil)})`,
		);
		expect(line('[https://exаmple.com](https://exаmple.com)')).toContain('(');
		expect(line('[https://exаmple.com](https://exаmple.com)')).toContain('https://xn--exmple-4nf.com/');
	});

	test.each(['javascript:alert(1)', 'file:///etc/passwd', 'vscode://x', './README.md', '#part', 'data:text/html,x'])(
		'[3] never offer %s to the terminal',
		href => {
			expect(line(`[text](${href})`)).toBe(`text (${href})`);
		},
	);

	test('[3] never carry a control character into a sequence', () => {
		const drawn = line('[a](https://example.com/&#27;]8;;x&#7;) ![i](<https://x/\u0007\u001B\\>)') ?? '';
		expect(drawn.replace(/\u001B\]8;;[!-~]*?\u001B\\/g, '')).not.toMatch(/[\0-\u001F\u007F-\u009F]/);
	});

	test('[3] can be clicked if the palette is that of a terminal with hyperlinks', () => {
		const options = {width: 200, palette: createPalette({color: false, links: true})};
		expect(renderMarkdown(`<${url}>`, options)).toEqual([hyperlink(url, url)]);
		expect(renderMarkdown(`<${url}>`, {...options, palette: plain})).toEqual([url]);
	});

	test("are plain text if the terminal doesn't support hyperlinks", () => {
		expect(draw(`![alt](${url})`)).toEqual([`alt (${url})`]);
	});
});

describe('hostile Markdown', () => {
	test('[1] is made safe before it is styled, including its character references', () => {
		expect(draw('a\u001B[2J\u202E `\u001B` &#x202e; &#155; &amp; &lt;')).toEqual([
			'a␛[2J⟨U+202E⟩ `␛` ⟨U+202E⟩ ⟨U+009B⟩ & <',
		]);
		expect(draw('&#27;[2J &#x1b; &#10; [&#27;](&#7;) ![&#27;](x)', 80)).toEqual([
			'&#27;[2J &#x1b; &#10; &#27; (&#7;) &#27; (x)',
		]);
	});

	test('[1] never draws an escape other than ours, nor a line that is too wide', () => {
		const styles = /\u001B\[\d[\d;]*m|\u001B\]8;;[!-~]*?\u001B\\/g;
		fc.assert(
			fc.property(markdownSource, fc.integer({min: 8, max: 60}), (source, width) => {
				for (const line of renderMarkdown(source, {width, palette, links: true})) {
					expect(line.replace(styles, '')).not.toMatch(/[\0-\u001F\u007F-\u009F\u202E]/);
					expect(lineWidth(line)).toBeLessThanOrEqual(width);
				}
			}),
			{numRuns: 150},
		);
	});

	test.each([
		['deep quotes', '>'.repeat(5000)],
		['deep lists', Array.from({length: 100}, (_, depth) => `${'  '.repeat(depth)}- a`).join('\n')],
		['a thousand items', '- item **b**\n'.repeat(1000)],
		['a long line', 'word '.repeat(20_000)],
		['a long word', 'x'.repeat(100_000)],
		['open emphasis', '*a **b _c '.repeat(300)],
		['open brackets', '['.repeat(1500)],
		['open code', '`a ``b '.repeat(1000)],
		['a wide table', `${'|a'.repeat(500)}|\n${'|-'.repeat(500)}|\n${'|b'.repeat(500)}|`],
		['a long table', `|a|b|\n|-|-|\n${'|1|2|\n'.repeat(1000)}`],
		['open HTML', '<a '.repeat(1000)],
		['a long fence', `\`\`\`ts\n${'const a = 1;\n'.repeat(2000)}`],
	])('[21] draws %s at a few hundred times the cost of plain words at most', (_, source) => {
		const usual = 'Some plain words. '.repeat(Math.ceil(source.length / 18));
		const stepsOf = (text: string) => countSteps(() => draw(text, 80));
		expect(stepsOf(source)).toBeLessThan(300 * stepsOf(usual));
	});
});
