import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {expandedText, setComposerText} from '../../../src/editor/editor.ts';
import {setHistory} from '../../../src/editor/editor-history.ts';
import {type ComposerState, emptyComposer} from '../../../src/editor/editor-state.ts';
import {boundaryFrom} from '../../../src/editor/graphemes.ts';
import {lineEnd, lineStart} from '../../../src/editor/motion.ts';
import {selectionOf} from '../../../src/editor/selection.ts';
import {reduceVim} from '../../../src/editor/vim/vim.ts';
import {initialVim, type VimState} from '../../../src/editor/vim/vim-state.ts';
import {createTokenizer} from '../../../src/terminal/input/tokenizer.ts';
import {anyText} from '../../any-text.ts';
import {charactersRead} from '../../steps.ts';
import {keys, pasted, withCaret} from '../../store/composer-helpers.ts';

const esc = '\u001b[27u';
const window = {columns: 80};

/** Types bytes in Vim mode, from insert mode on an empty prompt. */
function vim(input: string, state: ComposerState = emptyComposer, from: VimState = initialVim) {
	const tokenizer = createTokenizer();
	let step: ReturnType<typeof reduceVim> = {vim: from, state};
	const actions: unknown[] = [];
	for (const token of [...tokenizer.push(Buffer.from(input)), ...tokenizer.flush()]) {
		step = reduceVim(step.vim, step.state, token, window);
		if (step.action) {
			actions.push(step.action.type === 'submit' ? step.action.text : step.action.token.name);
		}
	}

	return {...step, actions};
}

/** Presses commands on a text whose caret is at `|`; returns it in the same way, with the mode if that is not normal. */
function press(text: string, commands: string): string {
	const caret = text.indexOf('|');
	const state = {...setComposerText(emptyComposer, text.replace('|', '')), caret};
	const {state: after, vim: last} = vim(commands, state, {...initialVim, mode: 'normal'});
	return withCaret(after) + (last.mode === 'normal' ? '' : ` ${last.mode}`);
}

test.each([
	['h and l', 'ab|c', 'hhhl', 'a|bc'],
	['l not behind the line', 'ab|c\nd', 'lll', 'ab|c\nd'],
	['w by words and signs', '|one, two', 'ww', 'one, |two'],
	['3w', '|a b c d', '3w', 'a b c |d'],
	['W by blanks', '|one, two', 'W', 'one, |two'],
	['b and B', 'a.b c.|d', 'bB', 'a.b |c.d'],
	['e to the ends', '|one two', 'ee', 'one tw|o'],
	['0 ^ $', '  a|b', '0^$', '  a|b'],
	['^', '  ab|c', '^', '  |abc'],
	['f and ;', '|a.b.c.', 'f.;', 'a.b|.c.'],
	['F and ,', 'a.b.|c', 'F.,', 'a.b|.c'],
	['t', '|abc', 'tc', 'a|bc'],
	['2f', '|axbxc', '2fx', 'axb|xc'],
	['a character that is not there', '|abc', 'fz', '|abc'],
	['gg and G', 'a\n  b|\nc', 'ggG', 'a\n  b\n|c'],
	['2G', 'a\n  b\n|c', '2G', 'a\n  |b\nc'],
	['2j with a count', '|a\nb\nc', '2j', 'a\nb\n|c'],
	['} and {', '|a\n\nb', '}', 'a\n|\nb'],
	['the caret over an emoji family', '|👩‍👩‍👧‍👦b', 'l', '👩‍👩‍👧‍👦|b'],
])('%s', (_, text, commands, expected) => {
	expect(press(text, commands)).toBe(expected);
});

test.each([
	['dw', '|one two', 'dw', '|two'],
	['dw not over the line', 'a |b\nc', 'dw', 'a| \nc'],
	['d2w', '|a b c', 'd2w', '|c'],
	['2d2w', '|a b c d e', '2d2w', '|e'],
	['de', '|one two', 'de', '| two'],
	['db', 'one |two', 'db', '|two'],
	['d$ and D', 'ab|cd', 'd$', 'a|b'],
	['dd', 'a\n|b\nc', 'dd', 'a\n|c'],
	['dd of the last line', 'a\n|b', 'dd', '|a'],
	['2dd', '|a\nb\nc', '2dd', '|c'],
	['dj', '|a\nb\nc', 'dj', '|c'],
	['dgg', 'a\nb\n|c', 'dgg', '|'],
	['dfx', '|abxc', 'dfx', '|c'],
	['dtx', '|abxc', 'dtx', '|xc'],
	['diw', 'one t|wo three', 'diw', 'one | three'],
	['daw', 'one t|wo three', 'daw', 'one |three'],
	['daw at the end', 'one tw|o', 'daw', 'on|e'],
	['di"', 'say "h|i" now', 'di"', 'say "|" now'],
	['da(', 'f(a, |(b))', 'da(', 'f(a, |)'],
	['di{ around lines', 'x {\n a|b\n}', 'di{', 'x {|}'],
	['cw keeps the blank', '|one two', `cwX${esc}`, '|X two'],
	['cc', 'a\nb|c\nd', `ccX${esc}`, 'a\n|X\nd'],
	['ciw', 'a o|ne b', `ciwX${esc}`, 'a |X b'],
	['C', 'ab|cd', `CX${esc}`, 'ab|X'],
	['x and X', 'ab|cd', 'xX', 'a|d'],
	['3x', '|abcd', '3x', '|d'],
	['r', 'a|bc', 'rX', 'a|Xc'],
	['2r', 'a|bcd', '2rx', 'ax|xd'],
	['r with too few characters', 'ab|c', '2rx', 'ab|c'],
	['~', '|abC', '3~', 'AB|c'],
	['s', 'a|bc', `sX${esc}`, 'a|Xc'],
	['J', 'a|\n  b', 'J', 'a| b'],
	['yy and p', '|a\nb', 'yyp', 'a\n|a\nb'],
	['dd and P', 'a\n|b', 'ddP', '|b\na'],
	['yiw and P', 'a|b c', 'yiwP', 'a|bab c'],
	['x and p swap', '|ab', 'xp', 'b|a'],
	['3p', '|a', 'x3p', 'aa|a'],
	['o and O', 'a|b', `ox${esc}Oy${esc}`, 'ab\n|y\nx'],
	['A and I', '  a|b', `Ax${esc}Iy${esc}`, '  |yabx'],
	['u reverts a whole insert', '|', `ione two three${esc}u`, '|'],
	['u reverts a whole change', 'a |b c', `cwone two${esc}u`, 'a |b c'],
	['Ctrl+R', '|ab', 'xu\u0012', '|b'],
	['. repeats a deletion', '|a b c d', 'dw..', '|d'],
	['. repeats a change', '|a b', `cwX${esc}w.`, 'X |X'],
	['. repeats an append', '|a\nb', `Ax${esc}j.`, 'ax\nb|x'],
	['an operator that is cancelled', '|ab', `d${esc}x`, '|b'],
	['a command in one read with Esc', 'a|b', 'ix\u001bdd', '|'],
	['a letter in one read with Esc that is a key of the prompt with Alt', 'one two|', 'a!\u001bb', 'one |two!'],
	['an unknown command', '|ab', 'dqZx', '|b'],
])('%s', (_, text, commands, expected) => {
	expect(press(text, commands)).toBe(expected);
});

describe('visual mode', () => {
	test.each([
		['v and d', 'a|bcd', 'vld', 'a|d'],
		['V and d', 'a\nb|c\nd', 'Vd', 'a\n|d'],
		['v and c', '|one two', `vec${esc}`, '| two'],
		['y and P', '|ab c', 'vyP', '|aab c'],
		['viw', 'one t|wo', 'viwd', 'one| '],
		['o to the other end', 'a|bcd', 'vlohd', '|d'],
		['~', '|abc', 'vl~', '|ABc'],
		['r', '|abc', 'vlrx', '|xxc'],
		['J', '|a\nb\nc', 'VjJ', 'a| b\nc'],
		['p over the selection', '|ab c', 'xwvp', 'b |a'],
		['Esc', 'a|b', `v${esc}`, 'a|b'],
	])('%s', (_, text, commands, expected) => {
		expect(press(text, commands)).toBe(expected);
	});

	test('shows what is selected, with the character at the caret', () => {
		const {state, vim: mode} = vim(`abc${esc}v`);
		expect([mode.mode, selectionOf(state)]).toEqual(['visual', {start: 2, end: 3}]);
		expect(selectionOf(vim('V', vim(`a\nbc${esc}`).state, {...initialVim, mode: 'normal'}).state)).toEqual({
			start: 2,
			end: 4,
		});
	});
});

test('a prompt begins in insert mode, Esc leaves it, and only a second Esc is for the app', () => {
	const {actions, vim: after, state} = vim(`hello${esc}`);
	expect([actions, after.mode, withCaret(state)]).toEqual([[], 'normal', 'hell|o']);
	expect(vim(esc, state, after).actions).toEqual(['escape']);
	expect(vim('\u0003', state, after).actions).toEqual(['c']);
});

test('Enter sends in both modes, and the next prompt begins in insert mode', () => {
	for (const input of ['hi\r', `hi${esc}\r`]) {
		const {actions, vim: after, state} = vim(input);
		expect([actions, after.mode, state.text]).toEqual([['hi'], 'insert', '']);
	}
});

test('a paste is text in every mode, never commands, and stays whole', () => {
	const {state, vim: after} = vim(`ab${esc}${pasted('dd\nx')}`);
	expect([state.text, after.mode]).toEqual(['add\nxb', 'normal']);
	const folded = vim(`${pasted('1\n2\n3')}${esc}xpP`).state;
	expect(expandedText(folded)).toBe('1\n2\n31\n2\n3');
});

test('j and k walk the history beyond the first and the last row', () => {
	const history = setHistory(emptyComposer, ['one', 'two']);
	expect(vim(`${esc}kk`, history).state.text).toBe('one');
	expect(vim(`draft${esc}kj`, history).state.text).toBe('draft');
});

test('text that is read at once is commands up to the one that begins insert mode', () => {
	expect(withCaret(vim(`${esc}ihello w`).state)).toBe('hello w|');
});

test('no keys throw, leave the caret inside a character, or grow the state without bounds', () => {
	const letters = [...'hlwbeWBE0^$fFtT;,jkgGdcyxXrsSCDYpPuJ~.vVoOaAiIqz()[]{}"\'<>1239 '];
	const special = Object.values(keys);
	const anyKey = fc.oneof(
		{weight: 12, arbitrary: fc.constantFrom(...letters)},
		{weight: 2, arbitrary: fc.constantFrom(esc, esc, '\u0012', '\r', ...special)},
		{weight: 1, arbitrary: anyText({maxLength: 4})},
		{weight: 1, arbitrary: fc.constantFrom('👩‍👩‍👧‍👦', 'e\u0301', '🇩🇪', pasted('1\n2\n3'), pasted('a b'), '日本')},
	);
	fc.assert(
		fc.property(fc.array(anyKey, {maxLength: 60}), pressed => {
			let {vim: mode, state}: {vim: VimState; state: ComposerState} = vim(
				`one (two)\n"th3" 👩‍👩‍👧‍👦 e\u0301\n\nlast${esc}`,
			);
			for (const key of pressed) {
				({vim: mode, state} = vim(key, state, mode));
				expect(boundaryFrom(state.text, state.caret)).toBe(state.caret);
				expect(mode.pending.length).toBeLessThanOrEqual(20);
				const isBehind =
					state.caret === lineEnd(state.text, state.caret) && state.caret > lineStart(state.text, state.caret);
				expect(mode.mode === 'normal' && isBehind).toBe(false);
			}
		}),
		{numRuns: 300},
	);
});

test.each([
	'x',
	'p',
	'rz',
	'~',
	'J',
	'dw',
	'dd',
	'yyp',
	'w',
	'b',
	'e',
	'j',
	'k',
	'f日',
	'ciwnew',
	'oline',
	'u',
	'vly',
	'Vd',
	'ix\u001b[27u.',
])('the cost of commands does not grow with the prompt: %s', commands => {
	const cost = (lines: number) => {
		const prompt = setComposerText(emptyComposer, 'line of text, 日本語 👩‍👩‍👧\n'.repeat(lines));
		const middle = prompt.text.lastIndexOf('\n', prompt.text.length / 2) + 1;
		const start = vim('iy', {...prompt, caret: middle}, {...initialVim, mode: 'normal'}).state;
		return charactersRead(() => vim(`${esc}${commands}${esc}`.repeat(5), start));
	};
	expect(cost(16_000)).toBeLessThan(1.5 * cost(1000));
});
