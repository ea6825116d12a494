import {expect, test} from 'vitest';
import type {Block} from '../../../src/core/session/block.ts';
import {continues} from '../../../src/terminal/text/wrap.ts';
import {blockLines} from '../../../src/ui/transcript/block-lines.ts';
import {palette} from '../canvas.ts';

const call = {
	kind: 'tool',
	id: 'c1',
	messageId: 'm1',
	model: '',
	name: 'run_command',
	arguments: {},
	status: 'done',
	output: 'ok',
	milliseconds: 3,
	open: false,
	at: '2026-01-01T00:00:00.000Z',
} as const satisfies Block;

test('a command that is too long for its line stands below it, in rows that the terminal breaks', () => {
	const command = `node run.js ${'--flag value '.repeat(10)}${'x'.repeat(100)} end`;
	const draw = (given: string, softWraps = true) =>
		blockLines({...call, arguments: {command: given}}, {width: 60, palette, softWraps});
	const [head, ...rows] = draw(command);
	expect(head).toBe('✓ Run · 1 line');
	expect(rows.at(-1)).toBe('ok');
	expect(rows.slice(0, -1).join('\n').replaceAll(`${continues}\n`, '')).toBe(`$ ${command}`);
	expect(draw(`cat <<E\n${'y'.repeat(70)}\nE`)).toEqual([
		'✓ Run · 1 line',
		'$ cat <<E',
		'y'.repeat(60) + continues,
		'y'.repeat(10),
		'E',
		'ok',
	]);
	expect(draw('z'.repeat(2000))).toHaveLength(10);
	expect(draw('z'.repeat(2000)).at(-2)).toMatch(/^… \d+ more lines of the command$/);
	expect(draw(command, false)[0]).toMatch(/^✓ Run node run\.js .*… · 1 line$/);
	expect(draw('npm test')).toEqual(['✓ Run npm test · 1 line', 'ok']);
});

test('a long command of the user stands below its line, too', () => {
	const block = {
		kind: 'command',
		id: 'c1',
		status: 'done',
		end: 'exit status 0',
		output: 'ok',
		milliseconds: 3,
	} as const;
	const command = `echo ${'word '.repeat(20)}`.trim();
	const [head, ...rows] = blockLines(
		{...block, command, open: false, at: call.at},
		{width: 60, palette, softWraps: true},
	);
	expect(head).toBe('✓ !');
	expect(rows.join('\n').replaceAll(`${continues}\n`, '')).toBe(`$ ${command}\nok`);
});

test('an interrupted command shows the end of its output', () => {
	const drawn = (output: string) =>
		blockLines({...call, arguments: {command: 'npm test'}, status: 'interrupted', output}, {width: 60, palette});
	expect(drawn('one\n\u001B[2Jtwo\n')).toEqual(['■ Run npm test · interrupted', 'one', '␛[2Jtwo']);
	expect(drawn('')).toEqual(['■ Run npm test · interrupted']);
	const long = drawn(Array.from({length: 50}, (_, index) => `line ${index}`).join('\n'));
	expect([long[1], long.at(-1)]).toEqual([expect.stringMatching(/^… \d+ more lines$/), 'line 49']);
});
