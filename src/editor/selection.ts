import {kill, moveTo, replace} from './editor-edit.ts';
import type {Operation} from './editor-keys.ts';
import type {ComposerState} from './editor-state.ts';
import {nextBoundary} from './graphemes.ts';
import type {Action} from './keymap/default-keys.ts';
import {textOf} from './long-text.ts';
import {lineEnd, lineStart} from './motion.ts';

export type Selection = {readonly start: number; readonly end: number};

/** Returns the selected part of the text; undefined if nothing is selected. */
export function selectionOf({caret, chain, ...source}: ComposerState): Selection | undefined {
	if (chain.kind !== 'select') {
		return undefined;
	}

	const text = textOf(source);
	const start = Math.min(chain.anchor, caret);
	const last = Math.max(chain.anchor, caret);
	if (chain.extent === 'lines') {
		return {start: lineStart(text, start), end: Math.min(text.length, lineEnd(text, last) + 1)};
	}

	const end = chain.extent === 'inclusive' ? nextBoundary(text, last) : last;
	return end > start ? {start, end} : undefined;
}

/** Moves the caret as `move` does, and selects what is between its first place and the new one. */
function extendSelection(state: ComposerState, move: (state: ComposerState) => ComposerState): ComposerState {
	const anchor = state.chain.kind === 'select' ? state.chain.anchor : state.caret;
	return moveTo(state, move(state).caret, {kind: 'select', anchor});
}

/** Replaces what is selected, and returns undefined if nothing is. The text goes to the kill ring if `isKept`. */
export function replaceSelection(state: ComposerState, inserted: string, isKept = false): ComposerState | undefined {
	const selected = selectionOf(state);
	if (!selected) {
		return undefined;
	}

	const {start, end} = selected;
	return isKept ? kill({...state, caret: end}, start, end) : replace(state, start, end, inserted);
}

/** Actions that remove what is selected instead of what they remove otherwise; those of the kill ring keep it there. */
const removing: readonly Action[] = ['prompt.delete-back', 'prompt.delete', 'prompt.delete-or-quit'];
const killing: readonly Action[] = [
	'prompt.kill-word-back',
	'prompt.kill-part-back',
	'prompt.kill-word',
	'prompt.kill-line',
	'prompt.kill-line-back',
];

/** The movement that each of these actions selects by. */
const selecting = {
	'prompt.select-left': 'prompt.left',
	'prompt.select-right': 'prompt.right',
	'prompt.select-up': 'prompt.up',
	'prompt.select-down': 'prompt.down',
	'prompt.select-word-left': 'prompt.word-left',
	'prompt.select-word-right': 'prompt.word-right',
	'prompt.select-line-start': 'prompt.line-start',
	'prompt.select-line-end': 'prompt.line-end',
	'prompt.select-start': 'prompt.start',
	'prompt.select-end': 'prompt.end',
} as const satisfies {readonly [action in Action]?: Action};

/** Applies an action that extends the selection, or that acts on one. Returns undefined for any other. */
export function pressInSelection(
	state: ComposerState,
	action: Action,
	operations: {readonly [action in Action]?: Operation},
	columns: number,
): ComposerState | undefined {
	if (isSelecting(action)) {
		const move = operations[selecting[action]];
		return extendSelection(state, from => movedBy(from, action, move?.(from, columns)));
	}

	const selected = selectionOf(state);
	if (!selected) {
		return undefined;
	}

	switch (action) {
		case 'prompt.left':
			return moveTo(state, selected.start);
		case 'prompt.right':
			return moveTo(state, selected.end);
		case 'prompt.newline':
			return replaceSelection(state, '\n');
		default:
			return removing.includes(action)
				? replaceSelection(state, '')
				: killing.includes(action)
					? replaceSelection(state, '', true)
					: undefined;
	}
}

function isSelecting(action: Action): action is keyof typeof selecting {
	return Object.hasOwn(selecting, action);
}

/** Returns where a movement ends that may not leave the text: not in the history. */
function movedBy(from: ComposerState, action: Action, moved: ComposerState | undefined): ComposerState {
	return moved && moved.position === from.position
		? moved
		: {...from, caret: action === 'prompt.select-up' ? 0 : from.text.length};
}
