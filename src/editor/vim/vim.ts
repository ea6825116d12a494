import {characterWithAlt, chordOf, type InputToken, type KeyToken, textToken} from '../../terminal/input/token.ts';
import {type ComposerWindow, reduceComposer} from '../editor.ts';
import {moveTo} from '../editor-edit.ts';
import {operations} from '../editor-keys.ts';
import type {ComposerState} from '../editor-state.ts';
import {nextBoundary} from '../graphemes.ts';
import {actionOf, defaultKeymap} from '../keymap/keymap.ts';
import {textOf} from '../long-text.ts';
import {type Changed, operate, rangeOf} from './vim-changes.ts';
import {readCommand, type VimCommand} from './vim-command.ts';
import {beginInsert, inNormal, insertToken, leaveInsert, type VimStep} from './vim-insert.ts';
import {move} from './vim-motions.ts';
import {applySingle} from './vim-single.ts';
import type {VimState} from './vim-state.ts';
import {applyVisual} from './vim-visual.ts';
import {onCharacter} from './vim-words.ts';

/** Most keys of a command. */
const maxPending = 20;

/**
 * Applies one token as Vim does. Pure; never throws, and the caret is always at a boundary of graphemes. Esc in normal mode,
 * Enter, and keys that Vim doesn't have go on to the prompt or to the owner.
 */
export function reduceVim(vim: VimState, state: ComposerState, token: InputToken, window: ComposerWindow): VimStep {
	const character = vim.mode !== 'normal' && token.type === 'key' ? characterBehindEscape(token, window) : undefined;
	if (character !== undefined) {
		const left = vim.mode === 'insert' ? leaveInsert(vim, state) : inNormal(vim, state);
		return pressText(left.vim, left.state, character, window);
	}

	if (vim.mode === 'insert') {
		return token.type === 'key' && chordOf(token) === 'escape'
			? leaveInsert(vim, state)
			: insertToken(vim, state, token, window);
	}

	switch (token.type) {
		case 'text':
			return pressText(vim, state, token.text, window);
		case 'key':
			return pressKey(vim, state, token, window);
		case 'paste':
			return {...inNormal(vim, reduceComposer(state, token, window).state)};
		default:
			return {vim, state};
	}
}

/**
 * Returns the character that was typed at once after Esc. As key with Alt it may be one of the app, but none of the prompt, whose
 * keys Vim has in other places.
 */
function characterBehindEscape(token: KeyToken, {keymap = defaultKeymap}: ComposerWindow): string | undefined {
	const action = actionOf(keymap, chordOf(token)) ?? 'prompt.';
	return action.startsWith('prompt.') ? characterWithAlt(token) : undefined;
}

/** Reads text as commands, character by character, until one begins insert mode, which gets the rest. */
function pressText(vim: VimState, state: ComposerState, text: string, window: ComposerWindow): VimStep {
	let step: VimStep = {vim, state};
	for (let at = 0; at < text.length && !step.action; ) {
		if (step.vim.mode === 'insert') {
			return insertToken(step.vim, step.state, textToken(text.slice(at)), window);
		}

		const next = nextBoundary(text, at);
		step = pressCommand(step.vim, step.state, text.slice(at, next), window);
		at = next;
	}

	return step;
}

/** Keys of normal mode that are not text. */
const commandKeys: readonly string[] = ['left', 'right', 'up', 'down', 'home', 'end', 'backspace', 'ctrl+r', 'space'];

function pressKey(vim: VimState, state: ComposerState, token: KeyToken, window: ComposerWindow): VimStep {
	const chord = chordOf(token);
	if (chord === 'escape') {
		return vim.pending.length > 0 || vim.mode !== 'normal'
			? inNormal(vim, state)
			: {vim, state, action: {type: 'key', token}};
	}

	if (commandKeys.includes(chord) || (vim.pending.length > 0 && chord === 'enter')) {
		return pressCommand(vim, state, chord, window);
	}

	if (chord === 'delete') {
		return pressCommand({...vim, pending: []}, state, 'x', window);
	}

	const step = reduceComposer(state, token, window);
	return step.action?.type === 'submit'
		? insertToken({...vim, mode: 'insert', pending: [], inserting: undefined}, state, token, window)
		: step.action
			? {vim, ...step}
			: inNormal(vim, step.state);
}

function pressCommand(vim: VimState, before: ComposerState, key: string, window: ComposerWindow): VimStep {
	const isVisual = vim.mode !== 'normal';
	const state = isVisual ? before : inNormal(vim, before).state;
	const keys = [...vim.pending, key];
	const command = keys.length > maxPending ? 'invalid' : readCommand(keys, vim.lastFind, isVisual);
	if (command === 'more') {
		return {vim: {...vim, pending: keys}, state};
	}

	const ready = {...vim, pending: []};
	if (command === 'invalid') {
		return {vim: ready, state};
	}

	const searched = {...ready, lastFind: findOf(command) ?? vim.lastFind};
	return isVisual ? inVisual(searched, state, command) : inNormalMode(searched, state, command, keys, window);
}

function inVisual(vim: VimState, state: ComposerState, command: VimCommand): VimStep {
	const isLines = vim.mode === 'visual-line';
	if (command.kind === 'single' && /^v$/i.test(command.name)) {
		return (command.name === 'V') === isLines ? inNormal(vim, state) : beginVisual(vim, state, command.name);
	}

	const step = applyVisual(state, command, isLines);
	if (!step) {
		return {vim, state};
	}

	const lines = step.lines ?? vim.lines;
	if (step.isSelecting) {
		const {chain} = step.composer;
		return {vim, state: moveTo(step.composer, onCharacter(textOf(step.composer), step.composer.caret), chain)};
	}

	return step.inserts
		? beginInsert({...vim, lines}, state, step.composer, [])
		: inNormal({...vim, lines}, step.composer);
}

function beginVisual(vim: VimState, state: ComposerState, name: string): VimStep {
	const anchor = state.chain.kind === 'select' ? state.chain.anchor : state.caret;
	const extent = name === 'V' ? 'lines' : 'inclusive';
	return {
		vim: {...vim, mode: name === 'V' ? 'visual-line' : 'visual'},
		state: moveTo(state, state.caret, {kind: 'select', anchor, extent}),
	};
}

function inNormalMode(
	vim: VimState,
	state: ComposerState,
	command: VimCommand,
	keys: readonly string[],
	window: ComposerWindow,
): VimStep {
	if (command.kind === 'move') {
		return inNormal(vim, moved(state, command, window));
	}

	if (command.kind === 'single' && /^v$/i.test(command.name)) {
		return beginVisual(vim, state, command.name);
	}

	if (command.kind === 'single' && command.name === '.') {
		return repeatChange(vim, state, window);
	}

	const changed = changeOf(state, command, vim);
	if (!changed) {
		return {vim, state};
	}

	const known = {...vim, lines: changed.lines ?? vim.lines};
	if (changed.inserts) {
		return beginInsert(known, state, changed.composer, keys);
	}

	const isChange = changed.composer.edits !== state.edits && !/^(?:u|ctrl\+r)$/.test(keys.at(-1) ?? '');
	return inNormal({...known, lastChange: isChange ? {keys, typed: []} : vim.lastChange}, changed.composer);
}

function changeOf(state: ComposerState, command: VimCommand, {lines}: VimState): Changed | undefined {
	if (command.kind === 'single') {
		return applySingle(state, command, lines);
	}

	if (command.kind !== 'operator') {
		return undefined;
	}

	const range = rangeOf(textOf(state), state.caret, command.operator, command.target);
	return range && operate(state, command.operator, range);
}

/** Moves the caret. Without a count, `j` and `k` move by wrapped rows and walk the history, as the arrow keys do. */
function moved(
	state: ComposerState,
	{motion}: Extract<VimCommand, {kind: 'move'}>,
	{columns}: ComposerWindow,
): ComposerState {
	const vertical =
		motion.count !== undefined ? undefined : motion.name === 'j' ? 'down' : motion.name === 'k' ? 'up' : undefined;
	if (vertical) {
		return operations[`prompt.${vertical}`]?.(state, Math.max(1, Math.floor(columns))) ?? state;
	}

	return moveTo(state, move(textOf(state), state.caret, motion)?.to ?? state.caret);
}

/** Repeats the latest change at the caret. */
function repeatChange(vim: VimState, state: ComposerState, window: ComposerWindow): VimStep {
	const {lastChange} = vim;
	if (!lastChange) {
		return {vim, state};
	}

	let step: VimStep = {vim, state};
	for (const key of lastChange.keys) {
		step = pressCommand(step.vim, step.state, key, window);
	}

	if (step.vim.mode === 'insert') {
		for (const token of lastChange.typed) {
			step = insertToken(step.vim, step.state, token, window);
		}

		step = leaveInsert(step.vim, step.state);
	}

	return {vim: {...step.vim, lastChange}, state: step.state};
}

function findOf(command: VimCommand): VimState['lastFind'] {
	const motion =
		command.kind === 'move'
			? command.motion
			: command.kind === 'operator' && command.target.kind === 'motion'
				? command.target.motion
				: undefined;
	// A repeated search keeps the direction of the first one.
	return motion && /^[fFtT]$/.test(motion.name) ? motion.find : undefined;
}
