import {moveTo, redo, replace, undo} from '../editor-edit.ts';
import type {ComposerState} from '../editor-state.ts';
import {nextBoundary, previousBoundary} from '../graphemes.ts';
import {type Text, textOf} from '../long-text.ts';
import {lineEnd, lineStart} from '../motion.ts';
import {
	type Changed,
	charactersFrom,
	joinLines,
	linesFrom,
	mapCharacters,
	operate,
	otherCase,
	put,
} from './vim-changes.ts';
import type {VimCommand} from './vim-command.ts';
import {firstInLine} from './vim-words.ts';

type Single = Extract<VimCommand, {kind: 'single'}>;

/** Carries out a command of one letter in normal mode. Undefined for one that another module does. */
export function applySingle(composer: ComposerState, command: Single, lines: string | undefined): Changed | undefined {
	const {caret} = composer;
	const text = textOf(composer);
	const {name, count, character = ''} = command;
	const end = lineEnd(text, caret);
	switch (name) {
		case 'x':
			return operate(composer, 'd', {start: caret, end: charactersFrom(text, caret, count), isLines: false});
		case 'X':
			return operate(composer, 'd', {start: charactersBefore(text, caret, count), end: caret, isLines: false});
		case 's':
			return operate(composer, 'c', {start: caret, end: charactersFrom(text, caret, count), isLines: false});
		case 'S':
			return operate(composer, 'c', linesFrom(text, caret, count));
		case 'C':
			return operate(composer, 'c', {start: caret, end, isLines: false});
		case 'D':
			return operate(composer, 'd', {start: caret, end, isLines: false});
		case 'Y':
			return operate(composer, 'y', linesFrom(text, caret, count));
		case 'r':
			return {composer: replaced(composer, character, count)};
		case '~':
			return {composer: toggled(composer, count)};
		case 'J':
			return {composer: joinLines(composer, count)};
		case 'p':
		case 'P':
			return {composer: put(composer, name === 'p', count, lines)};
		case 'u':
		case 'ctrl+r':
			return {composer: repeated(composer, name === 'u' ? undo : redo, count)};
		default:
			return insertion(composer, name);
	}
}

/** Moves to where insert mode begins. */
function insertion(composer: ComposerState, name: string): Changed | undefined {
	const {caret} = composer;
	const text = textOf(composer);
	const start = lineStart(text, caret);
	const end = lineEnd(text, caret);
	switch (name) {
		case 'i':
			return {composer, inserts: true};
		case 'a':
			return {composer: moveTo(composer, Math.min(end, nextBoundary(text, caret))), inserts: true};
		case 'I':
			return {composer: moveTo(composer, firstInLine(text, caret)), inserts: true};
		case 'A':
			return {composer: moveTo(composer, end), inserts: true};
		case 'o':
			return {composer: replace(composer, end, end, '\n'), inserts: true};
		case 'O':
			return {composer: moveTo(replace(composer, start, start, '\n'), start), inserts: true};
		default:
			return undefined;
	}
}

function charactersBefore(text: Text, caret: number, count: number): number {
	const line = lineStart(text, caret);
	let start = caret;
	for (let done = 0; done < count && start > line; done++) {
		start = Math.max(line, previousBoundary(text, start));
	}

	return start;
}

/** Replaces so many characters; none if the line has fewer. */
function replaced(composer: ComposerState, character: string, count: number): ComposerState {
	const {caret} = composer;
	const text = textOf(composer);
	const sign = character === 'enter' ? '\n' : character;
	const end = charactersFrom(text, caret, count);
	if (/^[a-z+-]{2,}$/.test(sign) || end === caret || charactersFrom(text, caret, count - 1) === end) {
		return composer;
	}

	if (sign === '\n') {
		return replace(composer, caret, end, sign);
	}

	const changed = mapCharacters(composer, {start: caret, end}, () => sign);
	return moveTo(changed, previousBoundary(textOf(changed), changed.caret));
}

function toggled(composer: ComposerState, count: number): ComposerState {
	const end = charactersFrom(textOf(composer), composer.caret, count);
	const length = composer.text.length;
	const changed = mapCharacters(composer, {start: composer.caret, end}, otherCase);
	return moveTo(changed, end + changed.text.length - length);
}

function repeated(
	composer: ComposerState,
	step: (state: ComposerState) => ComposerState,
	count: number,
): ComposerState {
	let state = composer;
	for (let done = 0; done < count; done++) {
		const next = step(state);
		if (next === state) {
			break;
		}

		state = next;
	}

	return state;
}
