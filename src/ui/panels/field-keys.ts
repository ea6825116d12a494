import type {ComposerState} from '../../editor/editor-state.ts';
import type {AppStore} from '../../store/store.ts';
import type {Panel} from '../../store/view-slice.ts';
import {chordOf, type InputToken} from '../../terminal/input/token.ts';
import {safeLine} from '../../terminal/text/safe-text.ts';
import {graphemesOf, textWidth, truncate} from '../../terminal/text/width.ts';
import {wrapLine} from '../../terminal/text/wrap.ts';
import {drawLine, editLine} from '../line-field.ts';
import {firstRows} from './panel-rows.ts';

export type FieldPanel = Extract<Panel, {kind: 'field'}>;

type Dependencies = {readonly store: AppStore; readonly answer: (value: string | undefined) => void};

/** Handles a key in an open field: Enter answers with the whole text, any other key edits it. */
export function pressInField(token: InputToken, {store, answer}: Dependencies): void {
	const {filter, setFilter, keymap} = store.getState();
	if (token.type === 'key' && chordOf(token) === 'enter') {
		answer(filter.text);
		return;
	}

	const edited = editLine(filter, token, keymap, Number.POSITIVE_INFINITY);
	if (edited !== filter) {
		setFilter(edited);
	}
}

/** Fewest cells for the typed text in the row of its label. */
const leastRoom = 20;

/** Returns the rows of a label; the typed text follows in the last one, which is blank if a long label leaves it no room. */
function labelLines(label: string, columns: number): readonly string[] {
	const lines = wrapLine(safeLine(label), columns, {first: '? ', rest: '  '});
	return textWidth(lines.at(-1) ?? '') + leastRoom < columns ? lines : [...lines, ' '];
}

/** Returns the number of rows that a field needs: its label, the typed text and the keys. */
export function fieldRows({label}: FieldPanel, columns: number): number {
	return labelLines(label, columns).length + 1;
}

/** The most of its only row that the label gets in a low window. */
const labelShare = 0.6;

/** Returns the first rows of a label that leave one for the text and one for the keys; part of a row if there are no two. */
function shortLabel(label: string, columns: number, height: number): readonly string[] {
	if (height < 3) {
		return [`? ${truncate(safeLine(label), Math.floor(columns * labelShare))}`];
	}

	const rows = wrapLine(safeLine(label), columns, {first: '? ', rest: '  '});
	return [...firstRows(rows, height - 2, columns), ' '];
}

type Room = {readonly columns: number; readonly height: number};

/** Returns the rows of a label, the text behind the last one, all safe, and the place of the caret. A masked text is dots. */
export function drawField({label, masked}: FieldPanel, field: ComposerState, {columns, height}: Room) {
	const wrapped = labelLines(label, columns);
	const rows = wrapped.length < height ? wrapped : shortLabel(label, columns, height);
	const before = `${rows.at(-1)} `;
	const room = columns - textWidth(before);
	const {text, column} = drawLine('', masked ? dotted(field) : field, room);
	return {
		...{above: rows.slice(0, -1), before, text},
		caret: {row: rows.length - 1, column: textWidth(before) + column},
	};
}

function dotted({text, caret, ...field}: ComposerState): ComposerState {
	const dots = (part: string) => '•'.repeat(graphemesOf(part).length);
	const before = dots(text.slice(0, caret));
	return {...field, text: before + dots(text.slice(caret)), caret: before.length};
}
