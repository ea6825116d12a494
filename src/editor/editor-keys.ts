import {kill, moveTo, replace, transpose, undo, yank, yankBefore} from './editor-edit.ts';
import {walkHistory} from './editor-history.ts';
import {caretAt, columnOf, rowIndexOf, rowsOf} from './editor-rows.ts';
import type {ComposerState} from './editor-state.ts';
import {nextBoundary, previousBoundary} from './graphemes.ts';
import {chunkBefore, lineEnd, lineStart, wordAfter, wordBefore} from './motion.ts';

/** Applies a key to the prompt; returns undefined if the key does nothing here and is for the owner. */
type Operation = (state: ComposerState, columns: number) => ComposerState | undefined;

const left: Operation = state => moveTo(state, previousBoundary(state.text, state.caret));
const right: Operation = state => moveTo(state, nextBoundary(state.text, state.caret));
const wordLeft: Operation = state => moveTo(state, wordBefore(state.text, state.caret));
const wordRight: Operation = state => moveTo(state, wordAfter(state.text, state.caret));
const home: Operation = state => moveTo(state, lineStart(state.text, state.caret));
const end: Operation = state => moveTo(state, lineEnd(state.text, state.caret));

const backspace: Operation = state => replace(state, previousBoundary(state.text, state.caret), state.caret, '');
const remove: Operation = state => replace(state, state.caret, nextBoundary(state.text, state.caret), '');
const killWordBefore: Operation = state => kill(state, wordBefore(state.text, state.caret), state.caret);
const killWordAfter: Operation = state => kill(state, state.caret, wordAfter(state.text, state.caret));
const breakLine: Operation = state => replace(state, state.caret, state.caret, '\n');

/** Kills to the end of the line, or the line end if the caret is there. */
const killLineEnd: Operation = state => {
	const to = lineEnd(state.text, state.caret);
	return kill(state, state.caret, to === state.caret ? Math.min(to + 1, state.text.length) : to);
};

const killLineStart: Operation = state => {
	const from = lineStart(state.text, state.caret);
	return kill(state, from === state.caret ? Math.max(0, from - 1) : from, state.caret);
};

/** Moves by wrapped rows; beyond the first and the last one, walks the history. */
function vertical(step: -1 | 1): Operation {
	return (state, columns) => {
		const rows = rowsOf(state, columns);
		const row = rowIndexOf(rows, state.caret);
		const {chain} = state;
		const goal = chain.kind === 'vertical' ? chain.goal : columnOf(state, rows, row, state.caret, columns);
		const target = row + step;
		if (target < 0 || target >= rows.length) {
			return walkHistory(state, step);
		}

		return moveTo(state, caretAt(state, rows, target, goal, columns, step === 1), {kind: 'vertical', goal});
	};
}

const up = vertical(-1);
const down = vertical(1);

/** The keys of readline and of common editors, by chord. Enter is not among them, since it may send. */
export const operations: Readonly<Record<string, Operation>> = {
	left,
	'ctrl+b': left,
	right,
	'ctrl+f': right,
	'ctrl+left': wordLeft,
	'alt+left': wordLeft,
	'alt+b': wordLeft,
	'ctrl+right': wordRight,
	'alt+right': wordRight,
	'alt+f': wordRight,
	home,
	'ctrl+a': home,
	end,
	'ctrl+e': end,
	'ctrl+home': state => moveTo(state, 0),
	'ctrl+end': state => moveTo(state, state.text.length),
	up,
	'ctrl+p': up,
	down,
	'ctrl+n': down,
	backspace,
	'shift+backspace': backspace,
	'ctrl+h': backspace,
	delete: remove,
	'ctrl+d': (state, columns) => (state.text === '' ? undefined : remove(state, columns)),
	'ctrl+w': state => kill(state, chunkBefore(state.text, state.caret), state.caret),
	'alt+backspace': killWordBefore,
	'ctrl+backspace': killWordBefore,
	'alt+d': killWordAfter,
	'alt+delete': killWordAfter,
	'ctrl+delete': killWordAfter,
	'ctrl+k': killLineEnd,
	'ctrl+u': killLineStart,
	'ctrl+y': yank,
	'alt+y': yankBefore,
	'ctrl+t': transpose,
	'ctrl+j': breakLine,
	// One physical key, which terminals name differently.
	'ctrl+_': undo,
	'ctrl+shift+_': undo,
	'ctrl+shift+-': undo,
	'ctrl+/': undo,
};
