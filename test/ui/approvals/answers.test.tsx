import {expect, test} from 'vitest';
import {panelKeys} from '../../../src/editor/keymap/default-keys.ts';
import {keymapOf} from '../../../src/editor/keymap/keymap.ts';
import {createPalette} from '../../../src/terminal/text/style.ts';
import {drawQuestion} from '../../../src/ui/panels/question.ts';
import {ask, uncontained} from './asking.tsx';

const commandAnswers = [
	{key: 'y', label: 'Yes, once', value: 'once'},
	{key: 'r', label: 'Say why', value: 'reason'},
];
test.each([
	[
		'a list',
		[80, 24],
		[
			'? Run this command?',
			'  y  Yes, once',
			'  s  Yes, and allow npm test * this session',
			'  f  Yes, and always in this folder',
			'  e  Edit the command',
			'  r  No, and say why',
			'❯ n  No',
			'  ↑↓ move · Enter select · Esc cancel',
		],
	],
	[
		'columns',
		[120, 12],
		[
			'? Run this command?',
			'  y Yes, once                                 e Edit the command',
			'  s Yes, and allow npm test * this session    r No, and say why',
			'  f Yes, and always in this folder          ❯ n No',
		],
	],
	['keys alone', [40, 10], ['? Run this command? [y/s/f/e/r/N] No']],
] as const)('answers are %s in a window of %j, below the command', async (_, [columns, rows], expected) => {
	const {lines, decided, answer} = await ask(uncontained, columns, rows);
	const shown = lines().filter(line => !/^[─━]/.test(line));
	const at = shown.indexOf(expected[0]);
	expect(shown.slice(at, at + expected.length)).toEqual(expected);
	expect(shown.slice(0, at)).toContain('$ npm test -- a');
	answer(undefined);
	await decided;
});

test.each([
	[80, 24, '❯ r  No, and say why', '  n  No'],
	[120, 12, '❯ r No, and say why', '  n No'],
	[20, 5, '[y/s/f/e/R/n]', '[y/s/f/e/R/n]'],
])('the mark moves at %i x %i, and wraps', async (columns, rows, first, second) => {
	const {lines, store, decided, answer} = await ask(uncontained, columns, rows);
	store.getState().markBy(-1);
	await expect.poll(() => lines().join('\n'), {interval: 5}).toContain(first);
	expect(lines().join('\n')).toContain(second);
	store.getState().markBy(2);
	await expect.poll(() => lines().join('\n'), {interval: 5}).toMatch(/❯ y {1,2}Yes, once|\[Y\/s/);
	answer(undefined);
	await decided;
});

test('answers are drawn without their keys until these answer', () => {
	const palette = createPalette({color: false});
	const panel = {kind: 'confirm', question: 'Run it?', answers: commandAnswers, askedAt: 0} as const;
	const style = {columns: 80, palette, steps: 0, height: 10, keymap: keymapOf(panelKeys)};
	expect(drawQuestion(panel, {...style, isAnswerable: false}).asked).toEqual([
		'? Run it?',
		'     Yes, once',
		'     Say why',
		'     No',
		'  Wait a second, then answer',
	]);
	expect(drawQuestion(panel, {...style, isAnswerable: true}).asked).toHaveLength(5);
});
