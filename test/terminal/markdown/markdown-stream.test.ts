import * as fc from 'fast-check';
import {beforeAll, describe, expect, test} from 'vitest';
import {loadHighlighter} from '../../../src/terminal/markdown/highlight.ts';
import {renderMarkdown} from '../../../src/terminal/markdown/markdown.ts';
import {createMarkdownStream} from '../../../src/terminal/markdown/markdown-stream.ts';
import {plainText} from '../../../src/terminal/text/ansi.ts';
import {createPalette} from '../../../src/terminal/text/style.ts';
import {lineWidth} from '../../../src/terminal/text/width.ts';
import {expectLinear} from '../../growth.ts';
import {longMarkdownSource, markdownSource} from '../markdown-source.ts';

const options = {width: 40, palette: createPalette({color: true}), links: true};
const unlimited = Number.POSITIVE_INFINITY;

beforeAll(loadHighlighter);

/** Pushes a prefix every `step` units, in the middle of characters too, and keeps all that comes out. */
function stream(source: string, maxLive: number, step = 1) {
	const markdown = createMarkdownStream({...options, maxLive});
	const pushes = [];
	for (let end = step; end <= source.length; end += step) {
		pushes.push(markdown.push(source.slice(0, end)));
	}

	const settled = pushes.flatMap(push => push.settled);
	return {pushes, settled, all: [...settled, ...markdown.end(source)]};
}

const words = (lines: readonly string[]) => lines.map(plainText).join(' ').split(/\s+/).filter(Boolean);

describe('a stream of Markdown', () => {
	test('settles, over all prefixes, exactly the lines of the whole', () => {
		fc.assert(
			fc.property(markdownSource, fc.integer({min: 1, max: 7}), (source, step) => {
				expect(stream(source, unlimited, step).all).toEqual(renderMarkdown(source, options));
			}),
			{numRuns: 80},
		);
	});

	test.each([
		['Some words that go on and on and wrap.\n\nMore.', '● Some words that go on and on and wrap.'],
		['# It\n\nsays', '● It'],
		['```ts\nlet a\n```', '●'],
		['- one\n- two', '●'],
		['| a | b |\n|---|---|\n| 1 | 2 |\n', '●'],
		['> quoted', '●'],
		['', undefined],
	])('begins with the sign of who speaks, once: %j', (source, first) => {
		const marked = {...options, mark: '● '};
		for (const step of [1, 1000]) {
			const markdown = createMarkdownStream({...marked, maxLive: unlimited});
			const settled: string[] = [];
			for (let end = step; end < source.length + step; end += step) {
				settled.push(...markdown.push(source.slice(0, end)).settled);
			}

			const lines = [...settled, ...markdown.end(source)];
			expect(lines).toEqual(renderMarkdown(source, marked));
			expect(lines.map(plainText)[0]).toBe(first);
			expect(lines.filter(line => line.includes('●'))).toHaveLength(first === undefined ? 0 : 1);
		}
	});

	test('settles a heading that begins like HTML right after a paragraph as the complete source', () => {
		const source = '\n===\n<b>\n---\n\nend';
		expect(stream(source, unlimited).all).toEqual(renderMarkdown(source, options));
	});

	test('settles exactly the lines of the whole at any width and height, however it comes', () => {
		const sizes = fc.record({width: fc.integer({min: 20, max: 130}), maxLive: fc.integer({min: 1, max: 12})});
		fc.assert(
			fc.property(longMarkdownSource, sizes, fc.integer({min: 1, max: 90}), (source, size, step) => {
				const markdown = createMarkdownStream({...options, ...size});
				const settled: string[] = [];
				for (let end = step; end <= source.length; end += step) {
					settled.push(...markdown.push(source.slice(0, end)).settled);
				}

				expect([...settled, ...markdown.end(source)]).toEqual(renderMarkdown(source, {...options, ...size}));
			}),
			{numRuns: 40},
		);
	});

	test('settles the lines of the whole below the sign of who speaks, too', () => {
		const marked = {...options, mark: '● ', width: 24};
		fc.assert(
			fc.property(longMarkdownSource, fc.integer({min: 1, max: 90}), (source, step) => {
				const markdown = createMarkdownStream({...marked, maxLive: 4});
				const settled: string[] = [];
				for (let end = step; end <= source.length; end += step) {
					settled.push(...markdown.push(source.slice(0, end)).settled);
				}

				expect([...settled, ...markdown.end(source)]).toEqual(renderMarkdown(source, marked));
			}),
			{numRuns: 40},
		);
	});

	test('settles the same lines when all comes at once', () => {
		fc.assert(
			fc.property(markdownSource, source => {
				expect(stream(source, unlimited, source.length).all).toEqual(renderMarkdown(source, options));
			}),
		);
	});

	test('shows at any time what is settled and then what is live, as the prefix is drawn', () => {
		const source = '# Title\n\nSome *text* here\n\n- one\n- two\n\n| a |\n|---|\n| 1 |\n\nthe end\n';
		const markdown = createMarkdownStream({...options, maxLive: unlimited});
		let settled: readonly string[] = [];
		for (let end = 1; end <= source.length; end++) {
			const push = markdown.push(source.slice(0, end));
			settled = [...settled, ...push.settled];
			expect([...settled, ...push.live]).toEqual(renderMarkdown(source.slice(0, end), options));
		}
	});

	test('keeps the tail within the height and its lines within the width', () => {
		fc.assert(
			fc.property(markdownSource, fc.integer({min: 1, max: 5}), (source, maxLive) => {
				for (const {settled, live} of stream(source, maxLive).pushes) {
					expect(live.length).toBeLessThanOrEqual(maxLive);
					expect(Math.max(0, ...[...settled, ...live].map(lineWidth))).toBeLessThanOrEqual(options.width);
				}
			}),
			{numRuns: 25},
		);
	});

	test('settles a paragraph and a table at the blank line after them', () => {
		const markdown = createMarkdownStream({...options, maxLive: unlimited});
		expect(markdown.push('one\n')).toEqual({settled: [], live: ['one']});
		expect(markdown.push('one\n\n')).toEqual({settled: ['one'], live: []});
		const table = '| a |\n| - |\n| b |\n';
		const {live} = markdown.push(`one\n\n${table}`);
		expect(live).toHaveLength(6);
		expect(markdown.push(`one\n\n${table}\nT`)).toEqual({settled: live, live: ['', 'T']});
	});

	test('closes a fence only with its own marker, and loses no line after another one', () => {
		const source = '```\na\n```~~~\nb';
		const {dim} = options.palette;
		expect(renderMarkdown(source, options)).toEqual([dim('────'), 'a', '```~~~', 'b', dim('──────')]);
		expect(stream(source, unlimited, 1).all).toEqual(renderMarkdown(source, options));
	});

	test('reads a line with only a tab as a row of the table above it, as the lexer does', () => {
		const source = '\na|b\n-|-\n\t\n2. two\n';
		expect(stream(source, unlimited, 1).all).toEqual(renderMarkdown(source, options));
	});

	test('settles a block when the next one began, and an item with the next item', () => {
		const markdown = createMarkdownStream({...options, maxLive: unlimited});
		expect(markdown.push('one\n\n- a\n')).toEqual({settled: ['one'], live: ['', '• a']});
		expect(markdown.push('one\n\n- a\n- b\n')).toEqual({settled: ['', '• a'], live: ['• b']});
		expect(markdown.end('one\n\n- a\n- b\n')).toEqual(['• b']);
	});

	test('settles the finished lines of code while its fence is open', () => {
		const {palette} = options;
		const rule = palette.dim('────');
		const markdown = createMarkdownStream({...options, maxLive: 12});
		expect(markdown.push('```\na\nb')).toEqual({settled: [rule, 'a'], live: ['b']});
		expect(markdown.push('```\na\nb\n``')).toEqual({settled: ['b'], live: []});
		expect(markdown.push('```\na\nb\n```\nc')).toEqual({settled: [rule], live: ['', 'c']});
		expect(markdown.end('```\na\nb\n```\nc')).toEqual(['', 'c']);
	});

	test('holds back half a character and half a line break until the other half comes', () => {
		const markdown = createMarkdownStream({...options, maxLive: 12});
		expect(markdown.push('a\uD83D').live).toEqual(['a']);
		expect(markdown.push('a\u{1F600}\r').live).toEqual(['a\u{1F600}']);
		expect(markdown.push('a\u{1F600}\r\nb').live).toEqual(['a\u{1F600}', 'b']);
		expect(markdown.end('a\u{1F600}\r\nb\uD83D')).toEqual(['a\u{1F600}', 'b⟨U+D83D⟩']);
	});
});

describe('a block that is longer than the tail', () => {
	test('loses no word of a paragraph when emphasis crosses the cut', () => {
		const source = Array.from({length: 300}, (_, index) => (index % 50 === 25 ? `*w${index}` : `w${index}`)).join(' ');
		const {all} = stream(`${source}*\n\nend`, 3, 4);
		expect(words(all).map(word => word.replaceAll('*', ''))).toEqual([
			...Array.from({length: 300}, (_, index) => `w${index}`),
			'end',
		]);
	});

	test('draws a long plain paragraph and a long list as the complete source', () => {
		const text = `${'Some words that make up a sentence. '.repeat(40)}\n\n`;
		const source = `${text}${'- an item with **bold** text\n'.repeat(30)}\n${text}`;
		expect(stream(source, 3, 4).all).toEqual(renderMarkdown(source, options));
	});

	test('holds a table until it is whole, shows its end below a count, and loses no cell', () => {
		const rows = Array.from({length: 12}, (_, index) => `| r${index} | ${'words '.repeat(30)} | last${index} |\n`);
		const source = `| a | b | c |\n|---|---|---|\n${rows.join('')}`;
		const {pushes, all} = stream(source, 4, 5);
		expect(pushes.flatMap(push => push.settled)).toEqual([]);
		const {live = []} = pushes.at(-1) ?? {};
		expect(live).toHaveLength(4);
		expect(plainText(live[0] ?? '')).toMatch(/^… \d+ lines above$/);
		expect(all).toEqual(renderMarkdown(source, options));
		expect(words(all).filter(word => /^(?:r|last)\d/.test(word))).toEqual(
			rows.flatMap((_, index) => [`r${index}`, `last${index}`]),
		);
	});

	test('draws no row of a table wider than the window when a late cell is wider than those before', () => {
		const source = `| a | b | c |\n|---|---|---|\n${'| 1 | x | y |\n'.repeat(20)}| 10 | 漢 | ${'z'.repeat(90)} |\n`;
		for (const width of [20, 40, 80]) {
			const markdown = createMarkdownStream({...options, width, maxLive: 4});
			const {settled, live} = markdown.push(source);
			const lines = [...settled, ...live, ...markdown.end(source)];
			expect(Math.max(...lines.map(lineWidth))).toBeLessThanOrEqual(width);
		}
	});

	test('settles the lines of a paragraph as it grows, before it ends', () => {
		const {pushes} = stream('Some words that make up a sentence. '.repeat(40), 4, 4);
		const settled = pushes.flatMap(push => push.settled);
		expect(settled.length).toBeGreaterThan(30);
	});

	test('settles each line once, in order', () => {
		const source = `> ${Array.from({length: 40}, (_, index) => `q${index}`).join('\n> ')}\n`;
		expect(words(stream(source, 5, 3).all).filter(word => word !== '│')).toEqual(
			Array.from({length: 40}, (_, index) => `q${index}`),
		);
	});
});

describe('the cost of a push', () => {
	const mixed = `## Heading\n\nSome **bold** text with \`code\`\nand lines.\n\n- one\n- two\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n`;

	/** Draws a source that comes in pieces of 48 units. */
	const drawPieces = (source: string) => {
		const markdown = createMarkdownStream({...options, maxLive: 12});
		for (let end = 48; end <= source.length; end += 48) {
			markdown.push(source.slice(0, end));
		}

		markdown.end(source);
	};

	test.each([
		['of blocks', mixed],
		['that is one fence', 'const a = (b: string) => c(b, 12);\n', '```ts\n'],
		['that is one list', '- an item with **bold** text\n'],
		['that is one item', '  a line of an item\n', '- one\n'],
		['that is one word', 'x'],
		['that is one paragraph', 'Some **bold** words in a sentence. '],
		['that is one table', '| one cell | another cell | a third `cell` |\n', '| a | b | c |\n|---|---|---|\n'],
		['that is one cell', 'x', '| a |\n|---|\n| '],
		['that is one quote', '> a line of a quote\n'],
		['that is open emphasis', '*a **b _c '],
		['of definitions', '[name]: https://example.com/\n'],
	])('grows linearly with an answer %s', (_, part, begin = '') => {
		// The last 1,000 units are drawn with each push, so that less would tell nothing.
		expectLinear(length => drawPieces(begin + part.repeat(length / part.length)), 1500, {tries: false});
	});

	test.each(['word ', 'x'])('grows linearly with an answer that is there at once, in one line of %j', part => {
		const drawAtOnce = (length: number) => {
			const source = part.repeat(length / part.length);
			createMarkdownStream({...options, maxLive: 12}).push(source);
		};
		expectLinear(drawAtOnce, 20_000);
	});
});
