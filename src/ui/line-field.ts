import {cutText} from '../core/cut-text.ts';
import {reduceComposer} from '../editor/editor.ts';
import type {ComposerState} from '../editor/editor-state.ts';
import type {Keymap} from '../editor/keymap/keymap.ts';
import {type InputToken, textToken} from '../terminal/input/token.ts';
import {safeLine} from '../terminal/text/safe-text.ts';
import {graphemesOf, textWidth, truncate} from '../terminal/text/width.ts';

/** Wider than any input, because a field is one line in every window. */
const oneRow = {columns: 10_000};

/** The most of a paste that a filter gets, in UTF-16 units. */
const maxPasted = 1000;

/**
 * Edits a one-line field, such as a filter, with the keys of the prompt that don't send. A paste becomes one line, too, of at
 * most `longest` UTF-16 units.
 */
export function editLine(
	line: ComposerState,
	token: InputToken,
	keymap?: Keymap,
	longest: number = maxPasted,
): ComposerState {
	const typed = token.type === 'paste' ? textToken(oneLineOf(token.text, longest)) : token;
	const {state, action} = reduceComposer(line, typed, {...oneRow, keymap});
	return action?.type === 'submit' || state.text.includes('\n') ? line : state;
}

/**
 * Draws a one-line field after its label (plain text), in at most `columns` cells. Returns its safe text and the cell of its
 * caret. A long text is scrolled to show the caret.
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

/** Returns a paste as one line: outer white space and controls are removed, line ends and tabs become spaces. */
function oneLineOf(text: string, longest: number): string {
	const line = text
		.trim()
		.replaceAll(/\s*\n\s*|\t/g, ' ')
		.replaceAll(/\p{Cc}/gu, '');
	return cutText(line, longest);
}
