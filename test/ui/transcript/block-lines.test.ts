import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import type {Block} from '../../../src/core/session/block.ts';
import type {AgentEvent} from '../../../src/core/session/event.ts';
import {plainText} from '../../../src/terminal/text/ansi.ts';
import {createPalette} from '../../../src/terminal/text/style.ts';
import {lineWidth} from '../../../src/terminal/text/width.ts';
import {detailLines, hasDetail} from '../../../src/ui/transcript/block-detail.ts';
import {blockLines} from '../../../src/ui/transcript/block-lines.ts';
import {anyText} from '../../any-text.ts';
import {call, canvas, palette, result, say, start, think, user} from '../canvas.ts';

const at = '2026-01-01T00:00:00.000Z';
const thought = {
	kind: 'reasoning',
	id: 'r1',
	messageId: 'm1',
	model: '',
	text: '**First** I look\n\nthen I `act`',
	open: false,
	at,
	endedAt: '2026-01-01T00:00:12.000Z',
} as const satisfies Block;

const lines = (block: Block, width = 60) => blockLines(block, {width, palette});

test('a long message is shown without its middle, and whole in its details', () => {
	const text = Array.from({length: 3000}, (_, index) => `line ${index}`).join('\n');
	const message = {kind: 'user', id: 'u', text, open: false} as const satisfies Block;
	const drawn = lines(message);
	expect([drawn[0], ...drawn.slice(19, 22), drawn.at(-1)]).toEqual([
		'❯ line 0',
		'  line 19',
		'  … 2,970 more lines …',
		'  line 2990',
		'  line 2999',
	]);
	expect(hasDetail(message)).toBe(true);
	expect(detailLines(message, {width: 60, palette})).toHaveLength(3000);
	const short = {...message, text: 'x\n'.repeat(39)};
	expect([hasDetail(short), lines(short).length]).toEqual([false, 40]);
	expect(lines({...message, text: 'word '.repeat(900)}, 40)[20]).toMatch(/^ {2}… \d+ more lines …$/);
});

describe('reasoning on one line', () => {
	test.each<[string, Partial<Extract<Block, {kind: 'text' | 'reasoning'}>>, readonly string[]]>([
		['that ended', {}, ['✻ Thought for 12 s: First I look then I act']],
		['that took no time', {endedAt: at}, ['✻ Thought: First I look then I act']],
		['that is not finished', {open: true, endedAt: undefined}, ['✻ Thinking… then I `act`']],
		['that may not be shown', {text: ''}, []],
	])('%s', (_, change, expected) => {
		expect(lines({...thought, ...change})).toEqual(expected);
	});
});

test('a message of the user keeps its lines, after a sign', () => {
	expect(lines({kind: 'user', id: 'u', text: 'one\n  two', open: false})).toEqual(['❯ one', '    two']);
});

test.each([
	['info', 'ℹ'],
	['warning', '!'],
	['error', '✗'],
] as const)('a notice of level %s says so without colour', (level, sign) => {
	const block: Block = {kind: 'notice', level, text: 'Look out.', hint: 'Do this.', open: false};
	expect(lines(block)).toEqual([`${sign} Look out.`, '  → Do this.']);
});

/** Every control but TAB and our own line ends, in C0 and C1, and what turns text around or hides it. */
const dangerous = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069\u200B\uFEFF]/u;
const hostile = 'a\u001b]0;x\u0007b\u001b[2J\u009b31mc\rd\u202Ee\u0008f';

const everyKind: ReadonlyArray<readonly [string, (text: string) => readonly AgentEvent[]]> = [
	['a message of the user', text => [user(text)]],
	['an answer', text => [say(text)]],
	['code in an answer', text => [say(`\`\`\`${text}\n${text}\n\`\`\`\n\n`)]],
	['a link in an answer', text => [say(`[${text}](https://example.com/${text})\n\n`)]],
	['reasoning', text => [think(text)]],
	['reasoning that ended', text => [think(text), say('x')]],
	['the name of a tool', text => [call('c', text)]],
	['the arguments of a known tool', text => [call('c', 'edit_file', {path: text})]],
	[
		'a command and its output',
		text => [call('c', 'run_command', {command: text}), {type: 'tool-output', id: 'c', text}],
	],
	['a command that ended', text => [call('c', 'run_command', {command: text}), result('c', text)]],
	['a search that ended', text => [call('c', 'search_text', {pattern: text}), result('c', text)]],
	['arguments of a call', text => [call('c', 'tool', {[text]: text, path: text})]],
	['the output of a tool that failed', text => [call('c'), result('c', text, true)]],
	['a notice', text => [{type: 'notice', level: 'error', text, hint: text}]],
	['the title', text => [{type: 'rename', title: text}]],
	['a summary', text => [{type: 'compaction', id: 's', summary: text}]],
	[
		'an error that ends a run',
		text => [
			{type: 'run-end', reason: 'error', stopReason: 'error', error: {code: 'provider', message: text, hint: text}},
		],
	],
];

test.each([
	[undefined, 'The model reads a summary from now on'],
	[{from: 2, part: 2000}, 'The model reads a shorter conversation from now on'],
])('a compaction says what the model reads from now on: %j', (kept, words) => {
	const {feed, taken, live} = canvas();
	feed(start, {type: 'compaction', id: 's', summary: 'Left out.', ...(kept && {kept})});
	expect([...taken(), ...live()].join(' ')).toContain(words);
});

describe.each(everyKind)('%s', (_, eventsOf) => {
	const drawn = (text: string) => {
		const {feed, taken, live} = canvas();
		feed(start, ...eventsOf(text));
		return [...taken(), ...live()];
	};

	test('is made safe [1] [2]', () => {
		expect(drawn(hostile).join('\n')).not.toMatch(dangerous);
	});

	test('is made safe and no wider than the window, whatever it is [1] [2]', () => {
		fc.assert(
			fc.property(anyText({maxLength: 200}), text => {
				for (const line of drawn(text)) {
					expect(line).not.toMatch(dangerous);
					expect(lineWidth(line)).toBeLessThanOrEqual(60);
				}
			}),
			{numRuns: 60},
		);
	});
});

test('with colour only our own sequences are written [1]', () => {
	const colored = createPalette({color: true});
	const block: Block = {
		...{kind: 'tool', id: 'c', messageId: 'm', model: '', name: hostile, arguments: {path: hostile}, at},
		...{status: 'failed', output: hostile, milliseconds: 3, open: false},
	};
	for (const line of blockLines(block, {width: 60, palette: colored})) {
		expect(plainText(line)).not.toMatch(dangerous);
	}
});

test.each([
	['run_command', '[job 2: exit status 0 after 1 s. Read it with job_output.]\nok\n[exit status 0 after 1 s]'],
	['job_output', 'ok\n[job 1: exit status 0 after 1 s]\n[job 2: exit status 0 after 1 s. Read it with job_output.]'],
	['job_stop', 'ok\n[job 1: exit status 0 after 1 s]'],
])('the full transcript of %s says of a success only that it is done', (name, output) => {
	const at = '2026-01-01T00:00:00.000Z';
	const call = {
		kind: 'tool',
		id: 'c',
		messageId: 'm',
		model: '',
		arguments: {},
		status: 'done',
		milliseconds: 3,
		open: false,
		at,
	} as const;
	const lines = detailLines({...call, name, output}, {width: 80, palette}).join('\n');
	expect(lines).toContain('done after 1 s');
	expect(lines).not.toContain('exit status 0');
	// What a file says stays as it is.
	const file = {...call, name: 'read_file', output: '[job 1: exit status 0 after 1 s]\nend'};
	expect(detailLines(file, {width: 80, palette}).join('\n')).toContain('[job 1: exit status 0 after 1 s]');
});
