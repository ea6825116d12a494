import {formatAmount} from '../../core/format.ts';
import {type PanelAction, panelKeys} from '../../editor/keymap/default-keys.ts';
import {hintKey} from '../../editor/keymap/key-label.ts';
import {type Keymap, keymapOf} from '../../editor/keymap/keymap.ts';
import type {Answer, Panel, SubjectDrawing} from '../../store/view-slice.ts';
import {fitTitle} from '../../terminal/text/fit-parts.ts';
import {safeLine} from '../../terminal/text/safe-text.ts';
import {createPalette, type Palette} from '../../terminal/text/style.ts';
import {lineWidth, padEnd, truncate} from '../../terminal/text/width.ts';
import {wrapLine} from '../../terminal/text/wrap.ts';
import {listKeys} from './panel-rows.ts';

export type Question = Extract<Panel, {kind: 'confirm'}>;

/** How long a question is shown before a key can answer it (SAFETY 4). */
const settlingMs = 500;

/** How long the prompt must be quiet before a letter answers a question. */
const quietMs = 1000;

/** Returns the time of a monotonic clock in milliseconds; `askedAt` is such a time. */
export function steadyNow(): number {
	return performance.now();
}

/** What an answer waits for, on the clock of `askedAt`. */
type Pauses = {
	/** When the prompt was last edited. */
	readonly typedAt: number | undefined;
	/** Since when a question is in sight; infinity while it isn't. */
	readonly inSightSince: number;
};

/**
 * Returns the milliseconds until keys answer the question; 0 or less if they do now. They do once it has been in sight for a
 * while and the prompt is quiet. Its key hints appear at the same time.
 */
export function untilAnswerable(
	{askedAt}: Pick<Question, 'askedAt'>,
	{typedAt, inSightSince}: Pauses,
	now: number,
): number {
	const shownAt = Math.max(askedAt, inSightSince);
	return Math.max(shownAt + settlingMs, (typedAt ?? Number.NEGATIVE_INFINITY) + quietMs) - now;
}

const yes: readonly Answer[] = [{key: 'y', label: 'Yes', value: 'yes'}];
const no = {key: 'n', label: 'No'};

/** Returns the value of the answer that a key or a line stands for: `undefined` for no, `false` for neither. */
export function answerTo({answers = yes}: Pick<Question, 'answers'>, typed: string): string | undefined | false {
	const word = typed.trim().toLowerCase();
	const found =
		answers.find(({key, label}) => word === key || word === label.toLowerCase()) ??
		answers.find(({label}) => word === label.toLowerCase().split(',')[0]);
	return /^(?:no?)?$/.test(word) ? undefined : (found?.value ?? false);
}

/** Returns the index of the answer that is marked after `steps` of the arrow keys: no at first, which is the last one. */
function markedAnswer({answers = yes}: Pick<Question, 'answers'>, steps: number): number {
	const count = answers.length + 1;
	return (((answers.length + steps) % count) + count) % count;
}

/** Returns the value of the marked answer: `undefined` for no. */
export function chosenAnswer(panel: Pick<Question, 'answers'>, steps: number): string | undefined {
	return (panel.answers ?? yes)[markedAnswer(panel, steps)]?.value;
}

/** An answer that is safe to show. */
type Shown = Pick<Answer, 'key' | 'label'>;

/** Returns the keys alone, for a low window. The marked one is in upper case. */
function shortKeysOf(answers: readonly Shown[], marked: number): string {
	return `[${answers.map(({key}, index) => (index === marked ? key.toUpperCase() : key)).join('/')}]`;
}

/** Most lines of a change that make a question taller; the rest scrolls. */
const maxChangeLines = 200;

type Style = {
	readonly columns: number;
	readonly palette: Palette;
	readonly isAnswerable: boolean;
	/** Steps of the arrow keys. */
	readonly steps: number;
	readonly keymap: Keymap<PanelAction>;
};

/** With fewer rows for a longer subject, it scrolls with its question: a line of it may need more. */
const leastSubject = 4;

/** Fewest rows of a subject that stay beside a question. */
const minSubjectRows = 2;

/** Returns the title and the facts of a question: whole beside what it is about, otherwise cut to a line each. */
function aboutOf({about, subject}: Question, {columns, palette}: Pick<Style, 'columns' | 'palette'>) {
	const {title, facts = []} = about ?? {};
	const labelled = Math.max(0, ...facts.map(([label]) => lineWidth(safeLine(label))));
	const fitted = (line: string) =>
		subject ? wrapLine(line, columns, {rest: ' '.repeat(labelled + 2)}) : [truncate(line, columns)];
	return {
		title: title === undefined ? [] : fitted(palette.label(safeLine(title))),
		facts: facts.flatMap(([label, value]) =>
			fitted(`${palette.dim(padEnd(safeLine(label), labelled))}  ${safeLine(value)}`),
		),
	};
}

/** Returns one answer to a row, with its key first and a sign at the marked one. */
function listed(answers: readonly Shown[], {columns, palette, isAnswerable}: Style, marked: number) {
	return answers.flatMap(({key, label}, index) => {
		const isMarked = isAnswerable && index === marked;
		const text = isMarked ? palette.selected(label) : isAnswerable ? label : palette.dim(label);
		const first = `${isMarked ? palette.accent('❯ ') : '  '}${palette.accent(isAnswerable ? key : ' ')}  `;
		return wrapLine(text, columns, {first, rest: '     '});
	});
}

/** Returns the answers in columns, in order from the top; undefined if there is no room for two columns. */
function inColumns(answers: readonly Shown[], {columns, palette, isAnswerable}: Style, marked: number) {
	const width = Math.max(...answers.map(({label}) => lineWidth(label))) + 4;
	const count = Math.floor((columns + 2) / (width + 2));
	const rows = Math.ceil(answers.length / count);
	const drawn = answers.map(({key, label}, index) => {
		const text = `${isAnswerable ? key : ' '} ${label}`;
		return isAnswerable && index === marked ? palette.accent('❯ ') + palette.selected(text) : `  ${text}`;
	});
	return count < 2
		? undefined
		: Array.from({length: rows}, (_, row) =>
				drawn
					.filter((_, index) => index % rows === row)
					.map(text => padEnd(text, width))
					.join('  ')
					.trimEnd(),
			);
}

/**
 * Returns the question and its answers: a list, columns or keys alone, the first of them that has at most `height` rows with the
 * question. Keys are shown once they can answer it.
 */
function askedIn(panel: Question, style: Style, height: number) {
	const {columns, palette, isAnswerable, steps} = style;
	const answers = [...(panel.answers ?? yes), no].map(({key, label}) => ({key, label: safeLine(label)}));
	const marked = markedAnswer(panel, steps);
	const wrapped = (line: string) => wrapLine(line, columns, {first: `${palette.warning('?')} `, rest: '  '});
	const label = palette.label(safeLine(panel.question));
	const text = wrapped(label);
	const list = [listed, inColumns]
		.map(draw => draw(answers, style, marked))
		.find(rows => rows && text.length + rows.length <= height);
	const short = isAnswerable ? shortKeysOf(answers, marked) : '…';
	const name = (isAnswerable && answers[marked]?.label) || '';
	const alone = wrapped(`${label} ${palette.dim(short)}`);
	const named = `${alone.at(-1)} ${palette.dim(name)}`;
	const lines = list ? [...text, ...list] : lineWidth(named) <= columns ? [...alone.slice(0, -1), named] : alone;
	return {text, list, lines, short, label: name};
}

/**
 * Returns the parts of a question. What is left out of a low window first: the line about the arrow keys, blank lines, the list
 * of answers if it had more than half of the rows, and the last rows of the subject. If that isn't enough, `scrolled` is defined:
 * then everything scrolls above the answers.
 */
export function drawQuestion(panel: Question, {height, ...style}: Style & {readonly height: number}) {
	const {columns, palette, isAnswerable} = style;
	const {subject} = panel;
	const {title, facts} = aboutOf(panel, style);
	const whole = subject ? subject.rows(columns, maxChangeLines) + 1 : 0;
	const known = title.length + facts.length;
	const kept = Math.min(whole + known, Math.max(minSubjectRows, Math.floor(height / 2)));
	const asked = askedIn(panel, style, height - (subject || known > 0 ? kept : 0));
	const {lines, list} = asked;
	const spare = height - lines.length - known - whole;
	const isScrolled = lines.length + known + Math.min(Math.max(0, whole - 1), leastSubject) > height;
	const keys = list && spare > 0 ? [palette.dim(isAnswerable ? `  ${listKeys(style.keymap, columns - 2)}` : '')] : [];
	const blank = subject ? spare - (list ? 1 : 0) : 0;
	return {
		title,
		subjectRows: spare > 0 ? whole : height - lines.length - known,
		facts: [...(facts.length > 0 && blank > 1 ? [''] : []), ...facts],
		asked: [...(blank > 0 ? [''] : []), ...lines, ...keys],
		scrolled: isScrolled ? {...asked, facts: [...title, ...facts]} : undefined,
	};
}

type Space = Pick<Style, 'columns' | 'palette'> & {
	readonly rows: number;
	readonly offset: number;
	/** Names the keys that scroll. */
	readonly keys: string;
};

/** Returns the name of the key that scrolls what a question is about: the arrow keys mark an answer. */
export const scrollKey = (keymap: Keymap<PanelAction>): string => hintKey(keymap, 'panel.page-down');

/**
 * Returns what a question is about: its title, then as many lines as there is room for, then how many are left out.
 * `offset` is the first line. Few rows have no title.
 */
export function drawSubject(subject: SubjectDrawing, space: Space): readonly string[] {
	const {columns, palette, rows, offset, keys} = space;
	const isTitled = rows > 3 || (rows > 1 && subject.rows(columns, rows) < rows);
	const title = isTitled ? [subject.title({width: columns, palette})] : [];
	const {shown, leftOut} = subject.window({width: columns, palette, rows: Math.max(0, rows - title.length), offset});
	const scroll = keys ? [`${keys} scroll`] : [];
	const rest = fitTitle(`  … ${formatAmount(leftOut, 'more line')}`, {hints: scroll, role: String}, columns);
	const more = leftOut > 0 ? [palette.dim(rest)] : [];
	return [...title, ...shown, ...more].slice(0, rows);
}

/** Returns the number of lines of a question with everything about it. */
export function questionRows(panel: Question, columns: number): number {
	const palette = createPalette({color: false});
	const height = Number.POSITIVE_INFINITY;
	const keymap = keymapOf(panelKeys);
	const parts = drawQuestion(panel, {columns, palette, isAnswerable: true, steps: 0, keymap, height});
	return parts.title.length + parts.subjectRows + parts.facts.length + parts.asked.length;
}
