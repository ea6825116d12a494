import type {Chain, ComposerState, Edit} from './editor-state.ts';
import {accepted, type Fold, foldOf, foldUnit, hasRoom} from './folds.ts';
import {boundaryFrom, nextBoundary, previousBoundary} from './graphemes.ts';
import {dividedText, spliced, textOf} from './long-text.ts';

const maxEdits = 500;
/** The most text that the edits hold, in UTF-16 units; the latest one is kept whatever it holds. */
const maxEditedLength = 4_000_000;
/** Shorter edits are too small to be counted: all of them together stay far below the limit. */
const minCountedLength = 1000;
const maxKills = 10;
const unchained: Chain = {kind: 'none'};

/** Moves the caret, which ends every chain of typing, killing and yanking. */
export function moveTo(state: ComposerState, caret: number, chain: Chain = unchained): ComposerState {
	return {...state, pieces: dividedText(state), caret, chain};
}

/** Replaces `start` to `end` with `inserted` and moves the caret behind that. All changes of the text are made here. */
export function replace(
	state: ComposerState,
	start: number,
	end: number,
	inserted: string,
	chain: Chain = unchained,
): ComposerState {
	if (start === end && inserted === '') {
		return {...state, chain};
	}

	const edit = {start, removed: textOf(state).slice(start, end), inserted, caret: state.caret};
	const edits = noted(state, edit, chain);
	return {...state, ...replaced(state, edit), edits, undone: [], chain};
}

/** Returns the text after an edit, and the caret behind what it inserted. */
function replaced(before: ComposerState, {start, removed, inserted}: Edit) {
	const source = spliced(before, start, start + removed.length, inserted);
	return {...source, caret: boundaryFrom(textOf(source), start + inserted.length)};
}

/** Adds an edit. Typed text is undone word by word; anything else is an edit of its own. */
function noted({edits, chain: before, ...state}: ComposerState, edit: Edit, chain: Chain): readonly Edit[] {
	const last = edits.at(-1);
	const continues = before.kind === 'typing' && chain.kind === 'typing' && edit.removed === '';
	if (last && continues && edit.start === last.start + last.inserted.length) {
		const startsWord = /\s/.test(textOf(state).charAt(edit.start - 1)) && /^\S/.test(edit.inserted);
		if (!startsWord) {
			return edits.with(-1, {...last, inserted: last.inserted + edit.inserted});
		}
	}

	const all = [...edits.slice(1 - maxEdits), edit];
	return lengthOf(edit) < minCountedLength ? all : bounded(all);
}

/** Returns the latest edits that together hold no more text than allowed. */
function bounded(edits: readonly Edit[]): readonly Edit[] {
	let length = 0;
	const tooOld = edits.findLastIndex((edit, index) => {
		length += lengthOf(edit);
		return length > maxEditedLength && index < edits.length - 1;
	});
	return edits.slice(tooOld + 1);
}

function lengthOf({removed, inserted}: Edit): number {
	return removed.length + inserted.length;
}

/** Reverts the latest edit. */
export function undo(state: ComposerState): ComposerState {
	const last = state.edits.at(-1);
	if (!last) {
		return state;
	}

	const {start, removed, inserted, caret} = last;
	const {edits, undone} = state;
	const source = spliced(state, start, start + inserted.length, removed);
	return {...state, ...source, caret, edits: edits.slice(0, -1), undone: [...undone, last], chain: unchained};
}

/** Repeats the edit that was undone last. */
export function redo(state: ComposerState): ComposerState {
	const {edits, undone} = state;
	const last = undone.at(-1);
	if (!last) {
		return state;
	}

	return {
		...state,
		...replaced(state, last),
		edits: [...edits, last],
		undone: undone.slice(0, -1),
		chain: unchained,
	};
}

/** Ends a group of typed text, so that what is typed next is undone by itself. */
export function endTyping(state: ComposerState): ComposerState {
	return state.chain.kind === 'typing' ? {...state, chain: unchained} : state;
}

/** Inserts typed text at the caret. */
export function type(state: ComposerState, text: string): ComposerState {
	return replace(state, state.caret, state.caret, accepted(text), {kind: 'typing'});
}

/**
 * Inserts a paste at the caret; one of 3 lines or more than 800 characters as a fold. Keeps control characters: what
 * was pasted is sent, and the renderer makes them harmless (SAFETY 1).
 */
export function paste(state: ComposerState, pasted: string, truncated: boolean): ComposerState {
	const text = accepted(pasted);
	const fold = foldOf(text, truncated, state.folds.length);
	return fold ? attach(state, fold) : replace(state, state.caret, state.caret, text);
}

/** Inserts longer text at the caret as one unit; as plain text if there are too many units. */
export function attach(state: ComposerState, {label, text}: Fold): ComposerState {
	const {caret, folds} = state;
	const fold = {label, text: accepted(text)};
	return hasRoom(folds)
		? {...replace(state, caret, caret, foldUnit(folds.length)), folds: [...folds, fold]}
		: replace(state, caret, caret, fold.text);
}

/** Removes `start` to `end` into the kill ring; consecutive kills become one entry. */
export function kill(state: ComposerState, start: number, end: number): ComposerState {
	const killed = textOf(state).slice(start, end);
	if (killed === '') {
		return moveTo(state, state.caret);
	}

	const [last, ...others] = state.kills;
	const joined = start < state.caret ? killed + (last ?? '') : (last ?? '') + killed;
	const kills = state.chain.kind === 'kill' ? [joined, ...others] : [killed, ...state.kills].slice(0, maxKills);
	return {...replace(state, start, end, '', {kind: 'kill'}), kills};
}

/** Adds text to the kill ring without a change of the prompt. */
export function keepKilled(state: ComposerState, text: string): ComposerState {
	return text === '' ? state : {...state, kills: [text, ...state.kills].slice(0, maxKills), chain: unchained};
}

/** Inserts the latest entry of the kill ring. */
export function yank(state: ComposerState): ComposerState {
	const {caret, kills} = state;
	return replace(state, caret, caret, kills[0] ?? '', {kind: 'yank', start: caret, index: 0});
}

/** Replaces the text that was just yanked with the entry before it. */
export function yankBefore(state: ComposerState): ComposerState {
	const {chain, kills} = state;
	if (chain.kind !== 'yank' || kills.length === 0) {
		return state;
	}

	const index = (chain.index + 1) % kills.length;
	const end = chain.start + (kills[chain.index]?.length ?? 0);
	return replace(state, chain.start, end, kills[index] ?? '', {...chain, index});
}

/** Swaps the graphemes on both sides of the caret; at the end of a line the two before it. */
export function transpose(state: ComposerState): ComposerState {
	const {caret} = state;
	const text = textOf(state);
	const atEnd = caret === text.length || text.charAt(caret) === '\n';
	const middle = atEnd ? previousBoundary(text, caret) : caret;
	const start = previousBoundary(text, middle);
	const end = nextBoundary(text, middle);
	if (start === middle || text.charAt(start) === '\n' || text.charAt(middle) === '\n') {
		return state;
	}

	return replace(state, start, end, text.slice(middle, end) + text.slice(start, middle));
}
