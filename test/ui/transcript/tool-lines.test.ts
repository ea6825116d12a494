import {describe, expect, test} from 'vitest';
import type {Block} from '../../../src/core/session/block.ts';
import {plainText} from '../../../src/terminal/text/ansi.ts';
import {createPalette} from '../../../src/terminal/text/style.ts';
import {lineWidth} from '../../../src/terminal/text/width.ts';
import {detailLines} from '../../../src/ui/transcript/block-detail.ts';
import {blockLines} from '../../../src/ui/transcript/block-lines.ts';
import {palette} from '../canvas.ts';

const at = '2026-01-01T00:00:00.000Z';
const tool = {
	kind: 'tool',
	id: 'c1',
	messageId: 'm1',
	model: '',
	name: 'read_file',
	arguments: {path: 'README.md'},
	status: 'done',
	output: '1\thello\n2\tyou',
	milliseconds: 1234,
	open: false,
	at,
} as const satisfies Block;

/** Returns a row with a clock at its right end. */
const timed = (text: string, clock: string, width = 60) => text + clock.padStart(width - text.length);

const lines = (block: Block, width = 60) => blockLines(block, {width, palette});

describe('a call on one line', () => {
	test.each<[string, Partial<Extract<Block, {kind: 'tool'}>>, string]>([
		['that is done', {}, timed('✓ Read README.md · 2 lines', '1.2 s')],
		['that took no time', {milliseconds: 12}, '✓ Read README.md · 2 lines'],
		['that is running', {status: 'running', open: true, output: ''}, '◌ Read README.md …'],
		[
			'that says something meanwhile',
			{status: 'running', open: true, output: 'Waiting.\n12 s: \u001B[2J3 lines.\n'},
			'◌ Read README.md · 12 s: ␛[2J3 lines.',
		],
		['that waits for an answer', {status: 'asking', open: true}, '? Read README.md · waiting for you'],
		[
			'that failed',
			{status: 'failed', output: 'No such file.\nmore'},
			timed('✗ Read README.md · No such file.', '1.2 s'),
		],
		['that was interrupted', {status: 'interrupted'}, '■ Read README.md · interrupted'],
		['of an unknown tool', {name: 'mcp_x', arguments: {}}, timed('✓ mcp_x · 13 B', '1.2 s')],
		[
			'of a tool of an MCP server',
			{name: 'mcp__docs__search__all', arguments: {query: 'a b'}},
			timed('✓ docs · search__all a b · 13 B', '1.2 s'),
		],
		[
			'of an unknown tool with several arguments',
			{name: 'mcp_x', arguments: {pattern: 'a b', limit: 3, deep: true}},
			timed('✓ mcp_x a b limit=3 deep=true · 13 B', '1.2 s'),
		],
		['with arguments that do not fit', {arguments: {file: 'a'}}, timed('✓ read_file a · 2 lines', '1.2 s')],
		[
			'with long arguments keeps how it ended',
			{arguments: {path: 'x'.repeat(400)}},
			`✓ Read ${'x'.repeat(35)}… · 2 lines  1.2 s`,
		],
		[
			'with a long error keeps what it is about',
			{status: 'failed', arguments: {path: 'src/a/module.ts'}, output: `Not found: ${'x'.repeat(400)}`},
			`✗ Read src/a/module.ts · Not found: ${'x'.repeat(16)}…  1.2 s`,
		],
	])('%s', (_, change, expected) => {
		expect(lines({...tool, ...change})).toEqual([expected]);
	});
});

describe('a call that runs', () => {
	const running = {
		...tool,
		status: 'running',
		open: true,
		output: '',
		name: 'run_command',
		arguments: {command: 'npm test'},
	} as const;
	const moved = (ms: number, change: Partial<Extract<Block, {kind: 'tool'}>> = {}) =>
		blockLines({...running, ...change}, {width: 60, palette, now: Date.parse(at) + ms});

	test('has a sign that moves, and the time after a second', () => {
		expect([0, 200, 999, 1000, 12_345, 184_000].map(ms => moved(ms)[0])).toEqual([
			'⠋ Run npm test …',
			'⠙ Run npm test …',
			'⠼ Run npm test …',
			timed('⠴ Run npm test', '1 s'),
			timed('⠙ Run npm test', '12 s'),
			timed('⠋ Run npm test', '3 m 04 s'),
		]);
	});

	test('shows the last line of its output, of a progress bar the last state', () => {
		expect(moved(2000, {output: 'one\n\u001B[32mtwo\u001B[0m\n\n'})).toEqual([timed('⠋ Run npm test · two', '2 s')]);
		expect(moved(2000, {output: '10 %\r20 %\r30 %\r'})).toEqual([timed('⠋ Run npm test · 30 %', '2 s')]);
	});

	test('keeps the room for itself that a long output would take', () => {
		const [line = ''] = moved(2000, {output: 'y'.repeat(500), arguments: {command: 'x'.repeat(500)}});
		expect(line).toMatch(/^⠋ Run x{11}… · y{33}… {2}2 s$/);
		expect(lineWidth(line)).toBe(60);
	});

	test('stands still without a clock, and while it waits for the user', () => {
		expect(lines(running)).toEqual(['◌ Run npm test …']);
		expect(blockLines({...running, status: 'asking'}, {width: 60, palette, now: 5000})).toEqual([
			'? Run npm test · waiting for you',
		]);
	});
});

describe('what a call found is counted', () => {
	test.each([
		[
			'search_text',
			{pattern: 'foo', path: 'src'},
			'src/a.ts:1:foo\nsrc/a.ts:9:a:3:foo\nsrc/b.ts:2:foo',
			'Search “foo” in src · 3 matches in 2 files',
		],
		[
			'search_text',
			{pattern: 'foo', glob: '*.ts'},
			'a:1:x\n[1200 more lines left out; narrow it with path, glob or pattern]',
			'Search “foo” in *.ts · 1,201 matches',
		],
		['search_text', {pattern: 'foo'}, '[no matches]', 'Search “foo” · no matches'],
		['list_files', {}, 'a\nb/c', 'List files · 2 files'],
		['list_files', {path: 'src', pattern: '*.ts'}, '[no files]', 'List *.ts in src · no files'],
		[
			'list_files',
			{path: '.'},
			'a\n[500 more of 501 files left out; narrow it with path or pattern]',
			'List files · 501 files',
		],
		['read_file', {path: 'a', offset: 10, limit: 31}, '10\ta\n11\tb', 'Read a:10-40 · 2 lines'],
		[
			'read_file',
			{path: 'a', offset: 10},
			'10\ta\n[… 90 lines left out: a result has at most 32 kB. x …]\n101\tb',
			'Read a:10- · 92 lines',
		],
		['read_file', {path: 'a'}, '[a is empty]', 'Read a · 12 B'],
	])('%s %o', (name, args, output, expected) => {
		expect(lines({...tool, name, arguments: args, output, milliseconds: 3})).toEqual([`✓ ${expected}`]);
	});
});

describe('the output of a command', () => {
	const run = (output: string, change: Partial<Extract<Block, {kind: 'tool'}>> = {}) =>
		lines({...tool, name: 'run_command', arguments: {command: 'npm test'}, output, milliseconds: 3, ...change});

	test('is short below its call', () => {
		expect(run('one\ntwo\n')).toEqual(['✓ Run npm test · 2 lines', 'one', 'two']);
		expect(run('1\n2\n3\n4\n\n5')).toEqual(['✓ Run npm test · 6 lines', '… 2 more lines', '3', '4', '5']);
		expect(run('1\n2\n3\n4')).toEqual(['✓ Run npm test · 4 lines', '1', '2', '3', '4']);
		expect(run('')).toEqual(['✓ Run npm test · no output']);
	});

	test('shows what failed of a test run, and how it ended', () => {
		const output = [
			'ok 1 - adds',
			'not ok 2 - carts sum up',
			'  error: expected 3, got 2',
			...Array.from({length: 30}, (_, index) => `ok ${index + 3}`),
			'# fail 1',
			'0 errors, 0 failed here',
			'# done',
			'[exit status 1 after 2.5 s]',
		].join('\n');
		expect(run(output, {status: 'failed'})).toEqual([
			'✗ Run npm test · 1 failed',
			'… 32 more lines',
			'not ok 2 - carts sum up',
			'  error: expected 3, got 2',
			'# fail 1',
			'# done',
		]);
	});

	test('counts the tests that it ran instead of its lines', () => {
		expect(run('a\nb\n      Tests  42 passed (42)\n[exit status 0 after 2.5 s]', {milliseconds: 2500})[0]).toBe(
			timed('✓ Run npm test · 42 passed', '2.5 s'),
		);
		const node = 'ok 1 - adds\n# tests 1\n# pass 1\n# fail 0\n# todo 0\n# duration_ms 64.5';
		expect(run(`${node}\n[exit status 0 after 2.5 s]`, {milliseconds: 2500})).toEqual([
			timed('✓ Run npm test · 1 passed', '2.5 s'),
		]);
		expect(run('Tests:       1 failed, 41 passed, 42 total\n[exit status 1 after 20 ms]', {status: 'failed'})[0]).toBe(
			'✗ Run npm test · 1 failed, 41 passed',
		);
		expect(run('42 passed in 0.1s\n[exit status 1 after 20 ms]', {status: 'failed'})[0]).toBe(
			'✗ Run npm test · exit status 1 · 42 passed',
		);
		const own = {
			kind: 'command',
			id: 'c1',
			command: 'pytest -q',
			status: 'done',
			milliseconds: 3,
			open: false,
			at,
		} as const;
		const typed = {...own, output: '42 passed in 0.12s', end: 'exit status 0 after 2 s', milliseconds: 2000};
		expect(lines(typed)[0]).toBe(timed('✓ ! pytest -q · 42 passed', '2.0 s'));
	});

	test('says how it ended, and what the agent notes', () => {
		const note = '[The user changed the command to: npm t]';
		expect(run(`${note}\nok\n[exit status 0 after 2.5 s]`, {milliseconds: 2500})).toEqual([
			timed('✓ Run npm test · 1 line', '2.5 s'),
			note,
			'ok',
		]);
		expect(run('(no output)\n[exit status 0 after 20 ms]')).toEqual(['✓ Run npm test · no output']);
		expect(run('a\n[exit status 139 (SIGSEGV) after 20 ms]', {status: 'failed'})).toEqual([
			'✗ Run npm test · exit status 139 (SIGSEGV)',
			'a',
		]);
		expect(run('[it]\n[timed out after 120 s and was stopped]', {status: 'failed'})[0]).toBe(
			'✗ Run npm test · timed out after 120 s and was stopped',
		);
		expect(run('The user did not allow this command. It did not run.', {status: 'failed'})).toEqual([
			'✗ Run npm test · The user did not allow this command.',
		]);
		expect(run('The user did not allow this command. It did not run.', {status: 'failed', isRefused: true})).toEqual([
			'✗ Run npm test · not allowed',
		]);
		const job = {name: 'job_output', arguments: {job: '3'}};
		expect(run('up\n[job 3 is running for 3 s]\n[job 2 ended: exit status 1 after 1 s]', job)).toEqual([
			'✓ Read output of job 3 · running for 3 s · 1 line',
			'[job 2 ended: exit status 1 after 1 s]',
			'up',
		]);
		expect(run('[job 2: exit status 0 after 1 s. Read it with job_output.]\nok\n[exit status 0 after 1 s]')[1]).toBe(
			'[job 2: done after 1 s. Read it with job_output.]',
		);
	});

	test('keeps its colours, drawn by us, and nothing else of the terminal [2]', () => {
		const colored = createPalette({color: true});
		const hostileOutput = '\u001B[31mred\u001B[0m\u001B]0;title\u0007\u001B[2Jx\rlast\u001B[1A';
		const [, line = ''] = blockLines(
			{...tool, name: 'run_command', arguments: {command: 'x'}, output: `\u001B[31mred\u001B[0m ${hostileOutput}`},
			{width: 60, palette: colored},
		);
		expect(plainText(line)).toBe('last␛[1A');
		expect(
			blockLines(
				{...tool, name: 'run_command', arguments: {command: 'x'}, output: '\u001B[31mred'},
				{width: 60, palette: colored},
			)[1],
		).toBe('\u001B[31mred\u001B[0m');
	});

	test('of 64 MB in one line is drawn quickly', () => {
		const [head = ''] = lines({
			...tool,
			name: 'run_command',
			arguments: {command: 'x'},
			status: 'running',
			open: true,
			output: 'z'.repeat(64_000_000),
		});
		expect(head).toMatch(/^◌ Run x · z+…$/);
	});
});

describe('a call that changed a file', () => {
	const change = {path: 'a.ts', added: 12, removed: 1, diff: `@@ -4 +4 @@\n same\n-old\n${'+new\n'.repeat(12)} end`};
	const edit = {
		...tool,
		name: 'edit_file',
		arguments: {path: 'a.ts', edits: [{old_text: 'old', new_text: 'new'}]},
		change,
	};

	test('has its counts and first lines, and the whole in its details', () => {
		const drawn = lines(edit);
		expect(drawn.slice(0, 4)).toEqual([timed('✓ Edit a.ts · +12 −1', '1.2 s'), '  4   same', '  5 - old', '  5 + new']);
		expect([drawn.length, drawn.at(-1)]).toEqual([11, '  … 6 more lines']);
		const whole = detailLines(edit, {width: 60, palette});
		expect(whole).toContain(' 17   end');
		expect(whole.join('\n')).toContain('"new_text": "new"');
	});

	test('shows its path alone while it waits for the user', () => {
		const {change: _, ...asking} = {...edit, status: 'asking', open: true} as const;
		expect(lines(asking)).toEqual(['? Edit a.ts · waiting for you']);
	});
});
