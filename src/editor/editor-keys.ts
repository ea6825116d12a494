import {kill, moveTo, redo, replace, transpose, undo, yank, yankBefore} from './editor-edit.ts';
import {walkHistory} from './editor-history.ts';
import {caretAt, columnOf, rowIndexOf, rowsAround} from './editor-rows.ts';
import type {ComposerState} from './editor-state.ts';
import {nextBoundary, previousBoundary} from './graphemes.ts';
import type {Action} from './keymap/default-keys.ts';
import {textOf} from './long-text.ts';
import {chunkBefore, lineEnd, lineStart, wordAfter, wordBefore} from './motion.ts';

/** Applies an action to the prompt; returns undefined if it does nothing here and is for the owner. */
export type Operation = (state: ComposerState, columns: number) => ComposerState | undefined;

const left: Operation = state => moveTo(state, previousBoundary(textOf(state), state.caret));
const right: Operation = state => moveTo(state, nextBoundary(textOf(state), state.caret));
const wordLeft: Operation = state => moveTo(state, wordBefore(textOf(state), state.caret));
const wordRight: Operation = state => moveTo(state, wordAfter(textOf(state), state.caret));
const home: Operation = state => moveTo(state, lineStart(textOf(state), state.caret));
const end: Operation = state => moveTo(state, lineEnd(textOf(state), state.caret));

const backspace: Operation = state => replace(state, previousBoundary(textOf(state), state.caret), state.caret, '');
const remove: Operation = state => replace(state, state.caret, nextBoundary(textOf(state), state.caret), '');
const killWordBefore: Operation = state => kill(state, wordBefore(textOf(state), state.caret), state.caret);
const killWordAfter: Operation = state => kill(state, state.caret, wordAfter(textOf(state), state.caret));
const breakLine: Operation = state => replace(state, state.caret, state.caret, '\n');

/** Kills to the end of the line, or the line end if the caret is there. */
const killLineEnd: Operation = state => {
	const to = lineEnd(textOf(state), state.caret);
	return kill(state, state.caret, to === state.caret ? Math.min(to + 1, state.text.length) : to);
};

const killLineStart: Operation = state => {
	const from = lineStart(textOf(state), state.caret);
	return kill(state, from === state.caret ? Math.max(0, from - 1) : from, state.caret);
};

/** Moves by wrapped rows; beyond the first and the last one, walks the history. Wraps the line and the ones beside it. */
function vertical(step: -1 | 1): Operation {
	return (state, columns) => {
		const {chain} = state;
		const {source, rows, start} = rowsAround(state, columns, 1);
		const caret = state.caret - start;
		const row = rowIndexOf(rows, caret);
		const goal = chain.kind === 'vertical' ? chain.goal : columnOf(source, rows, row, caret, columns);
		const target = row + step;
		if (target < 0 || target >= rows.length) {
			return walkHistory(state, step);
		}

		return moveTo(state, start + caretAt(source, rows, target, goal, columns, step === 1), {kind: 'vertical', goal});
	};
}

const up = vertical(-1);
const down = vertical(1);

/** What the actions of the prompt do to its text. Enter is not among them, since it may send. */
export const operations: {readonly [action in Action]?: Operation} = {
	'prompt.newline': breakLine,
	'prompt.undo': undo,
	'prompt.redo': redo,
	'prompt.up': up,
	'prompt.down': down,
	'prompt.left': left,
	'prompt.right': right,
	'prompt.word-left': wordLeft,
	'prompt.word-right': wordRight,
	'prompt.line-start': home,
	'prompt.line-end': end,
	'prompt.start': state => moveTo(state, 0),
	'prompt.end': state => moveTo(state, state.text.length),
	'prompt.delete-back': backspace,
	'prompt.delete': remove,
	'prompt.delete-or-quit': (state, columns) => (state.text === '' ? undefined : remove(state, columns)),
	'prompt.kill-word-back': state => kill(state, chunkBefore(textOf(state), state.caret), state.caret),
	'prompt.kill-part-back': killWordBefore,
	'prompt.kill-word': killWordAfter,
	'prompt.kill-line': killLineEnd,
	'prompt.kill-line-back': killLineStart,
	'prompt.yank': yank,
	'prompt.yank-earlier': yankBefore,
	'prompt.transpose': transpose,
};
