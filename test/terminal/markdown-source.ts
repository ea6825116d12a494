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
	...['\n\n    indented code', '\n\n  continued', '\n   lazy'],
];

/** Markdown as a model may write it, on a good day and on a bad one. */
export const markdownSource = fc
	.array(fc.constantFrom(...pieces), {minLength: 1, maxLength: 24})
	.map(parts => parts.join(''));
