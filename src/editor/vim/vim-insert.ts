import type {InputToken} from '../../terminal/input/token.ts';
import {type ComposerAction, type ComposerWindow, reduceComposer} from '../editor.ts';
import {moveTo} from '../editor-edit.ts';
import type {ComposerState, Edit} from '../editor-state.ts';
import {previousBoundary} from '../graphemes.ts';
import {lineStart} from '../motion.ts';
import {initialVim, type VimState} from './vim-state.ts';
import {onCharacter} from './vim-words.ts';

/** The prompt and its Vim mode after a token, and what the owner is asked to do. */
export type VimStep = {readonly vim: VimState; readonly state: ComposerState; readonly action?: ComposerAction};

/** Most tokens of insert mode that a change repeats. */
const maxTyped = 2000;
/** Returns normal mode with the caret on a character. */
export function inNormal(vim: VimState, state: ComposerState): VimStep {
	const caret = onCharacter(state.text, state.caret);
	return {
		vim: {...vim, mode: 'normal', pending: []},
		state: state.chain.kind === 'select' || caret !== state.caret ? moveTo(state, caret) : state,
	};
}

/** Begins insert mode after these keys of a command; `before` is the prompt before it. */
export function beginInsert(
	vim: VimState,
	before: ComposerState,
	state: ComposerState,
	keys: readonly string[],
): VimStep {
	return {vim: {...vim, mode: 'insert', inserting: {change: {keys, typed: []}, before}}, state};
}

/** Applies a token in insert mode. */
export function insertToken(vim: VimState, state: ComposerState, token: InputToken, window: ComposerWindow): VimStep {
	const step = reduceComposer(state, token, window);
	if (step.action?.type === 'submit') {
		return {vim: {...initialVim, lastFind: vim.lastFind, lines: vim.lines, lastChange: vim.lastChange}, ...step};
	}

	const {inserting} = vim;
	if (!inserting || step.action || inserting.change.typed.length >= maxTyped) {
		return {vim, ...step};
	}

	const change = {...inserting.change, typed: [...inserting.change.typed, token]};
	return {vim: {...vim, inserting: {...inserting, change}}, ...step};
}

/** Ends insert mode: the caret goes back by one, and one undo reverts everything that was typed. */
export function leaveInsert(vim: VimState, state: ComposerState): VimStep {
	const {inserting} = vim;
	const merged = inserting ? mergedEdits(inserting.before, state) : state;
	const {text, caret} = merged;
	const back = caret > lineStart(text, caret) ? previousBoundary(text, caret) : caret;
	return inNormal(
		{...vim, lastChange: inserting?.change ?? vim.lastChange, inserting: undefined},
		moveTo(merged, back),
	);
}

function mergedEdits(before: ComposerState, state: ComposerState): ComposerState {
	if (state.position !== before.position || state.text === before.text) {
		return state;
	}

	const shortest = Math.min(before.text.length, state.text.length);
	let start = 0;
	while (start < shortest && before.text[start] === state.text[start]) {
		start++;
	}

	let same = 0;
	while (same < shortest - start && before.text.at(-1 - same) === state.text.at(-1 - same)) {
		same++;
	}

	const edit: Edit = {
		start,
		removed: before.text.slice(start, before.text.length - same),
		inserted: state.text.slice(start, state.text.length - same),
		caret: before.caret,
	};
	return {...state, edits: [...before.edits, edit]};
}
