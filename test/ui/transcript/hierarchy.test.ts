import {expect, test} from 'vitest';
import {createPalette} from '../../../src/terminal/text/style.ts';
import {blockLines} from '../../../src/ui/transcript/block-lines.ts';
import {answered, called, done, start, transcriptOf, user} from '../../core/records.ts';

const palette = createPalette({color: true});
const lineOf = (failed: boolean) => {
	const {settled} = transcriptOf(start, user('Why?'), called('a.ts'), answered('a.ts', '1\tx', failed), done);
	return settled.map(block => blockLines(block, {width: 80, palette})[0]);
};

test('the message of the user alone is bold and in the accent, and a call that went well is dim but for its verb', () => {
	const [message, call] = lineOf(false);
	expect(message).toBe(`${palette.accent('❯ ')}\u001B[1;35mWhy?\u001B[0m`);
	expect(call).toBe(`${palette.dim('✓')} Read ${palette.dim('a.ts')}${palette.dim(' · 1 line')}`);
});

test('why a call failed is as bright as an answer', () => {
	expect(lineOf(true)[1]).toBe(`${palette.danger('✗')} Read a.ts${palette.dim(' · ')}1 x`);
});

test('a warning has the colour of its sign alone', () => {
	const [line] = blockLines(
		{kind: 'notice', open: false, level: 'warning', text: 'Nearly full.', hint: undefined},
		{width: 80, palette},
	);
	expect(line).toBe(`${palette.warning('! ')}Nearly full.`);
});

test('a selection is inverse without colour, too', () => {
	expect(createPalette({color: false}).selection('abc')).toBe('\u001B[7mabc\u001B[0m');
});
