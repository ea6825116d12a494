import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import {readHtml} from '../../../src/agent/tools/web/html-markdown.ts';
import {exportFormat} from '../../../src/command/export/export-formats.ts';
import {exportText} from '../../../src/command/export/export-text.ts';
import type {AgentEvent} from '../../../src/core/session/event.ts';
import {
	answered,
	called,
	done,
	folded,
	said,
	start,
	thought,
	toRecords,
	transcriptOf,
	used,
	user,
} from '../../core/records.ts';

const price = {input: 3, cacheRead: 0.3, cacheWrite: 3.75, output: 15};

function exported(format: 'html' | 'json' | 'markdown', ...events: readonly AgentEvent[]): Promise<string> {
	const transcript = transcriptOf(...events);
	const updatedAt = '2026-01-02T03:04:05Z';
	return exportText(format, {transcript, records: toRecords(events), priceOf: () => price, updatedAt});
}

/** The elements of a page with their attributes, and its text. */
function read(page: string) {
	const elements: Array<readonly [name: string, attributes: Readonly<Record<string, string>>]> = [];
	const open: string[] = [];
	let text = '';
	readHtml(page, {
		open(name, attributes) {
			elements.push([name, Object.fromEntries(attributes)]);
			if (!['meta', 'br', 'hr'].includes(name)) {
				open.push(name);
			}
		},
		close: name => expect(open.pop()).toBe(name),
		text(part) {
			text += part;
		},
		isFull: () => false,
	});
	expect(open).toEqual([]);
	return {elements, text};
}

const allowed = new Set(
	'html head meta title style body main h1 h2 dl dt dd section p div details summary pre code span ins del strong em br hr blockquote ul ol li table thead tbody tr th td a'.split(
		' ',
	),
);

/** Throws unless the page can neither run nor load anything. */
function expectHarmless(page: string): void {
	for (const [name, attributes] of read(page).elements) {
		expect(allowed).toContain(name);
		const names =
			name === 'meta'
				? ['charset', 'content', 'http-equiv', 'name']
				: name === 'html'
					? ['lang']
					: name === 'a'
						? ['href', 'rel']
						: name === 'ol'
							? ['start']
							: ['class'];
		expect(names).toEqual(expect.arrayContaining(Object.keys(attributes)));
		expect(attributes['href'] ?? 'https://').toMatch(/^(?:https?:\/\/|mailto:)/i);
	}

	expect(page.match(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/g)).toBeNull();
	expect(page).not.toMatch(/@import|url\(/);
}

test('a page shows messages, code, calls and costs, for light and dark', async () => {
	const page = await exported(
		'html',
		{type: 'rename', title: 'Parser & <co>'},
		start,
		user('Read **it**\n  please'),
		thought('Which file?'),
		said(
			'# Result\n\n- [x] done\n\n| a | b |\n|---|--:|\n| `x` | 1 |\n\n```ts\nconst a = 1 < 2;\n```\n\n[docs](https://example.com/?a=1&b=2)',
		),
		called('one'),
		answered('one', '\u001B[31mred\u001B[0m line\n'),
		used('m1', 1_000_000, 1000),
		done,
	);
	expectHarmless(page);
	const {elements, text} = read(page);
	expect(text).toContain('Parser & <co>');
	expect(text).toContain('Read **it**\n  please');
	expect(text).toContain('const a = 1 < 2;');
	expect(text).toContain('☑');
	expect(text).toContain('Read one · done · 5 ms');
	expect(text).toContain('red line');
	expect(text).toContain('1.0M in, 1.0k out');
	expect(text).toContain('$3.02');
	expect(elements).toContainEqual(['a', {href: 'https://example.com/?a=1&b=2', rel: 'noopener noreferrer nofollow'}]);
	expect(elements.filter(([name]) => name === 'details')).toHaveLength(2);
	expect(page).toContain('prefers-color-scheme: dark');
	expect(page).toContain("default-src 'none'");
});

const hostile = [
	'<script>alert(1)</script>',
	'"><img src=x onerror=alert(1)>',
	'[x](javascript:alert(1)) [y](data:text/html,x) ![z](https://evil.example/pixel.png)',
	'[x](https://e.example/"onclick="a) <https://e.example/"x> &lt;script&gt; &#60;b&#62;',
	'```"><script>\n</code></pre><script>alert(1)</script>\n```',
	'</style></title><svg onload=alert(1)>',
	'<details open ontoggle=alert(1)>\n\n> <b>\n\n- <i>\n\n| <u> |\n|---|\n| <s> |',
	'\u001B]0;x\u0007\u0000\u009B2J',
];

test.each(hostile)('%j is text in every place [2]', async text => {
	const page = await exported(
		'html',
		{type: 'rename', title: text},
		{...start, model: text},
		user(text),
		thought(text),
		said(text),
		{type: 'tool-call', id: 'c', messageId: 'm2', name: text, arguments: {[text]: text}},
		answered('c', text),
		{type: 'user-command', id: 'd', command: text},
		{
			type: 'user-command-end',
			id: 'd',
			output: text,
			styles: `0+3:${text} 4+9:31`,
			end: text,
			status: 'failed',
			milliseconds: 1,
		},
		{type: 'notice', level: 'error', text},
		folded(text),
	);
	expectHarmless(page);
});

test('any text gives a page that is whole and harmless [2]', async () => {
	const part = fc.constantFrom(
		...hostile,
		'<',
		'>',
		'"',
		"'",
		'&',
		'`',
		'\n',
		'\n\n',
		'|',
		'- ',
		'> ',
		'[',
		'](',
		')',
		'*',
		'_',
	);
	const text = fc.array(fc.oneof(part, fc.string()), {maxLength: 12}).map(parts => parts.join(''));
	await fc.assert(
		fc.asyncProperty(text, async each => expectHarmless(await exported('html', start, user(each), said(each), done))),
		{numRuns: 60},
	);
});

test('JSON has what was said and done, as a program reads it', async () => {
	const text = await exported(
		'json',
		start,
		user('Read it'),
		said('I did.'),
		called('one'),
		answered('one'),
		used('m1', 10, 5),
		done,
	);
	expect(JSON.parse(text)).toMatchObject({
		version: 1,
		session: 'session-1',
		usage: {total_input_tokens: 10, total_output_tokens: 5},
		blocks: [
			{type: 'user', text: 'Read it'},
			{type: 'text', model: 'custom/demo', text: 'I did.'},
			{type: 'tool', name: 'read_file', arguments: {path: 'one'}, status: 'done', output: 'result of one'},
		],
	});
});

test.each(['html', 'json', 'markdown'] as const)('%s has no known credential [8]', async format => {
	const key = 'sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789';
	const text = await exported(
		format,
		start,
		user(`Use ${key}`),
		said(`I use ${key}`),
		called(key),
		answered(key, key),
		done,
	);
	expect(text).not.toContain('abcdefghijklmnop');
	expect(text).toContain('Use ');
});

test.each([
	[{file: 'a.html'}, 'html'],
	[{file: 'a.HTM'}, 'html'],
	[{file: 'a.json'}, 'json'],
	[{file: 'a.jsonl'}, 'events'],
	[{file: 'a.txt'}, 'markdown'],
	[{file: 'html'}, 'markdown'],
	[{}, 'markdown'],
	[{file: 'talk of 23.11'}, 'markdown'],
	[{file: 'a.md', format: 'html'}, 'html'],
	[{file: 'a.page', format: 'html'}, 'html'],
	[{file: 'a.md', events: true}, 'events'],
] as const)('%j is exported as %s', (given, format) => {
	expect(exportFormat(given)).toBe(format);
});

test('a file of a format that no export has is refused, not filled with Markdown', () => {
	expect(() => exportFormat({file: '/tmp/talk.PDF'})).toThrowError(
		expect.objectContaining({
			code: 'usage',
			message: "Can't export to .pdf.",
			hint: 'End the file in .md, .html, .json or .jsonl, or pass --format.',
		}),
	);
});

test('flags that contradict each other are refused', () => {
	expect(() => exportFormat({events: true, format: 'html'})).toThrow(
		'--events and --format html contradict each other.',
	);
});
