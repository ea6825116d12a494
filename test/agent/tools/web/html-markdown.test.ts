import fc from 'fast-check';
import {expect, test} from 'vitest';
import {htmlToMarkdown} from '../../../../src/agent/tools/web/html-markdown.ts';

const markdownOf = (html: string) => htmlToMarkdown(html, 'https://example.com/docs/start').markdown;

test('a page becomes Markdown with its title and absolute links', () => {
	const page = htmlToMarkdown(
		`<!doctype html><title>A &amp; B</title><h1>Hello <em>big</em> world</h1>
		<p>Some <b> bold </b>text, a <a href="page?a=1&amp;b=2">link <i>here</i></a>, <code>x &lt; y</code>.<br>Next.
		<ul><li>one<li>two<ul><li>deep</ul></ul><ol><li>first<li>second</ol>
		<blockquote><p>Quote<p>More</blockquote><hr><img src=/a.png alt="An image"> end`,
		'https://example.com/docs/start',
	);
	expect(page.title).toBe('A & B');
	expect(page.markdown).toBe(`# Hello *big* world

Some **bold** text, a [link *here*](https://example.com/docs/page?a=1&b=2), \`x < y\`.
Next.

- one
- two
  - deep

1. first
2. second

> Quote
>
> More

---

![An image](https://example.com/a.png) end`);
});

test('code keeps its lines, and tables their cells', () => {
	expect(
		markdownOf(
			'<pre><code class="language-js">\nif (a &lt; 2) {\n\n  b();\n}\n</code></pre>' +
				'<table><tr><th>Name<th>Value</tr><tr><td><p>a</p><td>1</tr></table>after',
		),
	).toBe('```\nif (a < 2) {\n\n  b();\n}\n```\n\n| Name | Value |\n| --- | --- |\n| a | 1 |\n\nafter');
});

test('scripts, styles and navigation are left out, and links that are no addresses', () => {
	const html =
		'<style>p{}</style><script>document.write("<p>no</p>")</script><nav><a href=/x>menu</a></nav>' +
		'<p>yes <a href="javascript:alert(1)">js</a> <a href="data:text/html,x">data</a> <img src="data:," alt=x></p>';
	expect(markdownOf(html)).toBe('yes js data');
});

test('a page whose navigation never ends is shown with it', () => {
	expect(markdownOf('<nav><p>Everything')).toBe('Everything');
});

test('a base address changes where links lead', () => {
	expect(markdownOf('<base href="https://other.example/x/"><a href=y>z</a>')).toBe('[z](https://other.example/x/y)');
});

test('no page, however deep or broken, exhausts stack or memory [21]', () => {
	const size = 60_000;
	const tags = ['div', 'b', 'blockquote', 'ul><li', 'table><tr><td', 'a href=x>y<x', 'pre', 'nav', 'p', 'ol><li>x<i'];
	const pages = [
		...tags.map(tag => `<${tag}>`.repeat(20_000).slice(0, size)),
		`<a ${'b=c '.repeat(size / 4)}`,
		`<a href="${'x'.repeat(size)}`,
		...['&amp', '<', '<!--', ' ', 'x<b>', '</b>'].map(part => part.repeat(size / part.length)),
	];
	const base = `https://example.com/${'x'.repeat(1900)}`;
	const lengths = pages.map(html => htmlToMarkdown(html, base).markdown.length);
	expect(Math.max(...lengths)).toBeLessThanOrEqual(500_000);
});

test('any text is a page, and yields no tag that was read as one', () => {
	const part = fc.constantFrom(
		'<p>',
		'</p>',
		'<a href="/x">',
		'</a>',
		'<script>',
		'</script>',
		'<td>',
		'<ul><li>',
		'word',
	);
	fc.assert(
		fc.property(fc.array(fc.oneof(part, fc.string())), parts => {
			expect(typeof markdownOf(parts.join(''))).toBe('string');
		}),
		{numRuns: 200},
	);
	expect(markdownOf('<p>a<b>c</p><custom-tag x=y>d')).not.toMatch(/<\w/);
});
