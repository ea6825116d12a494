import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import type {AgentEvent} from '../../../src/core/session/event.ts';
import {renderMarkdown} from '../../../src/terminal/markdown/markdown.ts';
import {markdownSource} from '../../terminal/markdown-source.ts';
import {call, canvas, end, palette, result, say, start, think, user} from '../canvas.ts';

const markdown = (text: string, width = 60) => renderMarkdown(text, {width, palette});

describe('a run', () => {
	test('is written block by block, each once', () => {
		const {feed, taken, live} = canvas();
		feed(start, user('Look here'));
		expect([taken(), live()]).toEqual([['❯ Look here'], []]);
		feed(think('I read it'));
		expect([taken(), live()]).toEqual([[], ['', '✻ Thinking… I read it']]);
		feed(call('c1'));
		expect([taken(), live()]).toEqual([['', '✻ Thought for 3.0 s: I read it'], ['◌ read_file README.md …']]);
		feed(result('c1'));
		expect([taken(), live()]).toEqual([['✓ read_file README.md · 400 ms · 2.1 kB'], []]);
		feed(say('# It'));
		expect([taken(), live()]).toEqual([[], ['', '# It']]);
		feed(say(' says\n\nhello'));
		expect([taken(), live()]).toEqual([
			['', '# It says'],
			['', 'hello'],
		]);
		feed(end);
		expect([taken(), live()]).toEqual([['', 'hello'], []]);
		feed({type: 'rename', title: 'x'});
		expect([taken(), live()]).toEqual([[], []]);
	});

	test('that goes on while something else has the window is written when it is back', () => {
		const {feed, taken, live, painter} = canvas();
		feed(start, user('Look here'));
		taken();
		painter.hold();
		feed(think('I read it'), call('c1'), result('c1'));
		painter.print(() => ['an answer']);
		expect(taken()).toEqual([]);
		painter.release();
		expect(taken()).toEqual([
			'',
			'✻ Thought for 3.0 s: I read it',
			'✓ read_file README.md · 400 ms · 2.1 kB',
			'',
			'an answer',
		]);
		feed(say('Done.'), end);
		expect([taken(), live()]).toEqual([['', 'Done.'], []]);
	});

	test('with parallel calls draws them together until the first one is done', () => {
		const {feed, taken, live} = canvas();
		feed(start, user('Go'), call('a'), call('b', 'list_files', {path: 'src'}));
		taken();
		expect(live()).toEqual(['', '◌ read_file README.md …', '◌ list_files src …']);
		feed(result('b'));
		expect([taken(), live()]).toEqual([[], ['', '◌ read_file README.md …', '✓ list_files src · 400 ms · 2.1 kB']]);
		feed(result('a'));
		expect([taken(), live()]).toEqual([
			['', '✓ read_file README.md · 400 ms · 2.1 kB', '✓ list_files src · 400 ms · 2.1 kB'],
			[],
		]);
	});

	test.each<[string, AgentEvent, readonly string[]]>([
		[
			'an interrupted call',
			{...end, reason: 'interrupted'},
			['', '■ read_file README.md · interrupted', '', '■ Interrupted.'],
		],
		[
			'an error with what to do',
			{...end, reason: 'error', error: {code: 'auth', message: 'Refused.', hint: 'Run keys set openai.'}},
			['', '■ read_file README.md · interrupted', '', '✗ Refused.', '  → Run keys set openai.'],
		],
	])('ends with %s', (_, ending, expected) => {
		const {feed, taken, live} = canvas();
		feed(start, user('Go'), call('a'));
		taken();
		feed(ending);
		expect([taken(), live()]).toEqual([expected, []]);
	});

	test('of any Markdown, however it comes, is written as the whole is drawn, and nothing twice', () => {
		fc.assert(
			fc.property(markdownSource, fc.integer({min: 1, max: 40}), (source, step) => {
				const {feed, taken, live} = canvas({rows: 100});
				feed(start, user('Go'));
				taken();
				const lines: string[] = [];
				for (let at = 0; at < source.length; at += step) {
					feed(say(source.slice(at, at + step)));
					lines.push(...taken());
					expect(live().length).toBeLessThanOrEqual(13);
				}

				feed(end);
				lines.push(...taken());
				const whole = markdown(source);
				expect(lines.slice(whole.length > 0 ? 1 : 0)).toEqual(whole);
				expect(live()).toEqual([]);
				feed({type: 'notice', level: 'info', text: 'Later.'});
				expect(taken().slice(-1)).toEqual(['ℹ Later.']);
			}),
			{numRuns: 150},
		);
	});
});

describe('what is printed', () => {
	test('is parted from what stands around it', () => {
		const {feed, painter, taken} = canvas();
		feed(start, user('Go'), say('Hello.'), end);
		painter.print(() => ['❯ /usage', 'Nothing.']);
		feed(start, user('On'));
		expect(taken()).toEqual(['❯ Go', '', 'Hello.', '', '❯ /usage', 'Nothing.', '', '❯ On']);
	});

	test('into an answer is parted from both of its halves', () => {
		const {feed, painter, taken, live} = canvas();
		feed(start, user('Go'), say('- one\n- two\n- thr'));
		painter.print(() => ['✗ No.']);
		feed(say('ee'));
		expect(live()).toEqual(['', '• two', '• three']);
		feed(say('\n- four\n\nfive'));
		feed(end);
		expect(taken()).toEqual(['❯ Go', '', '• one', '', '✗ No.', '', '• two', '• three', '• four', '', 'five']);
	});

	test('between the paragraphs of an answer takes one blank line on each side', () => {
		const {feed, painter, taken} = canvas();
		feed(start, user('Go'), say('one\n\n'));
		painter.print(() => ['✗ No.']);
		feed(say('two'), end);
		expect(taken()).toEqual(['❯ Go', '', 'one', '', '✗ No.', '', 'two']);
	});

	test('leaves what is drawn live as it is', () => {
		const {feed, painter, live} = canvas();
		feed(start, user('Go'), call('a'));
		const before = live();
		painter.print(() => ['x']);
		expect(live()).toEqual(before);
	});
});

describe('another width', () => {
	const text = 'word '.repeat(40).trim();

	test('gets the last lines that fit beside the live region, drawn for it', () => {
		const {store, feed, painter, taken, live} = canvas({rows: 12});
		feed(start, user('Go'), say(text), end, start, user('On'), call('a'));
		taken();
		store.getState().setSize({columns: 30, rows: 12});
		painter.repaint();
		const whole = ['❯ Go', '', ...markdown(text, 30), '', '❯ On'];
		expect(live()).toEqual(['', '◌ read_file README.md …']);
		expect(taken()).toEqual(whole.slice(-7));
	});

	test('gets no more of a long open answer than fits, and the rest of it in the new width', () => {
		const {store, feed, painter, taken, live} = canvas({rows: 20});
		feed(start, user('Go'), say('- item\n'.repeat(100)));
		taken();
		store.getState().setSize({columns: 30, rows: 20});
		painter.repaint();
		expect(taken().length + live().length).toBeLessThanOrEqual(16);
		feed(say(`\n${text}`), end);
		const rest = ['', ...markdown(text, 30)];
		expect(taken().slice(-rest.length)).toEqual(rest);
	});

	test('draws what was printed anew as well, and nothing once it was wiped', () => {
		const {store, painter, taken} = canvas();
		painter.print(width => [`${width}`]);
		store.getState().setSize({columns: 30, rows: 24});
		taken();
		painter.repaint();
		expect(taken()).toEqual(['30']);
		painter.forget();
		painter.repaint();
		expect(taken()).toEqual([]);
		painter.print(() => ['first']);
		expect(taken()).toEqual(['first']);
	});
});
