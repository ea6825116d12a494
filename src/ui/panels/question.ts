import {formatNumber} from '../../core/format.ts';
import type {Answer, ChangeDrawing, Panel} from '../../store/view-slice.ts';
import {safeLine} from '../../terminal/text/safe-text.ts';
import type {Palette} from '../../terminal/text/style.ts';
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
	return answers ? `[${[...answers.map(({key, label}) => `${key} ${label}`), 'N no'].join(' · ')}]` : '[y/N]';
}

/** Most lines of a change that make a question taller; the rest scrolls. */
const maxChangeLines = 200;

type Style = {readonly columns: number; readonly palette: Palette; readonly isAnswerable: boolean};

/** Returns the facts, one a line, and the lines of the question, with its keys once they can answer it. */
export function drawQuestion(panel: Question, {columns, palette, isAnswerable}: Style) {
	const {question, about} = panel;
	const {title, facts = []} = about ?? {};
	const labelled = Math.max(0, ...facts.map(([label]) => lineWidth(safeLine(label))));
	const known = [
		...(title === undefined ? [] : [palette.label(safeLine(title))]),
		...facts.map(([label, value]) => `${palette.dim(padEnd(safeLine(label), labelled))}  ${safeLine(value)}`),
	].map(line => truncate(line, columns));
	const shown = `${safeLine(question)} ${palette.dim(isAnswerable ? keysOf(panel) : '…')}`;
	return {known, asked: wrapLine(shown, columns, {first: `${palette.warning('?')} `, rest: '  '})};
}

/**
 * Returns the change that a question is about: its title, then as many lines as there is room for, then how many lines are
 * left out. `offset` is the first line.
 */
export function drawQuestionedChange(
	change: ChangeDrawing,
	{columns, palette, rows, offset}: Omit<Style, 'isAnswerable'> & {readonly rows: number; readonly offset: number},
): readonly string[] {
	const title = change.title({width: columns, palette});
	const {shown, leftOut} = change.window({width: columns, palette, rows: Math.max(0, rows - 1), offset});
	const more =
		leftOut > 0 ? [palette.dim(truncate(`  … ${formatNumber(leftOut)} more lines · ↑↓ scroll`, columns))] : [];
	return [title, ...shown, ...more].slice(0, rows);
}

/** Returns the number of lines of the facts, the change and the question. */
export function questionRows(panel: Question, columns: number): number {
	const {question, about, change} = panel;
	const asked = wrapLine(`${safeLine(question)} ${keysOf(panel)}`, columns, {first: '? ', rest: '  '});
	const changeRows = change ? change.rows(columns, maxChangeLines) + 1 : 0;
	return (about ? about.facts.length + 1 : 0) + changeRows + asked.length;
}
