import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import type {Block} from '../../../src/core/session/block.ts';
import type {AgentEvent} from '../../../src/core/session/event.ts';
import {plainText} from '../../../src/terminal/text/ansi.ts';
import {createPalette} from '../../../src/terminal/text/style.ts';
import {lineWidth} from '../../../src/terminal/text/width.ts';
import {blockLines} from '../../../src/ui/transcript/block-lines.ts';
import type {ReadGroup} from '../../../src/ui/transcript/read-group.ts';
import {answered, called, start, transcriptOf} from '../../core/records.ts';
import {palette} from '../canvas.ts';

const at = '2026-01-01T00:00:00.000Z';
const call = {
	kind: 'tool',
	id: 'c1',
	messageId: 'm1',
	model: '',
	name: 'run_command',
	arguments: {command: 'npm test'},
	status: 'done',
	output: '42 passed in 3.1s',
	facts: {status: 0, lines: 1},
	milliseconds: 3200,
	open: false,
	at,
} as const satisfies Block;
const own = {
	kind: 'command',
	id: 'c2',
	command: 'make',
	status: 'done',
	output: 'ok',
	end: 'exit status 0 after 3.2 s',
	milliseconds: 3200,
	open: false,
	at,
} as const satisfies Block;

const draw = (block: Block | ReadGroup, width: number) => blockLines(block, {width, palette, softWraps: true});

describe('how long something took stands at the right end of its row', () => {
	test('of a call, a command of the user and calls that read', () => {
		const read = {...call, name: 'read_file', arguments: {path: 'a.ts'}, facts: {lines: 3}};
		expect(draw(call, 40)[0]).toBe('✓ Run npm test · 42 passed         3.2 s');
		expect(draw(own, 40)[0]).toBe('✓ ! make                           3.2 s');
		expect(draw({...own, status: 'failed', end: 'exit status 2 after 3.2 s'}, 40)[0]).toBe(
			'✗ ! make · exit status 2           3.2 s',
		);
		expect(draw({kind: 'reads', calls: [read, read]}, 40)).toEqual(['✓ Read 1 file · a.ts               6.4 s']);
	});

	test('but not of what took less than a second', () => {
		expect(draw({...call, milliseconds: 999}, 40)[0]).toBe('✓ Run npm test · 42 passed');
		expect(draw({...own, end: 'exit status 0 after 20 ms', milliseconds: 20}, 40)[0]).toBe('✓ ! make');
	});

	test('in the same place while it runs', () => {
		const running = {...call, status: 'running', open: true, output: 'one\ntwo\n', facts: undefined} as const;
		const line = blockLines(running, {width: 40, palette, now: Date.parse(at) + 12_000});
		expect(line).toEqual(['⠋ Run npm test · two                12 s']);
	});

	test('near its text in a wide window, which may become narrower', () => {
		expect(lineWidth(draw(call, 200)[0] ?? '')).toBe(80);
		const long = draw({...call, arguments: {command: 'x'.repeat(100)}}, 200)[0];
		expect(long).toBe(`✓ Run ${'x'.repeat(100)} · 42 passed  3.2 s`);
	});

	test('and goes where the text has no room beside it', () => {
		expect(draw(call, 32)[0]).toBe('✓ Run npm test · 42 passed');
		expect(draw({...call, arguments: {command: 'x'.repeat(16)}}, 34)[0]).toBe('✓ Run xxxxxxxxxxxxxxxx · 42 passed');
		expect(draw({...call, status: 'failed', output: 'x'.repeat(90), facts: undefined}, 40)[0]).toBe(
			`✗ Run npm test · ${'x'.repeat(15)}…  3.2 s`,
		);
	});

	test('dim, and said without columns where it is heard', () => {
		const colored = createPalette({color: true});
		expect(blockLines(call, {width: 40, palette: colored})[0]).toMatch(/\u001B\[2m3\.2 s\u001B\[0m$/);
		const spoken = createPalette({color: false, spoken: true});
		expect(blockLines(call, {width: 40, palette: spoken})[0]).toBe('Command done: Run npm test · 42 passed · 3.2 s');
	});
});

test('a command that has room on a row of its own stays on its row, cut before how it ended', () => {
	const command = `node ${'a'.repeat(66)}`;
	expect(draw({...call, arguments: {command}}, 80).slice(0, 1)).toEqual([
		`✓ Run node ${'a'.repeat(49)}… · 42 passed  3.2 s`,
	]);
	expect(draw({...call, arguments: {command: `${command}bbbb`}}, 80).slice(0, 2)).toEqual([
		`✓ Run · 42 passed${' '.repeat(58)}3.2 s`,
		`$ ${command}bbbb`,
	]);
});

describe('a clock that runs', () => {
	const command = (id: string) => ({...called(id, 'm1', 'run_command'), arguments: {command: id}}) as AgentEvent;
	const asked = (id: string): AgentEvent => ({type: 'approval-request', id, summary: id, hash: 'x'});
	const allowed = (id: string): AgentEvent => ({type: 'approval-answer', id, allowed: true, hash: 'x', by: 'user'});
	/** Returns the rows of the open calls after so many seconds. Events are a second apart. */
	const rowsAt = (seconds: number, ...events: readonly AgentEvent[]) =>
		transcriptOf(...events).open.flatMap(block =>
			blockLines(block, {width: 40, palette, now: Date.parse(at) + seconds * 1000}),
		);
	const row = (text: string, clock: string) => [text + clock.padStart(40 - text.length)];

	test('counts the work, not the wait for the user', () => {
		const wait = Array.from({length: 5}, () => ({type: 'rename', title: ''}) as const);
		const events = [start, command('make'), asked('make'), ...wait, allowed('make')];
		expect(rowsAt(9, ...events.slice(0, 3)).at(-1)).toBe('? Run make · waiting for you');
		expect(rowsAt(12, ...events)).toEqual(row('⠋ Run make', '5 s'));
	});

	test('begins when the command before it has ended', () => {
		const events = [start, command('make'), command('test'), answered('make')];
		expect(rowsAt(7, ...events)).toEqual(row('⠴ Run test', '4 s'));
	});
});

test('no row is wider than the window', () => {
	const text = fc.string({
		unit: fc.constantFrom('a', 'npm ', '-', '/', '測', '試', '👩‍👩‍👧', '👍🏽', 'é', '\n', '\t', '\u001B[31m'),
		maxLength: 120,
	});
	const statuses = fc.constantFrom('running', 'asking', 'done', 'failed', 'interrupted');
	const milliseconds = fc.constantFrom(undefined, 0, 999, 1000, 9949, 59_000, 184_000, 7_500_000);
	const facts = fc.record({status: fc.constantFrom(0, 1, 139), lines: fc.nat(2_000_000)}, {requiredKeys: []});
	fc.assert(
		fc.property(
			...[text, text, statuses, milliseconds, facts, fc.integer({min: 20, max: 200}), fc.boolean()],
			(command, output, status, took, counted, width, softWraps) => {
				const open = status === 'running' || status === 'asking';
				const outcome = {status, open, output, milliseconds: took} as const;
				const blocks = [
					{...call, ...outcome, arguments: {command}, facts: open ? undefined : counted},
					{...call, ...outcome, name: 'read_file', arguments: {path: command}, facts: counted},
					{...call, ...outcome, name: 'mcp__a__b', arguments: {query: command}, facts: undefined},
					{...own, ...outcome, status: status === 'asking' ? 'done' : status, command, end: `signal SIGKILL after 2 s`},
				] as const satisfies readonly Block[];
				const reads = {...call, name: 'read_file', arguments: {path: command}, milliseconds: took};
				const now = Date.parse(at) + (took ?? 0);
				const group = {kind: 'reads', calls: [reads, reads]} as const;
				for (const block of [...blocks, group]) {
					for (const row of blockLines(block, {width, palette, softWraps, now})) {
						expect(lineWidth(plainText(row))).toBeLessThanOrEqual(width);
					}
				}
			},
		),
	);
});
