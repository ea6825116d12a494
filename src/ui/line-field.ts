import {cutText} from '../core/cut-text.ts';
import {reduceComposer} from '../editor/editor.ts';
import type {ComposerState} from '../editor/editor-state.ts';
import {type InputToken, textToken} from '../terminal/input/token.ts';
import {safeLine} from '../terminal/text/safe-text.ts';
import {graphemesOf, textWidth, truncate} from '../terminal/text/width.ts';

/** Wider than anything that is typed: a field is one line, however narrow the window is. */
const oneRow = {columns: 10_000};

/** Most of a paste that joins a line, in UTF-16 units. */
const mostPasted = 1000;

/** Edits a line that is typed, such as a filter, as the prompt is edited. It stays one line: a paste comes as one, too. */
export function editLine(line: ComposerState, token: InputToken): ComposerState {
	const typed = token.type === 'paste' ? textToken(oneLineOf(token.text)) : token;
	const {state} = reduceComposer(line, typed, oneRow);
	return state.text.includes('\n') ? line : state;
}

/**
 * A line that is typed behind its label (plain text), safe, in at most `columns` cells, and the cell of its caret. A long
 * one is shown from where its caret is still seen.
 */
export function drawLine(label: string, {text, caret}: ComposerState, columns: number) {
	const room = Math.max(1, columns - label.length - 1);
	const before = graphemesOf(safeLine(text.slice(0, caret)));
	let first = before.length;
	let width = 0;
	while (first > 0) {
		const next = width + textWidth(before[first - 1] ?? '');
		if (next > room) {
			break;
		}

		width = next;
		first--;
	}

	const shown = before.slice(first).join('') + safeLine(text.slice(caret));
	return {text: truncate(shown, columns - label.length), column: Math.min(columns - 1, label.length + width)};
}

/** The line end that keys are copied with goes, other ones and tabs become blanks; those of a pattern are kept. */
function oneLineOf(text: string): string {
	return cutText(text.trim().replaceAll(/\s*\n\s*|\t/g, ' '), mostPasted);
}
