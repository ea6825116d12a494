import fc from 'fast-check';
import {expect, test} from 'vitest';
import {markdownHtml} from '../../../src/command/export/html-export.ts';
import {renderMarkdown} from '../../../src/terminal/markdown/markdown.ts';
import {plainText} from '../../../src/terminal/text/ansi.ts';
import {createPalette} from '../../../src/terminal/text/style.ts';

const html = (source: string) => markdownHtml(source).replace(/^<p>|<\/p>$/g, '');
const screen = (source: string) =>
	renderMarkdown(source, {palette: createPalette({color: true}), width: 200})
		.map(plainText)
		.join('\n')
		.trim();

test.each([
	['**「強調」**です', '<strong>「強調」</strong>です'],
	['これは**「強調」**です。', 'これは<strong>「強調」</strong>です。'],
	['**テスト。**テスト', '<strong>テスト。</strong>テスト'],
	['**テスト**。テスト', '<strong>テスト</strong>。テスト'],
	['**강조(emphasis)**는', '<strong>강조(emphasis)</strong>는'],
	['**"강조"**은 됩니다', '<strong>&#34;강조&#34;</strong>은 됩니다'],
	['**text**은', '<strong>text</strong>은'],
	['**`code`**를', '<strong><code>code</code></strong>를'],
	['**“强调”**的', '<strong>“强调”</strong>的'],
	['含**「重点」**内容', '含<strong>「重点」</strong>内容'],
	['**마크다운(Markdown)**의', '<strong>마크다운(Markdown)</strong>의'],
	['很**“强调”**的', '很<strong>“强调”</strong>的'],
	['注意:**重要!**请看', '注意:<strong>重要!</strong>请看'],
	['*「斜体」*です', '<em>「斜体」</em>です'],
	['***「両方」***です', '<em><strong>「両方」</strong></em>です'],
	['**제목:**내용', '<strong>제목:</strong>내용'],
	['**50%**증가', '<strong>50%</strong>증가'],
	['**（一）**と**（二）**', '<strong>（一）</strong>と<strong>（二）</strong>'],
	['**[링크](https://a.test)**를', '<strong><a href="https://a.test">링크</a></strong>를'],
])('%s is styled', (source, expected) => {
	expect(html(source).replace(/<a href="([^"]*)"[^>]*>/g, '<a href="$1">')).toBe(expected);
	expect(screen(source)).not.toContain('*');
});

test.each([
	['2**3**4', '2<strong>3</strong>4'],
	['__init__', '<strong>init</strong>'],
	['語__init__語', '語__init__語'],
	['a ** b ** c', 'a ** b ** c'],
	['語 ** 語 ** 語', '語 ** 語 ** 語'],
	['**foo.**bar', '**foo.**bar'],
	['a**"b"**c', 'a**&#34;b&#34;**c'],
	['`**「語」**`', '<code>**「語」**</code>'],
	['2*3*4 = 24', '2<em>3</em>4 = 24'],
	['src/**/*.ts', 'src/**/*.ts'],
	['** 語**', '** 語**'],
	['**語', '**語'],
])('%s is what it was', (source, expected) => {
	expect(html(source)).toBe(expected);
});

test('text without CJK is lexed as before, and no text is lost', () => {
	const part = fc.constantFrom(
		'**',
		'*',
		'「',
		'」',
		'語',
		'은',
		'a',
		'(',
		')',
		'.',
		' ',
		'`',
		'_',
		'\\',
		'“',
		'”',
		'1',
	);
	fc.assert(
		fc.property(fc.array(part, {maxLength: 20}), parts => {
			const source = parts.join('');
			const letters = (text: string) => text.replace(/[^「」語은a()“”1]/g, '');
			expect(letters(screen(`x${source}`))).toBe(letters(source));
		}),
		{numRuns: 300},
	);
});
