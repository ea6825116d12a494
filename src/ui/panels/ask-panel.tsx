import type {UserQuestion} from '../../core/session/user-question.ts';
import {defaultKeys, type PanelAction, panelKeys} from '../../editor/keymap/default-keys.ts';
import {hintKey} from '../../editor/keymap/key-label.ts';
import type {Keymap} from '../../editor/keymap/keymap.ts';
import {panelHasFocus} from '../../store/panel-slice.ts';
import {safeLine, safeText} from '../../terminal/text/safe-text.ts';
import type {Palette} from '../../terminal/text/style.ts';
import {lineWidth, truncate} from '../../terminal/text/width.ts';
import {wrapLine} from '../../terminal/text/wrap.ts';
import {useApp, useKeymap, useUi} from '../context.ts';
import {drawLine, editLine} from '../line-field.ts';
import {Lines} from '../lines.tsx';
import {
	cancels,
	ignore,
	leavesForDraft,
	type PanelKeys,
	type PanelModule,
	type PanelProps,
	type Pressed,
	pressAgain,
} from './panel.ts';
import {answerKeys, dimmed, firstRows, listKeys} from './panel-rows.ts';
import {useAnswerable} from './use-answerable.ts';

/**
 * A question of the agent: choices, or a field for the answer. `isFollowUp` is true for the field that a choice opened.
 */
export type AskPanel = UserQuestion & {readonly kind: 'ask'; readonly askedAt: number; readonly isFollowUp: boolean};

/** The answer of a panel whose user wants to answer in their own words. */
export const ownWords = 'own words';
/** The label before the answer in words. */
const answerLabel = '  answer: ';
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

export const askPanel: PanelModule<AskPanel> = {
	initial: ({form}) => ({manner: 'asks', text: form?.initial ?? ''}),
	rows: (panel, {size: {columns}}) => askRows(panel, columns),

	press(pressed, panel, keys) {
		if (cancels(pressed, keys)) {
			return true;
		}

		if (keys.isTypedAhead(panel)) {
			return ignore(pressed, keys);
		}

		if (pressed.rows !== undefined) {
			keys.store.getState().scrollBy(pressed.rows);
			return true;
		}

		return leavesForDraft(pressed, keys) || answers(pressed, panel, keys) || ignore(pressed, keys, 'it is no answer');
	},

	draw: AskView,

	caret(panel, field, {columns, height}) {
		const row = fieldRow(panel, columns, height);
		return panel.choices.length === 0 && row < height
			? {row, column: drawLine(answerLabel, field, columns).column}
			: undefined;
	},

	isOfRun: () => true,
	title: ({question}) => question,
	isFramed: true,
};

/**
 * Answers with a key: Enter selects the marked choice or sends the field; digits mark. An Enter
 * that is held down from before answers nothing, also where the user may type at once. Returns false for a key that is no answer.
 */
function answers({token, chord}: Pressed, panel: AskPanel, {store, answer, isTypedAhead}: PanelKeys): boolean {
	const {filter, scroll, setFilter, scrollBy, setGuard, keymap, guard} = store.getState();
	const isEnter = chord === 'enter';
	const {choices, form} = panel;
	const marked = markedChoice(panel, scroll);
	if (isEnter && !guard.isTouched && isTypedAhead({askedAt: 0})) {
		setGuard({note: `Enter ignored: ${pressAgain}`});
	} else if (isEnter && choices.length > 0) {
		if (marked === undefined) {
			setGuard({note: 'Select an answer first'});
		} else {
			answer(choices[marked]?.label ?? ownWords);
		}
	} else if (choices.length > 0) {
		const digit = token.type === 'text' && /^[1-9]$/.test(token.text) ? Number(token.text) : 0;
		if (digit === 0 || digit > choicesOf(panel)) {
			return false;
		}

		scrollBy(stepsToChoice(panel, digit - 1) - scroll);
	} else if (!isEnter) {
		const edited = editLine(filter, token, keymap);
		if (edited !== filter) {
			setFilter(edited);
		}
	} else if (filter.text.trim() || form?.mayBeEmpty) {
		answer(filter.text.trim());
	}

	return true;
}

/** Shows a question of the agent with its choices, or with a field for the answer. */
function AskView({panel, height, focusKey}: PanelProps<AskPanel>) {
	const {palette} = useUi();
	const columns = useApp(state => state.size.columns);
	const keymap = useKeymap(panelKeys);
	const wholeKey = hintKey(useKeymap(defaultKeys), 'app.transcript');
	const moved = useApp(state => state.scroll);
	const field = useApp(state => state.filter);
	const isAnswerable = useAnswerable(panel);
	const hasFocus = useApp(panelHasFocus);
	const note = useApp(({guard}) => guard.note);
	const typed = drawLine(answerLabel, field, columns).text;
	const told = hasFocus ? note : `${focusKey && `${focusKey} answer · `}Esc cancel`;
	const style = {columns, height, palette, keymap, wholeKey};
	const lines = askLines(panel, {moved, typed, isAnswerable, note: told}, style);
	return <Lines lines={hasFocus ? lines : dimmed(lines, palette)} />;
}

/** Returns the number of choices, with the one for own words, which is last. */
function choicesOf({choices, form}: AskPanel): number {
	return choices.length + (form ? 0 : 1);
}

/** Returns the choice that refuses, which is marked at first; -1 for none: Enter must agree to nothing that was not chosen. */
function refusalOf({choices, form}: AskPanel): number {
	return choices.findIndex(({label}) => label === form?.refusal);
}

/** Returns the choice that is marked after `moved` steps of the arrow keys; undefined if none is yet. */
function markedChoice(panel: AskPanel, moved: number): number | undefined {
	const count = choicesOf(panel);
	const first = refusalOf(panel);
	const steps = first >= 0 ? first + moved : moved > 0 ? moved - 1 : moved;
	return first < 0 && moved === 0 ? undefined : ((steps % count) + count) % count;
}

/** Returns the steps of the arrow keys after which this choice is marked. */
function stepsToChoice(panel: AskPanel, choice: number): number {
	const first = refusalOf(panel);
	return first >= 0 ? choice - first : choice + 1;
}

/** Returns the number of rows for the answers. */
function answersOf({choices, form}: AskPanel): number {
	return choices.length + (form && choices.length > 0 ? 0 : 1);
}

/** Returns the number of rows that the panel needs: the question, its choices or the field, and the keys. */
export function askRows(panel: AskPanel, columns: number): number {
	const rows = panel.choices.length > 0 ? choiceRows(panel, columns).flat().length : 1;
	return questionLines(panel, columns).length + rows + 1;
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
type State = {
	readonly moved: number;
	readonly typed: string;
	readonly isAnswerable: boolean;
	/** What stands in place of the keys; '' for nothing. */
	readonly note?: string;
};

/** Returns the lines of a question: all of it first, then the choices around the marked one, or the field; last the keys. */
export function askLines(
	panel: AskPanel,
	{moved, typed, isAnswerable, note = ''}: State,
	style: Style,
): readonly string[] {
	const {columns, height, palette, keymap, wholeKey} = style;
	const marked = markedChoice(panel, moved);
	const choices = choiceRows(panel, columns, {marked, palette});
	const least = choices[marked ?? 0]?.length ?? 1;
	const shown = shownQuestion(panel, columns, height, least);
	const asked = shown.map((line, index) => (index === 0 ? palette.warning('?') + line.slice(1) : line));
	const room = Math.max(1, height - asked.length - 1);
	const answers =
		panel.choices.length > 0
			? choiceLines(choices, {marked: marked ?? 0, room, columns})
			: [palette.dim(answerLabel) + typed];
	const isCut = shown.at(-1)?.endsWith('…') || least > room;
	const whole = wholeKey && isCut ? [`${wholeKey} all`] : [];
	const keys = palette.dim(`  ${note || (isAnswerable ? keysOf(panel, keymap, whole, columns - 2) : '…')}`);
	return [...asked, ...answers, keys].slice(0, height).map(line => truncate(line, columns));
}

function keysOf(
	{choices, isFollowUp}: AskPanel,
	keymap: Keymap<PanelAction>,
	first: readonly string[],
	columns: number,
): string {
	if (choices.length > 0) {
		const line = listKeys(keymap, columns, first);
		return first.every(hint => line.includes(hint.split(' ')[0] ?? '')) ? line : listKeys(keymap, columns);
	}

	return answerKeys(first, ['Enter send', isFollowUp ? 'Esc back' : 'Esc cancel'], columns);
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

/** How choices are drawn, and which one is marked. */
type Marking = {readonly marked: number | undefined; readonly palette: Palette};

/** Returns the rows of each choice. One that is wider than the window is wrapped as a whole. */
function choiceRows(panel: AskPanel, columns: number, marking?: Marking): ReadonlyArray<readonly string[]> {
	return describedChoices(panel, columns).map(({name, details: [first, ...rest]}, index) => {
		const isMarked = index === marking?.marked;
		const dim = (text: string) => marking?.palette.dim(text) ?? text;
		const sign = isMarked ? marking.palette.accent('❯ ') : '  ';
		const shown = isMarked ? marking.palette.selected(name.slice(2)) : name.slice(2);
		const rows = [first ? sign + shown + dim(first) : sign + shown, ...rest.map(dim)];
		return lineWidth(rows[0] ?? '') <= columns
			? rows
			: wrapLine([shown, ...[first, ...rest].map(row => dim(row.trim()))].join('  ').trimEnd(), columns, {
					first: sign,
					rest: ' '.repeat(belowLabel),
				});
	});
}

type Room = {readonly marked: number; readonly room: number; readonly columns: number};

/** Returns the rows around the marked choice, which is shown from its beginning. */
function choiceLines(choices: ReadonlyArray<readonly string[]>, {marked, room, columns}: Room): readonly string[] {
	const own = choices[marked] ?? [];
	if (own.length > room) {
		return firstRows(own, room, columns);
	}

	const before = choices.slice(0, marked).flat().length;
	const lines = choices.flat();
	const start = Math.max(0, Math.min(before - Math.floor((room - own.length + 1) / 2), lines.length - room));
	return lines.slice(start, start + room);
}

function questionLines({question, form}: AskPanel, columns: number): readonly string[] {
	const lines = wrapLine(safeText(question.trim()), columns, {first: '? ', rest: '  '});
	const most = form ? maxFormRows : maxQuestionRows;
	return lines.length > most ? [...lines.slice(0, most - 1), '  …'] : lines;
}

/**
 * Returns the lines of the question that leave room for the keys and for answers, in a low window for one: `least` are the rows
 * of that. The last line says if more are left out.
 */
function shownQuestion(panel: AskPanel, columns: number, height: number, least = 1): readonly string[] {
	const most = Math.max(1, Math.floor(height / 2) - 1);
	const kept = Math.max(least, Math.min(3, most, answersOf(panel)));
	return firstRows(questionLines(panel, columns), Math.max(1, height - 1 - kept), columns);
}
