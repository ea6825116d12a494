import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import type {AgentEvent, EventOf} from '../../../src/core/session/event.ts';
import {renderMarkdown} from '../../../src/terminal/markdown/markdown.ts';
import {markdownSource} from '../../terminal/markdown-source.ts';
import {call, canvas, end, palette, result, say, start, think, user} from '../canvas.ts';

/** The lines that the transcript has in the end: the terminal may break its long lines of code. */
const markdown = (text: string, width = 60) => renderMarkdown(text, {width, palette, softWraps: true, mark: '● '});

describe('a run', () => {
	test('is written block by block, once each', () => {
		const {feed, taken, live} = canvas();
		feed(start, user('Look here'));
		expect([taken(), live()]).toEqual([['❯ Look here'], []]);
		feed(think('I read it'));
		expect([taken(), live()]).toEqual([[], ['', '✻ Thinking… I read it']]);
		feed(call('c1'));
		expect([taken(), live()]).toEqual([['', '✻ Thought for 3.0 s: I read it'], ['◌ Read README.md …']]);
		feed(result('c1'));
		expect([taken(), live()]).toEqual([[], ['✓ Read README.md · 2.1 kB']]);
		feed(say('# It'));
		expect([taken(), live()]).toEqual([['✓ Read README.md · 2.1 kB'], ['', '● # It']]);
		feed(say(' says\n\nhello'));
		expect([taken(), live()]).toEqual([
			['', '● # It says'],
			['', 'hello'],
		]);
		feed(end);
		expect([taken(), live()]).toEqual([['', 'hello'], []]);
		feed({type: 'rename', title: 'x'});
		expect([taken(), live()]).toEqual([[], []]);
	});

	test('keeps what it wrote of a text that turns out to be reasoning, and goes on below', () => {
		const {feed, taken, live, painter} = canvas();
		feed(start, user('Go'), say('First.\n\nSecond.'));
		taken();
		feed({type: 'reclassify', id: 't1', messageId: 'm1'});
		expect([taken(), live()]).toEqual([['', 'Second.', '✻ The text above was reasoning.'], []]);
		feed({type: 'text-delta', id: 't2', messageId: 'm1', text: 'Yes.'}, end);
		expect([taken(), live()]).toEqual([['', '● Yes.'], []]);
		painter.repaint();
		expect(taken()).toEqual(['❯ Go', '', expect.stringContaining('First.'), '', '● Yes.']);
	});

	test('shows the notice of a wait for the next attempt while it lasts, and leaves none behind', () => {
		const {feed, taken, live, painter} = canvas();
		const wait = (text: string) => ({type: 'notice', level: 'info', text, waitMs: 3000}) as const;
		feed(start, user('Go'), wait('Retrying in 3 s (attempt 2/3).'));
		expect([taken(), live()]).toEqual([['❯ Go'], ['', 'ℹ Retrying in 3 s (attempt 2/3).']]);
		feed(wait('Retrying in 5 s (attempt 3/3).'));
		expect([taken(), live()]).toEqual([[], ['', 'ℹ Retrying in 5 s (attempt 3/3).']]);
		feed({...end, reason: 'error', stopReason: 'error', error: {code: 'provider', message: 'Overloaded.'}});
		expect([taken(), live()]).toEqual([['', '✗ Overloaded.'], []]);
		feed(start, wait('Retrying in 3 s (attempt 2/3).'), say('Here.'), end);
		const shown = ['❯ Go', '', '✗ Overloaded.', '', '● Here.'];
		expect([taken(), live()]).toEqual([shown.slice(3), []]);
		painter.repaint();
		expect(taken()).toEqual(shown);
	});

	test('that continues while the window is held is written on release', () => {
		const {feed, taken, live, painter} = canvas();
		feed(start, user('Look here'));
		taken();
		painter.hold();
		feed(think('I read it'), call('c1'), result('c1'));
		painter.print(() => ['an answer']);
		expect(taken()).toEqual([]);
		painter.release();
		expect(taken()).toEqual(['', '✻ Thought for 3.0 s: I read it', '✓ Read README.md · 2.1 kB', '', 'an answer']);
		feed(say('Done.'), end);
		expect([taken(), live()]).toEqual([['', '● Done.'], []]);
	});

	test('with parallel calls keeps them live until the first one is done', () => {
		const {feed, taken, live} = canvas();
		feed(start, user('Go'), call('a'), call('b', 'list_files', {path: 'src'}));
		taken();
		expect(live()).toEqual(['', '◌ Read README.md …', '◌ List src …']);
		feed(result('b'));
		expect([taken(), live()]).toEqual([[], ['', '◌ Read README.md …', '✓ List src · 1 file']]);
		feed(result('a'));
		expect([taken(), live()]).toEqual([[], ['', '✓ Read 1 file, listed 1 folder · README.md, src']]);
		feed(end);
		expect([taken(), live()]).toEqual([['', '✓ Read 1 file, listed 1 folder · README.md, src'], []]);
	});

	test.each<[string, AgentEvent, readonly string[]]>([
		[
			'an interrupted call',
			{...end, reason: 'interrupted'},
			['', '■ Read README.md · interrupted', '', '■ Interrupted.'],
		],
		[
			'an error with what to do',
			{...end, reason: 'error', error: {code: 'auth', message: 'Refused.', hint: 'Run keys set openai.'}},
			['', '■ Read README.md · interrupted', '', '✗ Refused.', '  → Run keys set openai.'],
		],
	])('ends with %s', (_, ending, expected) => {
		const {feed, taken, live} = canvas();
		feed(start, user('Go'), call('a'));
		taken();
		feed(ending);
		expect([taken(), live()]).toEqual([expected, []]);
	});

	test('of any Markdown in any chunks is written as one render of the whole, without repeats', () => {
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
			{numRuns: 150, examples: [['\ta longer run of words that will not fit on one line\u202E~~', 1]]},
		);
	});
});

describe('printed lines', () => {
	test('are separated from the lines around them', () => {
		const {feed, painter, taken} = canvas();
		feed(start, user('Go'), say('Hello.'), end);
		painter.print(() => ['❯ /usage', 'Nothing.']);
		feed(start, user('On'));
		expect(taken()).toEqual(['❯ Go', '', '● Hello.', '', '❯ /usage', 'Nothing.', '', '❯ On']);
	});

	test('in an answer are separated from both of its halves', () => {
		const {feed, painter, taken, live} = canvas();
		feed(start, user('Go'), say('- one\n- two\n- thr'));
		painter.print(() => ['✗ No.']);
		feed(say('ee'));
		expect(live()).toEqual(['', '• two', '• three']);
		feed(say('\n- four\n\nfive'));
		feed(end);
		expect(taken()).toEqual(['❯ Go', '', '●', '• one', '', '✗ No.', '', '• two', '• three', '• four', '', 'five']);
	});

	test('between the paragraphs of an answer have one blank line on each side', () => {
		const {feed, painter, taken} = canvas();
		feed(start, user('Go'), say('one\n\n'));
		painter.print(() => ['✗ No.']);
		feed(say('two'), end);
		expect(taken()).toEqual(['❯ Go', '', '● one', '', '✗ No.', '', 'two']);
	});

	test('leave the live lines unchanged', () => {
		const {feed, painter, live} = canvas();
		feed(start, user('Go'), call('a'));
		const before = live();
		painter.print(() => ['x']);
		expect(live()).toEqual(before);
	});
});

describe('a repaint at another width', () => {
	const text = 'word '.repeat(40).trim();

	test('shows the last lines that fit above the live region', () => {
		const {store, feed, painter, taken, live} = canvas({rows: 12});
		feed(start, user('Go'), say(text), end, start, user('On'), call('a'));
		taken();
		store.getState().setSize({columns: 30, rows: 12});
		painter.repaint();
		const whole = ['❯ Go', '', ...markdown(text, 30), '', '❯ On'];
		expect(live()).toEqual(['', '◌ Read README.md …']);
		expect(taken()).toEqual(whole.slice(-7));
	});

	test('shows the part of a long open answer that fits, and the rest at the new width', () => {
		const {store, feed, painter, taken, live} = canvas({rows: 20});
		feed(start, user('Go'), say('- item\n'.repeat(100)));
		taken();
		store.getState().setSize({columns: 30, rows: 20});
		painter.repaint();
		expect(taken().length + live().length).toBeLessThanOrEqual(16);
		feed(say(`\n${text}`), end);
		const rest = ['', ...renderMarkdown(text, {width: 30, palette})];
		expect(taken().slice(-rest.length)).toEqual(rest);
	});

	test('includes printed lines, and nothing after the screen was cleared', () => {
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

describe('a running command', () => {
	const began = Date.UTC(2026, 0, 1);
	const time = '1 m 00 s';
	const shown = (env = {}, keys = {}, ...events: readonly AgentEvent[]) => {
		let now = began;
		const {feed, live, store, painter} = canvas({clock: () => now, env});
		store.getState().setOwnKeys(keys);
		feed(...(events.length > 0 ? events : [call('c1', 'run_command', {command: 'npm test'})]));
		now += 63_000;
		painter.advance();
		const before = live();
		store.getState().setForeground(1);
		painter.advance();
		return [before, live()].flat().map(line => line.replace(/^\S+ /, '').split(/ {2,}/));
	};

	test.each([
		['the key that sends it to the background', {TERM: 'xterm-256color'}, {}, 'Ctrl+B background'],
		['that key in GNU Screen', {STY: '1.a', TERM: 'screen-256color'}, {}, 'Ctrl+B background'],
		['that the key is pressed twice in tmux', {TMUX: '/tmp/tmux-0/default'}, {}, 'Ctrl+B Ctrl+B background'],
		["the user's own key", {TMUX: '/tmp/tmux-0/default'}, {'app.background': ['ctrl+t']}, 'Ctrl+T background'],
	])('says %s, once it can go there', (_, env, keys, hint) => {
		expect(shown(env, keys)).toEqual([
			['Run npm test', time],
			[`Run npm test · ${hint}`, time],
		]);
		const own = {type: 'user-command', id: 'u1', command: 'make'} as const;
		expect(shown(env, keys, own)).toEqual([
			['! make', time],
			[`! make · ${hint}`, time],
		]);
	});

	test('of a sub-agent is sent there from the row of the sub-agent', () => {
		const task = call('c1', 'task', {description: 'Look around', prompt: 'Look.'});
		const inside = call('t1', 'run_command', {command: 'npm test'}) as EventOf<'tool-call'>;
		const [before, after] = shown({}, {}, task, {type: 'task', id: 'c1', event: inside});
		expect(before?.[0]).not.toContain('Ctrl+B');
		// The window of this test is narrow.
		expect(after?.[0]).toMatch(/^Task Look around · 1 call · 0 tokens · Ctrl\+B b/);
	});

	test('says nothing of a key that it has not, nor does another tool', () => {
		expect(shown({}, {'app.background': []})).toEqual([
			['Run npm test', time],
			['Run npm test', time],
		]);
		expect(shown({}, {}, call('c1'))).toEqual([
			['Read README.md', time],
			['Read README.md', time],
		]);
	});
});
