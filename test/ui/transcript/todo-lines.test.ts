import {describe, expect, test} from 'vitest';
import {todoProgress} from '../../../src/core/session/todo.ts';
import {plainText} from '../../../src/terminal/text/ansi.ts';
import {lineWidth} from '../../../src/terminal/text/width.ts';
import {layOut} from '../../../src/ui/screen/layout.ts';
import {spokenTodo, todoLines} from '../../../src/ui/transcript/todo-lines.ts';
import {call, palette, result, start} from '../canvas.ts';
import {conversation} from '../drawing.ts';

const item = (text: string, state: 'pending' | 'active' | 'done' = 'pending') => ({text, state});
const plan = [item('Read the code', 'done'), item('Fix the parser', 'active'), item('Run the tests')];
const style = {rows: 6, width: 40, palette};

test('each step has a sign for its state', () => {
	expect(todoLines(plan, style)).toEqual(['  ✓ Read the code', '  ▸ Fix the parser', '  ○ Run the tests']);
	expect(spokenTodo(plan)).toEqual(['done: Read the code', 'active: Fix the parser', 'pending: Run the tests']);
	expect([todoProgress(plan), todoProgress([item('a', 'done')]), todoProgress([])]).toEqual([
		'1 of 3 done · Fix the parser',
		'1 of 1 done',
		'empty',
	]);
});

test('one row sums it up, and a long list shows the steps around the current one', () => {
	expect(todoLines(plan, {...style, rows: 1})).toEqual(['  1 of 3 done · Fix the parser']);
	const long = Array.from({length: 12}, (_, index) =>
		item(`Step ${index + 1}`, index < 7 ? 'done' : index === 7 ? 'active' : 'pending'),
	);
	expect(todoLines(long, style)).toEqual([
		'  ✓ Step 7',
		'  ▸ Step 8',
		'  ○ Step 9',
		'  ○ Step 10',
		'  ○ Step 11',
		'  7 of 12 done · Step 8',
	]);
	expect(
		todoLines(
			long.map(({text}) => item(text)),
			style,
		)[0],
	).toBe('  ○ Step 1');
});

test('steps of a model are made safe and fit [1]', () => {
	const evil = [item('\u001B[2J\u202E\n\u0007'.repeat(20), 'active'), item('宽'.repeat(60))];
	for (const line of [...todoLines(evil, style), ...todoLines(evil, {...style, rows: 1})]) {
		expect(plainText(line)).not.toMatch(/[\u0000-\u001F\u007F\u202E]/);
		expect(lineWidth(line)).toBeLessThanOrEqual(40);
	}
});

describe('the rows of the list', () => {
	const wanted = {rows: 30, live: 12, panel: 0, queue: 0, composer: 1, completion: 0, todo: 6};

	test.each([
		['are whole in a window with room', {}, 6],
		['are at most six', {todo: 40}, 6],
		['are one in a low window', {rows: 19}, 1],
		['are one while a panel is open', {panel: 8}, 1],
		['are none without a list', {todo: 0}, 0],
		['are none where there is no room', {rows: 5}, 0],
	])('%s', (_, change, expected) => {
		const layout = layOut({...wanted, ...change});
		expect(layout.todo).toBe(expected);
		expect(Object.values(layout).reduce((sum, rows) => sum + rows, 0)).toBeLessThan({...wanted, ...change}.rows);
	});
});

test('the list stands above the prompt until all is done and the run has ended', async () => {
	const {feed, settle, lines} = conversation(60, 24);
	const shown = async () => {
		await settle();
		return lines().join('\n');
	};
	await feed(start, call('a', 'todo', {items: plan}), result('a', 'ok'));
	expect(await shown()).toMatch(
		/✓ Todo 1 of 3 done · Fix the parser\n\n {2}✓ Read the code\n {2}▸ Fix the parser\n {2}○ Run the tests\n─+\n❯/,
	);
	const done = plan.map(({text}) => item(text, 'done'));
	await feed(call('b', 'todo', {items: done}), result('b', 'ok'));
	expect(await shown()).toContain('  ✓ Run the tests\n─');
	await feed({type: 'run-end', reason: 'done', stopReason: 'end_turn'});
	expect(await shown()).not.toContain('✓ Run the tests');
});
