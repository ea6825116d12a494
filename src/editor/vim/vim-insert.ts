import type {InputToken} from '../../terminal/input/token.ts';
import {type ComposerAction, type ComposerWindow, reduceComposer} from '../editor.ts';
import {moveTo} from '../editor-edit.ts';
import type {ComposerState} from '../editor-state.ts';
import {previousBoundary} from '../graphemes.ts';
import {textOf} from '../long-text.ts';
import {lineStart} from '../motion.ts';
import {initialVim, type VimState} from './vim-state.ts';
import {onCharacter} from './vim-words.ts';

/** The prompt and its Vim mode after a token, and what the owner is asked to do. */
export type VimStep = {readonly vim: VimState; readonly state: ComposerState; readonly action?: ComposerAction};

/** Most tokens of insert mode that a change repeats. */
const maxTyped = 2000;
/** Returns normal mode with the caret on a character. */
export function inNormal(vim: VimState, state: ComposerState): VimStep {
	const caret = onCharacter(textOf(state), state.caret);
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
	const {caret} = merged;
	const text = textOf(merged);
	const back = caret > lineStart(text, caret) ? previousBoundary(text, caret) : caret;
	return inNormal(
		{...vim, lastChange: inserting?.change ?? vim.lastChange, inserting: undefined},
		moveTo(merged, back),
	);
}

/** Returns the prompt with one edit in place of all that were made since `before`. */
function mergedEdits(before: ComposerState, state: ComposerState): ComposerState {
	if (state.position !== before.position || state.edits === before.edits) {
		return state;
	}

	const {start, behind} = changedPart(before, state);
	const removed = textOf(before).slice(start, before.text.length - behind);
	const inserted = textOf(state).slice(start, state.text.length - behind);
	return removed === inserted
		? state
		: {...state, edits: [...before.edits, {start, removed, inserted, caret: before.caret}]};
}

/** Returns where the text has changed, as the length before and behind that: by the edits, or by comparison if some are lost. */
function changedPart(before: ComposerState, {text, edits}: ComposerState) {
	const last = before.edits.at(-1);
	const known = last ? edits.lastIndexOf(last) : -1;
	if (known === -1) {
		return difference(before.text, text);
	}

	let start = Number.POSITIVE_INFINITY;
	let behind = Number.POSITIVE_INFINITY;
	let {length} = text;
	for (const edit of edits.slice(known + 1).reverse()) {
		start = Math.min(start, edit.start);
		behind = Math.min(behind, length - edit.start - edit.inserted.length);
		length += edit.removed.length - edit.inserted.length;
	}

	return {start: Math.min(start, length), behind: Math.min(behind, length)};
}

function difference(before: string, after: string) {
	const shortest = Math.min(before.length, after.length);
	let start = 0;
	while (start < shortest && before[start] === after[start]) {
		start++;
	}

	let behind = 0;
	while (behind < shortest - start && before.at(-1 - behind) === after.at(-1 - behind)) {
		behind++;
	}

	return {start, behind};
}
