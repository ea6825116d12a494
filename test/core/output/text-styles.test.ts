import fc from 'fast-check';
import {expect, test} from 'vitest';
import {addPiece, hideRecorded, plainRecord} from '../../../src/core/output/recorded-output.ts';
import {
	hideStyled,
	joinStyled,
	readStyles,
	recordedStyles,
	type StyledText,
	sliceStyled,
	stylesIn,
} from '../../../src/core/output/text-styles.ts';
import type {AgentEvent} from '../../../src/core/session/event.ts';
import {anyText} from '../../any-text.ts';
import {expectLinear} from '../../growth.ts';
import {toRecords} from '../records.ts';

/** A text of words, each in a style or in none. */
const styledTexts = fc
	.array(fc.tuple(fc.constantFrom('one', 'two ', '\n', 'sesame', '…'), fc.constantFrom('', '31', '1;32')))
	.map(words => joinStyled(words.map(([text, codes]) => styledWord(text, codes))));

function styledWord(text: string, codes: string): StyledText | string {
	return codes && text !== '\n' ? {text, styles: [{start: 0, end: text.length, codes}]} : text;
}

/** Returns each character with its style. */
function cells({text, styles}: StyledText): string[] {
	return text.split('').map((character, at) => {
		const range = styles.find(({start, end}) => start <= at && at < end);
		return `${character} ${range?.codes ?? ''}`;
	});
}

test('styles are recorded and read again', () => {
	const styles = [
		{start: 0, end: 3, codes: '31'},
		{start: 9, end: 13, codes: '1;32'},
	];
	expect(recordedStyles(styles)).toEqual({styles: '0+3:31 9+4:1;32'});
	expect(readStyles('0+3:31 9+4:1;32')).toEqual(styles);
	expect(recordedStyles([])).toEqual({});
	expect(readStyles(undefined)).toEqual([]);
});

test('reading skips what is no style and what overlaps an earlier one', () => {
	expect(readStyles('x 5+3:31 6+1:32 \u001B[2J 8+1:\u001B[2J 8+2:7;;4 9+1: 99999999999+1:1 12+1:31x')).toEqual([
		{start: 5, end: 8, codes: '31'},
		{start: 8, end: 10, codes: '7;;4'},
	]);
	fc.assert(
		fc.property(anyText(), text => {
			for (const {codes} of readStyles(text)) {
				expect(codes).toMatch(/^\d[\d;]*$/);
			}
		}),
	);
});

test('a part of a text has the styles of its characters, and so has a text of parts', () => {
	fc.assert(
		fc.property(styledTexts, styledTexts, fc.nat(20), fc.nat(20), (one, other, from, length) => {
			expect(cells(sliceStyled(one, from, from + length))).toEqual(cells(one).slice(from, from + length));
			expect(cells(joinStyled([one, '--', other]))).toEqual([...cells(one), '- ', '- ', ...cells(other)]);
		}),
	);
});

test('what a mask replaces has no style, and all other lines keep theirs', () => {
	const hide = (text: string) => text.replaceAll('sesame', '***');
	fc.assert(
		fc.property(styledTexts, styled => {
			const hidden = hideStyled(styled, hide);
			expect(hidden.text).toBe(hide(styled.text));
			const [before, after] = [styled, hidden].map(({text, styles}) =>
				text.split('\n').reduce<{at: number; lines: string[][]}>(
					({at, lines}, line) => ({
						at: at + line.length + 1,
						lines: [...lines, cells(sliceStyled({text, styles}, at, at + line.length))],
					}),
					{at: 0, lines: []},
				),
			);
			for (const [index, line] of (before?.lines ?? []).entries()) {
				if (
					!line
						.join('')
						.replaceAll(/ [\d;]*/g, '')
						.includes('sesame')
				) {
					expect(after?.lines[index]).toEqual(line);
				}
			}
		}),
	);
	const {text, styles} = joinStyled([
		{text: 'key', styles: [{start: 0, end: 3, codes: '31'}]},
		{text: ' sesame ', styles: [{start: 1, end: 7, codes: '32'}]},
		{text: 'end', styles: [{start: 0, end: 3, codes: '33'}]},
	]);
	expect(hideRecorded({output: text, ...recordedStyles(styles)}, hide)).toEqual({
		output: 'key *** end',
		styles: '0+3:31 8+3:33',
	});
	expect(hideRecorded({output: 'sesame', styles: '0+6:31'}, hide)).toEqual({output: '***', styles: undefined});
});

test('styles are lost if a mask changes the number of lines', () => {
	expect(hideStyled({text: 'a\nb', styles: [{start: 0, end: 1, codes: '1'}]}, () => 'a')).toEqual({
		text: 'a',
		styles: [],
	});
});

test('the styles of an output are found in the result that has it in lines of its own', () => {
	const output = {text: 'a', styles: [{start: 0, end: 1, codes: '31'}]};
	expect(stylesIn('[a note]\na\n[exit status 0]', output)).toEqual([{start: 9, end: 10, codes: '31'}]);
	expect(stylesIn('a', output)).toEqual(output.styles);
	expect(stylesIn('[a note]\nb', output)).toEqual([]);
});

test('pieces of a running output keep their styles, also when its beginning is left out', () => {
	const piece = {output: `${'x'.repeat(999)}\n`, styles: '0+2:31'};
	let all: Parameters<typeof addPiece>[0] = {output: ''};
	for (let count = 0; count < 150; count++) {
		all = addPiece(all, piece);
		const styles = readStyles(all.styles);
		expect(styles.map(({start}) => all.output.slice(start - 1, start))).toEqual(
			styles.map(({start}) => (start === 0 ? '' : '\n')),
		);
	}

	expect(all.output.length).toBeLessThan(130_000);
	expect(readStyles(all.styles).length).toBeGreaterThan(60);
});

test('a record for other programs has no styles, of the agent, a sub-agent or the user', () => {
	const events = [
		{type: 'tool-output', id: 'a', text: 'x', styles: '0+1:31'},
		{type: 'tool-result', id: 'a', output: 'x', styles: '0+1:31', failed: false, milliseconds: 1},
		{type: 'user-command-end', id: 'b', output: 'x', styles: '0+1:31', end: '', status: 'done', milliseconds: 1},
	] as const satisfies readonly AgentEvent[];
	const tasks = events.map(event => ({type: 'task', id: 't', event}) as const);
	for (const record of toRecords([...events, ...tasks])) {
		const plain = plainRecord(record);
		expect(JSON.stringify(plain)).toBe(JSON.stringify(record).replace(',"styles":"0+1:31"', ''));
		expect(plainRecord(plain)).toEqual(plain);
	}

	const [other] = toRecords([{type: 'rename', title: 'x'}]);
	expect(other && plainRecord(other)).toBe(other);
});

test('masking costs in proportion to the length', () => {
	const line = joinStyled(Array.from({length: 10}, () => styledWord('word', '31')));
	expectLinear(size => {
		const text = joinStyled(Array.from({length: size}, () => joinStyled([line, ' sesame\n'])));
		hideStyled(text, given => given.replaceAll('sesame', '***'));
	}, 50);
});
