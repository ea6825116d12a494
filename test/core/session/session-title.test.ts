import fc from 'fast-check';
import {expect, test} from 'vitest';
import {titleFrom, titleFromAll} from '../../../src/core/session/session-title.ts';
import {textWidth} from '../../../src/terminal/text/width.ts';
import {anyText} from '../../any-text.ts';

test.each([
	['Fix the login. It fails since Monday.', 'Fix the login.'],
	['Hi there, please fix the login', 'fix the login'],
	['Hello!\n\nWhy is the build slow?\nIt takes a minute.', 'Why is the build slow?'],
	['Write a hello world program', 'Write a hello world program'],
	['Hello world fails to compile', 'Hello world fails to compile'],
	['Thanks for the fix, now add a test', 'Thanks for the fix, now add a test'],
	['Why? It worked before', 'Why? It worked before'],
	['Look: the tests of the parser fail', 'Look: the tests of the parser fail'],
	['# The plan\n\nFirst we rename it.', 'The plan First we rename it.'],
	['/review src\nThe parser is wrong', 'The parser is wrong'],
	['/tmp/cache is full, what now?', '/tmp/cache is full, what now?'],
	['```ts\nconst a = 1;\n```\nWhat does this do?', 'What does this do?'],
	['<log>\nfailed\n</log>\nWhat failed here?', 'What failed here?'],
	['> You said it works\n\nIt does not work', 'It does not work'],
	['TypeError: x is undefined\n    at a (b.ts:1:2)\n    at c (d.ts:3:4)\n    at e\n\nWhy that?', 'Why that?'],
	['直してください。ログインが失敗します。', '直してください。ログインが失敗します。'],
	['Explain how the reducer joins adjacent pieces of one text', 'Explain how the reducer joins adjacent pieces…'],
	['x'.repeat(100), `${'x'.repeat(47)}…`],
	['Deploy with API_TOKEN=hunter2hunter2 to production', 'Deploy with API_TOKEN=*** to production'],
	['Hi!', ''],
	['/clear', ''],
	['```\nopen block', ''],
	['1 + 1', ''],
])('the title of %j is %j', (message, title) => {
	expect(titleFrom(message)).toBe(title);
});

test('a conversation is named by the first message that says something, or by the beginning of the first one', () => {
	expect(titleFromAll(['Hi!', '/clear', 'Fix the login.', 'And the logout'])).toBe('Fix the login.');
	expect(titleFromAll(['Hi!', '/clear'])).toBe('Hi!');
	expect(titleFromAll([])).toBe('');
});

/** What says nothing of a conversation. */
const noise = fc.oneof(
	fc.constantFrom('Hi!', 'Hello,', 'Good morning', 'Thanks!', 'Ok.', '/init', '/review src'),
	anyText({maxLength: 40}).map(text => `\`\`\`\n${text.replace(/[`~\r]/g, '')}\n\`\`\``),
	fc.array(fc.webUrl(), {minLength: 3, maxLength: 6}).map(lines => lines.map(line => `  ${line};`).join('\n')),
	fc.lorem({mode: 'sentences'}).map(text => `> ${text}`),
	fc.lorem({mode: 'sentences'}).map(text => `<file name="a">\n${text}\n</file>`),
);

test('the first sentence that the user typed is the title, whatever stands around it', () => {
	const sentence = fc.constantFrom('Fix the login of the shop.', 'Why does the parser fail?', 'Rename the module');
	fc.assert(
		fc.property(fc.array(noise, {maxLength: 4}), sentence, fc.array(noise, {maxLength: 3}), (before, typed, after) => {
			expect(titleFrom([...before, typed, ...after].join('\n\n'))).toBe(typed);
		}),
		{numRuns: 50},
	);
});

test('[8] the title of any text fits into 48 cells of one line, and has no credential of it', () => {
	const credential = fc
		.tuple(
			fc.constantFrom('sk-ant-api03-', 'ghp_', 'github_pat_', 'password=', 'Authorization: Bearer ', 'https://me:'),
			fc.stringMatching(/^[A-Za-z0-9]{36}$/),
		)
		.map(([kind, value]) => ({text: kind.startsWith('https') ? `${kind}${value}@host` : kind + value, value}));
	fc.assert(
		fc.property(
			anyText({maxLength: 60}),
			credential,
			fc.oneof(
				anyText({maxLength: 60}),
				anyText({maxLength: 60}).map(text => text.repeat(300)),
			),
			fc.constantFrom(' ', '\n', '\n\n'),
			(before, {text, value}, after, between) => {
				const title = titleFromAll([[before, text, after].join(between)]);
				expect(textWidth(title)).toBeLessThanOrEqual(48);
				expect(title).not.toMatch(/[\n\r\t]/);
				expect(title).not.toContain(value.slice(0, 8));
			},
		),
		{numRuns: 50},
	);
});
