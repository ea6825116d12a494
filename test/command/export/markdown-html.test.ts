import {expect, test} from 'vitest';
import {markdownHtml} from '../../../src/command/export/html-export.ts';

test.each([
	['AT&amp;T &lt;b&gt; `&lt;b&gt;`', '<p>AT&#38;T &#60;b&#62; <code>&#38;lt;b&#38;gt;</code></p>'],
	['a<br>b<BR/>c<hr>', '<p>a<br>b<br>c&#60;hr&#62;</p>'],
	['[x](java&#115;cript:alert(1)) &#x202e;', '<p>x ⟨U+202E⟩</p>'],
])('%j is exported as the terminal shows it', (markdown, html) => {
	expect(markdownHtml(markdown)).toBe(html);
});

test('a link that names a definition leads there, also if the definition follows', () => {
	const attributes = 'href="https://docs.example/?a=1&#38;b=2" rel="noopener noreferrer nofollow"';
	const html = markdownHtml('See [the docs][1].\n\n> - [1]\n\n[1]: https://docs.example/?a=1&amp;b=2');
	expect(html).toContain(`<p>See <a ${attributes}>the docs</a>.</p>`);
	expect(html).toContain(`<li><a ${attributes}>1</a></li>`);
});
