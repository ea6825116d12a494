import * as fc from 'fast-check';
import {beforeAll, describe, expect, test} from 'vitest';
import {plainText} from '../../src/terminal/ansi.ts';
import {loadHighlighter} from '../../src/terminal/highlight.ts';
import {renderMarkdown} from '../../src/terminal/markdown.ts';
import {createMarkdownStream} from '../../src/terminal/markdown-stream.ts';
import {createPalette} from '../../src/terminal/style.ts';
import {lineWidth} from '../../src/terminal/width.ts';
import {markdownSource} from './markdown-source.ts';

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
			{numRuns: 600},
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

	test('keeps the tail as short as asked for, and its lines as narrow', () => {
		fc.assert(
			fc.property(markdownSource, fc.integer({min: 1, max: 5}), (source, maxLive) => {
				for (const {settled, live} of stream(source, maxLive).pushes) {
					expect(live.length).toBeLessThanOrEqual(maxLive);
					expect(Math.max(0, ...[...settled, ...live].map(lineWidth))).toBeLessThanOrEqual(options.width);
				}
			}),
		);
	});

	test('settles a paragraph and a table at the blank line behind them, before anything else comes', () => {
		const markdown = createMarkdownStream({...options, maxLive: unlimited});
		expect(markdown.push('one\n')).toEqual({settled: [], live: ['one']});
		expect(markdown.push('one\n\n')).toEqual({settled: ['one'], live: []});
		const table = '| a |\n| - |\n| b |\n';
		const {live} = markdown.push(`one\n\n${table}`);
		expect(live).toHaveLength(6);
		expect(markdown.push(`one\n\n${table}\nT`)).toEqual({settled: live, live: ['', 'T']});
	});

	test('closes a fence with its own sign alone, and loses no line behind another one', () => {
		const source = '```\na\n```~~~\nb';
		const rule = options.palette.dim('─'.repeat(40));
		expect(renderMarkdown(source, options)).toEqual([rule, 'a', '```~~~', 'b', rule]);
		expect(stream(source, unlimited, 1).all).toEqual(renderMarkdown(source, options));
	});

	test('takes a line of a tab for a row of the table above it, as the lexer does', () => {
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
		const rule = palette.dim('─'.repeat(40));
		const markdown = createMarkdownStream({...options, maxLive: 12});
		expect(markdown.push('```\na\nb')).toEqual({settled: [rule, 'a'], live: ['b']});
		expect(markdown.push('```\na\nb\n``')).toEqual({settled: ['b'], live: []});
		expect(markdown.push('```\na\nb\n```\nc')).toEqual({settled: [rule], live: ['', 'c']});
		expect(markdown.end('```\na\nb\n```\nc')).toEqual(['', 'c']);
	});

	test('draws half a character and half a line break with their other halves', () => {
		const markdown = createMarkdownStream({...options, maxLive: 12});
		expect(markdown.push('a\uD83D').live).toEqual(['a']);
		expect(markdown.push('a\u{1F600}\r').live).toEqual(['a\u{1F600}']);
		expect(markdown.push('a\u{1F600}\r\nb').live).toEqual(['a\u{1F600}', 'b']);
		expect(markdown.end('a\u{1F600}\r\nb\uD83D')).toEqual(['a\u{1F600}', 'b⟨U+D83D⟩']);
	});
});

describe('a block that is longer than the tail may be', () => {
	test('loses no word of a paragraph, whatever is emphasized over the cut', () => {
		const source = Array.from({length: 300}, (_, index) => (index % 50 === 25 ? `*w${index}` : `w${index}`)).join(' ');
		const {all} = stream(`${source}*\n\nend`, 3, 4);
		expect(words(all).map(word => word.replaceAll('*', ''))).toEqual([
			...Array.from({length: 300}, (_, index) => `w${index}`),
			'end',
		]);
	});

	test('draws a long plain paragraph and a long list as the whole', () => {
		const text = `${'Some words that make up a sentence. '.repeat(40)}\n\n`;
		const source = `${text}${'- an item with **bold** text\n'.repeat(30)}\n${text}`;
		expect(stream(source, 3, 4).all).toEqual(renderMarkdown(source, options));
	});

	test('keeps the columns of a table of which a part is drawn', () => {
		const rows = Array.from({length: 12}, (_, index) => `| ${index} | ${'x '.repeat(index)} |\n`);
		const source = `| a | b |\n|---|---|\n${rows.join('')}`;
		const {settled, all} = stream(source, 4);
		expect(settled.length).toBeGreaterThan(4);
		expect(all.filter(line => plainText(line).startsWith('┌'))).toHaveLength(1);
		expect(words(all).filter(word => /\d/.test(word))).toEqual(rows.map((_, index) => `${index}`));
		expect(new Set(all.map(lineWidth)).size).toBe(1);
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

	test.each([
		['of blocks', mixed.repeat(154)],
		['that is one fence', `\`\`\`ts\n${'const a = (b: string) => c(b, 12);\n'.repeat(2000)}`],
		['that is one list', '- an item with **bold** text\n'.repeat(2000)],
	])(
		'does not grow with an answer of 2,000 lines %s',
		(_, source) => {
			const markdown = createMarkdownStream({...options, maxLive: 12});
			const cost = [0, 0];
			for (let end = 4; end <= source.length; end += 4) {
				const started = performance.now();
				markdown.push(source.slice(0, end));
				const half = end * 2 > source.length ? 1 : 0;
				cost[half] = (cost[half] ?? 0) + performance.now() - started;
			}

			const [first = 0, second = 0] = cost;
			expect(second).toBeLessThan(3 * first + 500);
			expect(first + second).toBeLessThan(12_000);
		},
		30_000,
	);
});
