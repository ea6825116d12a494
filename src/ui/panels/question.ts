import {formatNumber} from '../../core/format.ts';
import type {Answer, Panel, SubjectDrawing} from '../../store/view-slice.ts';
import {safeLine} from '../../terminal/text/safe-text.ts';
import {createPalette, type Palette} from '../../terminal/text/style.ts';
import {lineWidth, padEnd, truncate} from '../../terminal/text/width.ts';
import {wrapLine} from '../../terminal/text/wrap.ts';

export type Question = Extract<Panel, {kind: 'confirm'}>;

/** How long a question is shown before a key can answer it (SAFETY 4). */
const settlingMs = 500;

/** How long the prompt must be quiet before a letter answers a question. */
const quietMs = 1000;

/** Returns the time of a monotonic clock in milliseconds; `askedAt` is such a time. */
export function steadyNow(): number {
	return performance.now();
}

/**
 * Returns the milliseconds until keys answer the question; 0 or less if they do now. They do once it has been shown for a
 * while and the prompt is quiet. Its key hints appear at the same time.
 */
export function untilAnswerable(
	{askedAt}: Pick<Question, 'askedAt'>,
	typedAt: number | undefined,
	now: number,
): number {
	return Math.max(askedAt + settlingMs, (typedAt ?? Number.NEGATIVE_INFINITY) + quietMs) - now;
}

const yes: readonly Answer[] = [{key: 'y', label: 'yes', value: 'yes'}];

/** Returns the value of the answer that a key or a line stands for: `undefined` for no, `false` for neither. */
export function answerTo({answers = yes}: Pick<Question, 'answers'>, typed: string): string | undefined | false {
	const word = typed.trim().toLowerCase();
	const found = answers.find(({key, label}) => word === key || word === label);
	return found?.value ?? (/^(?:no?)?$/.test(word) ? undefined : false);
}

/** Returns the key hints of a question. The default is last and in upper case. */
export function keysOf({answers}: Pick<Question, 'answers'>): string {
	return answers
		? `[${[...answers.map(({key, label}) => `${key} ${safeLine(label)}`), 'N no'].join(' · ')}]`
		: shortKeysOf({answers});
}

/** Returns the keys alone, for a low window. */
function shortKeysOf({answers = yes}: Pick<Question, 'answers'>): string {
	return `[${[...answers.map(({key}) => key), 'N'].join('/')}]`;
}

/** Most lines of a change that make a question taller; the rest scrolls. */
const maxChangeLines = 200;

type Style = {readonly columns: number; readonly palette: Palette; readonly isAnswerable: boolean};

/** Fewest rows of a subject that stay beside a question. */
const minSubjectRows = 2;

/**
 * Returns the facts and the lines of the question, with its keys once they can answer it: without their labels in a window
 * that is too low for those.
 */
export function drawQuestion(
	panel: Question,
	{columns, palette, isAnswerable, height}: Style & {readonly height: number},
) {
	const {question, about, subject} = panel;
	const {title, facts = []} = about ?? {};
	const labelled = Math.max(0, ...facts.map(([label]) => lineWidth(safeLine(label))));
	const known = [
		...(title === undefined ? [] : [palette.label(safeLine(title))]),
		...facts.map(([label, value]) => `${palette.dim(padEnd(safeLine(label), labelled))}  ${safeLine(value)}`),
	].flatMap(line => (subject ? wrapLine(line, columns, {rest: ' '.repeat(labelled + 2)}) : truncate(line, columns)));
	const askedWith = (keys: string) =>
		wrapLine(`${safeLine(question)} ${palette.dim(isAnswerable ? keys : '…')}`, columns, {
			first: `${palette.warning('?')} `,
			rest: '  ',
		});
	const asked = askedWith(keysOf(panel));
	const room = height - (subject ? minSubjectRows : 0);
	return {known, asked: asked.length <= room ? asked : askedWith(shortKeysOf(panel))};
}

type Space = Omit<Style, 'isAnswerable'> & {readonly rows: number; readonly offset: number};

/** Cells at the end of the only row of a subject that say that there is more. */
const markWidth = 10;

/** Returns the cells for the lines of a subject: its only row says at its end that there is more. */
export function subjectWidth(subject: SubjectDrawing, {columns, rows}: Pick<Space, 'columns' | 'rows'>): number {
	return rows === 1 && subject.rows(columns, 2) > 1 ? Math.max(1, columns - markWidth) : columns;
}

/**
 * Returns what a question is about: its title, then as many lines as there is room for, then how many are left out.
 * `offset` is the first line. Few rows have no title, and one row only a line and a mark that there are more.
 */
export function drawSubject(subject: SubjectDrawing, space: Space): readonly string[] {
	const {columns, palette, rows, offset} = space;
	if (rows === 1) {
		const width = subjectWidth(subject, space);
		const {shown, leftOut} = subject.window({width, palette, rows, offset});
		const mark = leftOut > 0 ? palette.dim(` … ${formatNumber(leftOut)} ↑↓`) : '';
		return [truncate(padEnd(shown[0] ?? '', mark ? width : 0) + mark, columns)];
	}

	const isTitled = rows > 3 || (rows > 1 && subject.rows(columns, rows) < rows);
	const title = isTitled ? [subject.title({width: columns, palette})] : [];
	const {shown, leftOut} = subject.window({width: columns, palette, rows: Math.max(0, rows - title.length), offset});
	const more =
		leftOut > 0 ? [palette.dim(truncate(`  … ${formatNumber(leftOut)} more lines · ↑↓ scroll`, columns))] : [];
	return [...title, ...shown, ...more].slice(0, rows);
}

/** Returns the number of lines of the facts, the subject and the question. */
export function questionRows(panel: Question, columns: number): number {
	const {subject} = panel;
	const style = {columns, palette: createPalette({color: false}), isAnswerable: true, height: Number.POSITIVE_INFINITY};
	const {known, asked} = drawQuestion(panel, style);
	const subjectRows = subject ? subject.rows(columns, maxChangeLines) + 1 : 0;
	return known.length + subjectRows + asked.length;
}

/** Returns the rows for the facts, and for the subject: its first rows are more important than the facts. */
export function shareRows(height: number, asked: number, known: number, subject: SubjectDrawing | undefined) {
	const room = Math.max(0, height - asked);
	const facts = Math.min(known, Math.max(0, room - (subject ? minSubjectRows : 0)));
	return {facts, subject: room - facts};
}
