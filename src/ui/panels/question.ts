import {formatAmount, formatNumber} from '../../core/format.ts';
import type {About, Answer} from '../../core/question.ts';
import {type PanelAction, panelKeys} from '../../editor/keymap/default-keys.ts';
import {hintKey} from '../../editor/keymap/key-label.ts';
import {type Keymap, keymapOf} from '../../editor/keymap/keymap.ts';
import type {PanelGuard} from '../../store/panel-slice.ts';
import {plainText} from '../../terminal/text/ansi.ts';
import {exactLine} from '../../terminal/text/blanks.ts';
import type {SubjectDrawing} from '../../terminal/text/drawing.ts';
import {createPalette, type Palette} from '../../terminal/text/style.ts';
import {graphemesOf, graphemeWidth, lineWidth, padEnd, truncate} from '../../terminal/text/width.ts';
import {wrapLine} from '../../terminal/text/wrap.ts';
import type {Asked} from '../answerable.ts';
import {listKeys} from './panel-rows.ts';

/** A question with answers, of which no is always one; by default the other is yes. */
export type Question = Asked & {
	readonly kind: 'confirm';
	readonly question: string;
	readonly about?: About;
	readonly subject?: SubjectDrawing;
	readonly answers?: readonly Answer[];
	/** The value of the answer that Enter gives at first; no by default. */
	readonly marks?: string | undefined;
	/** Called when a frame with the question has been drawn while it is in sight. */
	readonly onShown?: (() => void) | undefined;
	/** True if a run waits for the answer. */
	readonly isOfRun?: boolean | undefined;
};

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

/** Returns the index of the answer that is marked after `steps` of the arrow keys: no, the last one, unless the question marks another. */
function markedAnswer({answers = yes, marks}: Pick<Question, 'answers' | 'marks'>, steps: number): number {
	const count = answers.length + 1;
	const first = answers.findIndex(({value}) => value === marks);
	return ((((first < 0 ? answers.length : first) + steps) % count) + count) % count;
}

/** Returns the value of the marked answer: `undefined` for no. */
export function chosenAnswer(panel: Pick<Question, 'answers' | 'marks'>, steps: number): string | undefined {
	return (panel.answers ?? yes)[markedAnswer(panel, steps)]?.value;
}

/** Returns the steps of the arrow keys from the marked answer to the one with this value. */
export function stepsTo(panel: Pick<Question, 'answers' | 'marks'>, steps: number, value: string): number {
	return (panel.answers ?? yes).findIndex(answer => answer.value === value) - markedAnswer(panel, steps);
}

/** Returns the answer with this value; undefined for no. */
export function answerWith({answers = yes}: Pick<Question, 'answers'>, value: string | undefined): Answer | undefined {
	return answers.find(answer => answer.value === value);
}

/** What the line of a question tells about its keys. */
type Told = Pick<PanelGuard, 'note' | 'armed'> & {
	readonly hasFocus: boolean;
	/** Names the key that moves between the draft and the question; '' for none. */
	readonly focusKey: string;
	/** Names the key that scrolls; '' for none. */
	readonly pageKey: string;
	/** Rows that were never in sight. */
	readonly unread: number;
	readonly steps: number;
};

/** Returns what the keys do now, if it is not what the list of answers says: in ways from the longest to the shortest. */
export function tellKeys(panel: Question, {hasFocus, focusKey, pageKey, unread, ...told}: Told): readonly string[] {
	if (!hasFocus) {
		const hints = focusKey ? [`${focusKey} answer the question`, `${focusKey} answer`] : ['Esc cancel'];
		return focusKey.startsWith('Esc ') ? hints : [`${hints[0]} · Esc cancel`, ...hints];
	}

	const armed = told.armed === undefined ? undefined : answerWith(panel, told.armed);
	const unseen = unread > 0 ? `${unreadText(unread)} not shown yet` : '';
	if (armed) {
		const {key, keeps} = armed;
		const scroll = pageKey ? `${pageKey} to read, ` : '';
		return keeps
			? keptWays(keeps, `Press ${key} again to keep`).map(way => (unseen ? `${unseen}. ${way}` : way))
			: [
					`${unseen}: ${scroll}${key} again to allow`,
					`${unseen}: ${key} again to allow`,
					`${formatNumber(unread)} unread: ${key} again`,
				];
	}

	if (told.note) {
		return [told.note];
	}

	const keeps = answerWith(panel, chosenAnswer(panel, told.steps))?.keeps;
	return keeps ? keptWays(keeps, 'Press Enter to keep') : [];
}

function keptWays({rules, life}: NonNullable<Answer['keeps']>, does: string): readonly string[] {
	const all = [...(rules.length > 0 ? [rules.map(exactLine).join(', ')] : []), life].join(' · ');
	const short = does.replace(' to keep', '');
	return [`${does}: ${all}`, `${does}: ${life}`, `${short}: ${life}`, short];
}

/** Returns how many lines were not in sight; none was drawn if that is not known. */
export function unreadText(rows: number): string {
	return Number.isFinite(rows) ? formatAmount(rows, 'line') : 'All of it';
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
	/** What stands in place of the hints, in ways from the longest to the shortest. */
	readonly told?: readonly string[];
	/** True if one more press of the marked answer's key gives it. */
	readonly isArmed?: boolean;
	/** Hints that stand before those of the list of answers. */
	readonly hints?: readonly string[];
};

/** With fewer rows for a longer subject, it scrolls with its question: a line of it may need more. */
const leastSubject = 4;

/** Fewest rows of a subject that stay beside a question. */
const minSubjectRows = 2;

/** Returns the rules that the answers keep, as a fact each, unless they stand in the label of a listed answer. */
function ruleFacts(answers: readonly Answer[], isListed: boolean): ReadonlyArray<readonly [string, string]> {
	const rules = [...new Set(answers.flatMap(({keeps}) => keeps?.rules ?? []))];
	const isSaid = isListed && answers.some(({label}) => label.includes(rules.join(', ')));
	return isSaid ? [] : rules.map(rule => ['Keeps', rule] as const);
}

/** Returns the title and the facts of a question, whole. */
function aboutOf(
	{about, answers = yes}: Question,
	{columns, palette}: Pick<Style, 'columns' | 'palette'>,
	isListed: boolean,
) {
	const {title} = about ?? {};
	const facts = [...(about?.facts ?? []), ...ruleFacts(answers, isListed)];
	const labelled = Math.max(0, ...facts.map(([label]) => lineWidth(exactLine(label))));
	const fitted = (line: string) => wrapLine(line, columns, {rest: ' '.repeat(labelled + 2)});
	return {
		title: title === undefined ? [] : fitted(palette.label(exactLine(title))),
		facts: facts.flatMap(([label, value]) =>
			fitted(`${palette.dim(padEnd(exactLine(label), labelled))}  ${exactLine(value)}`),
		),
	};
}

/** Returns one answer to a row, with its key first and a sign at the marked one. */
function listed(answers: readonly Shown[], {columns, palette, isAnswerable, isArmed}: Style, marked: number) {
	return answers.flatMap(({key, label}, index) => {
		const isMarked = (isAnswerable || isArmed) && index === marked;
		const text = isMarked ? palette.selected(label) : isAnswerable ? label : palette.dim(label);
		const first = `${isMarked ? palette.accent('❯ ') : '  '}${palette.accent(isAnswerable ? key : ' ')}  `;
		return wrapLine(text, columns, {first, rest: '     '});
	});
}

/** Returns the answers in columns, in order from the top; undefined if there is no room for two columns. */
function inColumns(answers: readonly Shown[], {columns, palette, isAnswerable, isArmed}: Style, marked: number) {
	const width = Math.max(...answers.map(({label}) => lineWidth(label))) + 4;
	const count = Math.floor((columns + 2) / (width + 2));
	const rows = Math.ceil(answers.length / count);
	const drawn = answers.map(({key, label}, index) => {
		const text = `${isAnswerable ? key : ' '} ${label}`;
		return (isAnswerable || isArmed) && index === marked ? palette.accent('❯ ') + palette.selected(text) : `  ${text}`;
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

/** The rows of a question with its answers, and its parts. */
type AskedRows = {
	readonly text: readonly string[];
	/** The rows of the answers; undefined if they have none of their own. */
	readonly list: readonly string[] | undefined;
	readonly lines: readonly string[];
	readonly short: string;
	readonly label: string;
};

/** What scrolls in a window that has too few rows. */
type ScrollingRows = AskedRows & {readonly facts: readonly string[]; readonly told: readonly string[]};

/**
 * Returns the question and its answers: a list, columns or keys alone, the first of them that has at most `height` rows with the
 * question. Keys are shown once they can answer it.
 */
function askedIn(panel: Question, style: Style, height: number): AskedRows {
	const {columns, palette, isAnswerable, steps} = style;
	const answers = [...(panel.answers ?? yes), no].map(({key, label}) => ({key, label: exactLine(label)}));
	const marked = markedAnswer(panel, steps);
	const wrapped = (line: string) => wrapLine(line, columns, {first: `${palette.warning('?')} `, rest: '  '});
	const label = palette.label(exactLine(panel.question));
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
 * of answers if it had more than half of the rows, and the middle rows of the subject. If that isn't enough, `scrolled` is
 * defined: then everything scrolls above the answers.
 */
export function drawQuestion(panel: Question, {height, ...style}: Style & {readonly height: number}) {
	const {columns, palette, isAnswerable, told = []} = style;
	const {subject} = panel;
	const whole = subject ? subject.rows(columns, maxChangeLines) + 1 : 0;
	const partsFor = (isListed: boolean) => {
		const about = aboutOf(panel, style, isListed);
		const known = about.title.length + about.facts.length;
		const kept = Math.min(whole + known, Math.max(minSubjectRows, Math.floor(height / 2)));
		return {...about, known, asked: askedIn(panel, style, height - (subject || known > 0 ? kept : 0))};
	};
	const listed = partsFor(true);
	const {title, facts, known, asked} = listed.asked.list ? listed : partsFor(false);
	const {text, lines, list} = asked;
	const spare = height - lines.length - known - whole;
	const isScrolled = lines.length + known + Math.min(Math.max(0, whole - 1), leastSubject) > height;
	const hints = told.find(way => lineWidth(way) <= columns - 2) ?? told.at(-1);
	const keys =
		list && spare > 0
			? [
					palette.dim(
						hints
							? truncate(`  ${hints}`, columns)
							: isAnswerable
								? `  ${listKeys(style.keymap, columns - 2, style.hints)}`
								: truncate('  Wait a second, then answer', columns),
					),
				]
			: [];
	// Without a row for it, the question itself makes room for what is to be known about its keys.
	const shown =
		keys.length > 0 || told.length === 0
			? lines
			: list
				? [...toldIn(panel, text.length, told, style), ...list]
				: toldIn(panel, lines.length, told, style);
	const blank = subject ? spare - (list ? 1 : 0) : 0;
	return {
		title,
		subjectRows: spare > 0 ? whole : height - lines.length - known,
		facts: [...(facts.length > 0 && blank > 1 ? [''] : []), ...facts],
		asked: [...(blank > 0 ? [''] : []), ...shown, ...keys],
		scrolled: isScrolled ? {...asked, facts: [...title, ...facts], told} : undefined,
	};
}

/** Returns what is told in so many rows, behind the question if both fit. */
function toldIn(
	{question}: Question,
	rows: number,
	told: readonly string[],
	{columns, palette}: Style,
): readonly string[] {
	const behind = told.map(way => `${palette.label(exactLine(question))} ${palette.dim(way)}`);
	const wrapped = [...behind, ...told].map(way =>
		wrapLine(way, columns, {first: `${palette.warning('?')} `, rest: '  '}),
	);
	const fitting = (wrapped.find(way => way.length <= rows) ?? wrapped.at(-1) ?? []).slice(0, rows);
	return [...fitting, ...Array.from({length: rows - fitting.length}, () => '')];
}

type Space = Pick<Style, 'columns' | 'palette'> & {
	readonly rows: number;
	/** The first row that is shown after the ones that stay. */
	readonly offset: number;
	/** Names the keys that scroll: down, and up. */
	readonly keys: readonly [down: string, up: string];
};

/** Returns the names of the keys that scroll what a question is about: the arrow keys mark an answer. */
export const scrollKeys = (keymap: Keymap<PanelAction>): Space['keys'] => [
	hintKey(keymap, 'panel.page-down'),
	hintKey(keymap, 'panel.page-up'),
];

/** All rows of subjects: to draw a long change takes a while. */
const drawnRows = new WeakMap<
	SubjectDrawing,
	Pick<Style, 'columns' | 'palette'> & {readonly rows: readonly string[]}
>();

function rowsOf(subject: SubjectDrawing, {columns, palette}: Pick<Style, 'columns' | 'palette'>): readonly string[] {
	const drawn = drawnRows.get(subject);
	if (drawn?.columns === columns && drawn.palette === palette) {
		return drawn.rows;
	}

	const {shown: rows} = subject.window({width: columns, palette, rows: Number.POSITIVE_INFINITY});
	drawnRows.set(subject, {columns, palette, rows});
	return rows;
}

/** What is drawn of rows, and which of them that are: those from `from` up to `to` scroll. */
type View = {
	readonly lines: readonly string[];
	readonly total: number;
	readonly from: number;
	readonly to: number;
	readonly page: number;
	readonly lead: number;
	/** The last offset. */
	readonly last: number;
};

/**
 * Returns what a question is about: its title, then its rows. If it has more rows than there is room, the first and the last one
 * stay, those between them scroll, and a line says how many are left out. Few rows have no title.
 */
export function viewSubject(subject: SubjectDrawing, {columns, palette, rows, offset, keys}: Space): View {
	const all = rowsOf(subject, {columns, palette});
	const total = all.length;
	const title = total < rows || rows > leastSubject ? [subject.title({width: columns, palette})] : [];
	const room = rows - title.length;
	if (total <= room) {
		const lines = [...title, ...all];
		return {lines, total, from: 0, to: total, page: 1, lead: 0, last: 0};
	}

	const page = Math.max(1, room - 3);
	const last = Math.max(0, total - 2 - page);
	const from = 1 + Math.min(offset, last);
	const isEnd = from + page >= total - 1;
	const lines = [
		...title,
		...all.slice(0, 1),
		...all.slice(from, from + page),
		palette.dim(truncate(foldText(from - 1, total - 1 - from - page, keys), columns)),
		...all.slice(-1),
	];
	return {lines: lines.slice(0, rows), total, from, to: isEnd ? total : from + page, page, lead: 1, last};
}

/** Returns the line that stands for rows which are left out, with the key that shows them. */
function foldText(above: number, below: number, [down, up]: Space['keys']): string {
	const [count, key] =
		below === 0
			? [`${formatAmount(above, 'line')} above`, up]
			: above === 0
				? [formatAmount(below, 'line'), down]
				: [`${formatNumber(above)} above, ${formatAmount(below, 'line')}`, down];
	return `  ⋯ ${count} ⋯${key && ` ${key}`}`;
}

/**
 * Returns how a question is drawn that a window has too few rows for: the question, what it is about and the facts scroll above
 * its answers. The beginning and the end of what it is about stay in sight, in one row.
 */
export function viewScrolled(
	{text, facts, list, short, label, told}: ScrollingRows,
	subject: SubjectDrawing | undefined,
	{columns, palette, rows: height, offset, keys: [down]}: Space,
): View {
	const all = subject ? rowsOf(subject, {columns, palette}) : [];
	const room = Math.max(0, height - 1 - (list?.length ?? 0));
	const mayEnd = all.length > 0 && room > 1;
	// One row that stays in sight need not be shown twice.
	const scrolling = [...text, ...(mayEnd && all.length === 1 ? [] : all), ...facts];
	const total = scrolling.length;
	const lastFrom = Math.max(0, total - Math.max(1, room));
	/** True if all that the question is about is in sight from that row on: then its ends need no row of their own. */
	const showsAll = (first: number) =>
		all.length > 1 && first <= text.length && first + room >= text.length + all.length;
	const endsAt = (first: number) => (mayEnd && !showsAll(first) ? 1 : 0);
	const last = Math.max(0, total - Math.max(1, room - endsAt(lastFrom)));
	const from = Math.min(offset, last);
	const ends = endsAt(from) > 0 ? [joinedEnds(all, {columns, palette})] : [];
	const page = Math.max(1, room - ends.length);
	const to = Math.min(total, from + page);
	const left = total - to > 0 ? `…${formatNumber(total - to)}` : '';
	const more = left && ` ${left} ${down}`;
	const ways = list
		? [...told.map(way => `  ${way}`), ...(told.length > 0 ? [] : [` ${more}`])]
		: told.length > 0
			? [...told.map(way => `  ${way}`), ...told]
			: [`  ${short} ${label}${more}`, `  ${short}${more}`, `${short} ${left}`, short];
	const line = ways.find(each => lineWidth(each) <= columns) ?? ways.at(-1) ?? '';
	const lines = [...scrolling.slice(from, to), ...ends, palette.dim(truncate(line, columns)), ...(list ?? [])].slice(
		-height,
	);
	return {lines, total, from, to, page, lead: 0, last};
}

/** Returns the beginning of the first and the end of the last of these rows in one; a single row as it is. */
function joinedEnds(rows: readonly string[], {columns, palette}: Pick<Style, 'columns' | 'palette'>): string {
	const [first = ''] = rows;
	if (rows.length === 1) {
		return first;
	}

	const half = Math.floor((columns - lineWidth(foldSign)) / 2);
	const head = plainText(first).trimEnd();
	const end = endOf(rows, half);
	const shownEnd = lineWidth(end) <= half ? end : lastCells(end, half).trimStart();
	const room = columns - lineWidth(foldSign) - lineWidth(shownEnd);
	return `${palette.label(cutCells(head, room))}${palette.dim(foldSign)}${palette.label(shownEnd)}`;
}

const foldSign = ' ⋯ ';

/** Returns at least so many cells from the end of rows, if they have them: the last one may be the rest of a long line. */
function endOf(rows: readonly string[], cells: number): string {
	let end = '';
	for (let index = rows.length - 1; index >= 0 && lineWidth(end) < cells; index--) {
		const row = plainText(rows[index] ?? '');
		// A row without a sign or a number continues the one above it, behind its indent: it may begin or end with a blank.
		const isLine = /^\s*(?:[$>]|\d+ [-+ ]) /.test(row);
		end = (isLine ? ` ${row.trimStart()}` : row.replace(/^ {2}/, '')).replace(/^\s+|\s+$/g, ' ') + end;
	}

	return end.trim();
}

/** Returns the last characters of a text that have at most so many cells. */
function lastCells(text: string, cells: number): string {
	return firstFitting(graphemesOf(text).toReversed(), cells).toReversed().join('');
}

/** Returns the first characters of a text that have at most so many cells. */
function cutCells(text: string, cells: number): string {
	return firstFitting(graphemesOf(text), cells).join('');
}

function firstFitting(graphemes: readonly string[], cells: number): readonly string[] {
	let left = cells;
	const end = graphemes.findIndex(grapheme => {
		left -= graphemeWidth(grapheme);
		return left < 0;
	});
	return end < 0 ? graphemes : graphemes.slice(0, end);
}

/** Returns the number of lines of a question with everything about it. */
export function questionRows(panel: Question, columns: number): number {
	const palette = createPalette({color: false});
	const height = Number.POSITIVE_INFINITY;
	const keymap = keymapOf(panelKeys);
	const parts = drawQuestion(panel, {columns, palette, isAnswerable: true, steps: 0, keymap, height});
	return parts.title.length + parts.subjectRows + parts.facts.length + parts.asked.length;
}
