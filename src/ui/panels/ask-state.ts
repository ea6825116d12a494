import type {PanelAction} from '../../editor/keymap/default-keys.ts';
import type {Keymap} from '../../editor/keymap/keymap.ts';
import type {Panel} from '../../store/view-slice.ts';
import {safeLine, safeText} from '../../terminal/text/safe-text.ts';
import type {Palette} from '../../terminal/text/style.ts';
import {lineWidth, truncate} from '../../terminal/text/width.ts';
import {wrapLine} from '../../terminal/text/wrap.ts';
import {answerKeys, firstRows, listKeys} from './panel-rows.ts';

export type AskPanel = Extract<Panel, {kind: 'ask'}>;

/** The answer of a panel whose user wants to answer in their own words. */
export const ownWords = 'own words';
/** The label before the answer in words. */
export const answerLabel = '  answer: ';
/** A longer question is cut; the transcript view shows all of it. */
const maxQuestionRows = 8;
/** Descriptions stand in a column behind labels of at most this many cells. */
const maxLabelWidth = 30;
/** A longer description is cut. */
const maxDescriptionRows = 4;
/** Fewest cells of a row of a description; in a narrower window it has one row, which is cut. */
const minDescriptionWidth = 20;
/** Where a description begins below a label that leaves no room beside it. */
const belowLabel = 5;
/** More for a form, whose answers the user reads once more before they are sent. */
const maxFormRows = 30;

/** Returns the number of choices, with the one for own words, which is last. */
export function choicesOf({choices, form}: AskPanel): number {
	return choices.length + (form ? 0 : 1);
}

/** Returns the choice that is marked after `moved` steps of the arrow keys. */
export function markedChoice(panel: AskPanel, moved: number): number {
	const count = choicesOf(panel);
	return ((moved % count) + count) % count;
}

/** Returns the number of rows for the answers. */
function answersOf({choices, form}: AskPanel): number {
	return choices.length + (form && choices.length > 0 ? 0 : 1);
}

/** Returns the number of rows that the panel needs: the question, its choices or the field, and the keys. */
export function askRows(panel: AskPanel, columns: number): number {
	const rows = describedChoices(panel, columns).reduce((sum, {details}) => sum + details.length, 0);
	return questionLines(panel, columns).length + (panel.choices.length > 0 ? rows : 1) + 1;
}

/** Returns the row of the field, from the top of the panel. */
export function fieldRow(panel: AskPanel, columns: number, height: number): number {
	return shownQuestion(panel, columns, height).length;
}

type Style = {
	readonly columns: number;
	readonly height: number;
	readonly palette: Palette;
	readonly keymap: Keymap<PanelAction>;
	/** The key of the transcript, which has all of a long question; empty for none. */
	readonly wholeKey: string;
};
type State = {readonly moved: number; readonly typed: string; readonly isAnswerable: boolean};

/** Returns the lines of a question: all of it first, then the choices around the marked one, or the field; last the keys. */
export function askLines(panel: AskPanel, {moved, typed, isAnswerable}: State, style: Style): readonly string[] {
	const {columns, height, palette, keymap, wholeKey} = style;
	const shown = shownQuestion(panel, columns, height);
	const asked = shown.map((line, index) => (index === 0 ? palette.warning('?') + line.slice(1) : line));
	const room = Math.max(1, height - asked.length - 1);
	const answers =
		panel.choices.length > 0 ? choiceLines(panel, {moved, room, columns, palette}) : [palette.dim(answerLabel) + typed];
	const whole = wholeKey && shown.at(-1)?.endsWith('…') ? [`${wholeKey} all`] : [];
	const keys = palette.dim(isAnswerable ? `  ${keysOf(panel, keymap, whole, columns - 2)}` : '  …');
	return [...asked, ...answers, keys].slice(0, height).map(line => truncate(line, columns));
}

function keysOf(
	{choices, isFollowUp}: AskPanel,
	keymap: Keymap<PanelAction>,
	first: readonly string[],
	columns: number,
): string {
	return choices.length > 0
		? listKeys(keymap, columns, first)
		: answerKeys(first, ['Enter send', isFollowUp ? 'Esc back' : 'Esc cancel'], columns);
}

/** A choice by its number, and the text behind its name in each of its rows, with the spaces before it. */
type DescribedChoice = {readonly name: string; readonly details: readonly [string, ...string[]]};

/** Returns the choices with their descriptions, wrapped in a column behind the labels. */
function describedChoices({choices, form}: AskPanel, columns: number): readonly DescribedChoice[] {
	const otherwise = form ? [] : [{label: 'Something else…', description: undefined}];
	const named = [...choices, ...otherwise].map(({label, description}, index) => ({
		name: `  ${index + 1}. ${safeLine(label)}`,
		text: description ? safeLine(description) : '',
	}));
	const widest = Math.max(0, ...named.filter(({text}) => text).map(({name}) => lineWidth(name)));
	const column = Math.min(widest, maxLabelWidth + 2) + 2;
	return named.map(({name, text}) => {
		const used = lineWidth(name);
		return {name, details: text ? wrapBehind(text, {used, column: Math.max(column, used + 2), columns}) : ['']};
	});
}

type Behind = {readonly used: number; readonly column: number; readonly columns: number};

/** Wraps a description behind a label of `used` cells, in a column of its own, or below the label. */
function wrapBehind(text: string, {used, column, columns}: Behind): readonly [string, ...string[]] {
	const gap = ' '.repeat(column - used);
	const isBeside = columns - column >= minDescriptionWidth;
	const start = isBeside ? column : belowLabel;
	if (column + lineWidth(text) <= columns || columns - start < minDescriptionWidth) {
		return [gap + text];
	}

	const rows = firstRows(wrapLine(text, columns - start), maxDescriptionRows, columns - start);
	const [first = '', ...rest] = isBeside ? rows : ['', ...rows];
	return [first && gap + first, ...rest.map(row => ' '.repeat(start) + row)];
}

type Choices = {readonly moved: number; readonly room: number; readonly columns: number; readonly palette: Palette};

/** Returns the rows of the choices around the marked one. */
function choiceLines(panel: AskPanel, {moved, room, columns, palette}: Choices): readonly string[] {
	const marked = markedChoice(panel, moved);
	const choices = describedChoices(panel, columns).map(({name, details: [first, ...rest]}, index) => {
		const shown = index === marked ? palette.accent('❯ ') + palette.selected(name.slice(2)) : name;
		return [first ? shown + palette.dim(first) : shown, ...rest.map(row => palette.dim(row))];
	});
	const before = choices.slice(0, marked).flat().length;
	const beside = Math.max(0, Math.floor((room - (choices[marked]?.length ?? 1) + 1) / 2));
	const lines = choices.flat();
	const start = Math.max(0, Math.min(before - beside, lines.length - room));
	return lines.slice(start, start + room);
}

function questionLines({question, form}: AskPanel, columns: number): readonly string[] {
	const lines = wrapLine(safeText(question.trim()), columns, {first: '? ', rest: '  '});
	const most = form ? maxFormRows : maxQuestionRows;
	return lines.length > most ? [...lines.slice(0, most - 1), '  …'] : lines;
}

/**
 * Returns the lines of the question that leave room for the keys and for answers, in a low window for one. The last line says
 * if more are left out.
 */
function shownQuestion(panel: AskPanel, columns: number, height: number): readonly string[] {
	const most = Math.max(1, Math.floor(height / 2) - 1);
	const room = Math.max(1, height - 1 - Math.min(3, most, answersOf(panel)));
	return firstRows(questionLines(panel, columns), room, columns);
}
