import * as fc from 'fast-check';

/** Pieces that Markdown is made of, and pieces that look like it; in any order they meet in ways no example has. */
const pieces = [
	...['\n', '\n\n', '\n\n\n', '  \n', ' ', '    ', '\t', '\r\n', '\r'],
	...['word', 'two words', 'a longer run of words that will not fit on one line', '漢字かな', '👩‍👩‍👧', '\u{1F600}'],
	...[
		'- ',
		'\n- item',
		'\n* other',
		'\n  - nested',
		'\n1. one',
		'\n2. two',
		'\n10) ten',
		'\n- [ ] task',
		'\n- [x] done',
	],
	...['\n# heading\n', '\n## two', '\n===\n', '\n---\n', '\n***\n', '\n> quote', '\n> > deep', '>', '\n>\n'],
	...['\n```ts\n', '\n```\n', '```', '\n~~~\n', '~~~', '\n   ```\n', '\n  ```js', '`code`', '`', 'const a = 1; // x'],
	...['\n| a | b |\n|---|:-:|\n| 1 | 2 |\n', '\n| c | d', '|', '|---', '\na|b\n-|-\n'],
	...['**', '*', '_', '~~', '[text](https://example.com/a)', '[text](', ')', '<b>', '</b>', '\n<div>\n', '<!--', '-->'],
	...[
		'https://example.com/path',
		'\\',
		'&amp;',
		'&#27;',
		'[a]: https://example.com\n',
		'\u001B[31m',
		'\u202E',
		'/* ',
		' */',
	],
	...['$x*y', '*z$', '$$', ' $5 ', '[^1]', '[^1]: note\n', 'H~2~O'],
	...['\n\n    indented code', '\n\n  continued', '\n   lazy'],
];

/** What makes blocks longer than a window: paragraphs, words, formulas and tables, and links to definitions. */
const long = [
	...['A sentence that goes on and on, so that it is drawn on many lines of any window there is. ', 'x'.repeat(500)],
	...['**A bold sentence that goes on and on, so that it is drawn on many lines.** And more. ', '漢字'.repeat(60)],
	...['`code` in a line of words, *emphasis* too, and snake_case_words, 2 * 3, a[0], and so on ', 'word '.repeat(40)],
	...[
		'[text][name]',
		'[name][]',
		'[name]: https://example.com/defined\n',
		'\\(x_1 * y\\)',
		'\\[\na\\\\\n\\]',
		'C:\\\\dir',
	],
	...[
		'\n| a | longer header |\n|---|---|\n',
		'\n| cell | a cell of many words that wraps in most windows |',
		'\n| 1 | 2 | 3 |',
	],
];

/** Markdown of which single blocks are longer than a small window. */
export const longMarkdownSource = fc
	.array(fc.oneof({weight: 3, arbitrary: fc.constantFrom(...long)}, fc.constantFrom(...pieces)), {
		minLength: 1,
		maxLength: 30,
	})
	.map(parts => parts.join(''));

/** Markdown as a model may write it, on a good day and on a bad one. */
export const markdownSource = fc
	.array(fc.constantFrom(...pieces), {minLength: 1, maxLength: 24})
	.map(parts => parts.join(''));
