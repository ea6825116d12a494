import type {Answer, Panel} from '../../store/view-slice.ts';
import {safeLine} from '../../terminal/text/safe-text.ts';
import type {Palette} from '../../terminal/text/style.ts';
import {lineWidth, padEnd, truncate} from '../../terminal/text/width.ts';
import {wrapLine} from '../../terminal/text/wrap.ts';

export type Question = Extract<Panel, {kind: 'confirm'}>;

/** How long a question stands before a key answers it, in milliseconds (SAFETY 4). */
const settling = 500;

/** How long nothing is typed into the prompt before a letter is an answer again, in milliseconds. */
const quiet = 1000;

/** Time that never jumps, in milliseconds since any fixed moment: `askedAt` is of it. */
export function steadyNow(): number {
	return performance.now();
}

/**
 * Milliseconds until keys answer the question, 0 or less when they do: it stood for a while, and nobody is typing into the
 * prompt. Its keys are shown by the same rule.
 */
export function untilAnswerable(
	{askedAt}: Pick<Question, 'askedAt'>,
	typedAt: number | undefined,
	now: number,
): number {
	return Math.max(askedAt + settling, (typedAt ?? Number.NEGATIVE_INFINITY) + quiet) - now;
}

const yes: readonly Answer[] = [{key: 'y', label: 'yes', value: 'yes'}];

/** What a key or a typed line answers: the value of an answer, `undefined` for no, and `false` for what is none. */
export function answerTo({answers = yes}: Pick<Question, 'answers'>, typed: string): string | undefined | false {
	const word = typed.trim().toLowerCase();
	const found = answers.find(({key, label}) => word === key || word === label);
	return found?.value ?? (/^(?:no?)?$/.test(word) ? undefined : false);
}

/** The keys of a question as they are shown, the one that Enter stands for last and in a capital. */
export function keysOf({answers}: Pick<Question, 'answers'>): string {
	return answers ? `[${[...answers.map(({key, label}) => `${key} ${label}`), 'N no'].join(' · ')}]` : '[y/N]';
}

type Style = {readonly columns: number; readonly palette: Palette; readonly isAnswerable: boolean};

/** What is to be known first, a fact a line, and the lines of what is asked, with its keys as soon as they count. */
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

/** How many lines all of it takes. */
export function questionRows(panel: Question, columns: number): number {
	const {question, about} = panel;
	const asked = wrapLine(`${safeLine(question)} ${keysOf(panel)}`, columns, {first: '? ', rest: '  '});
	return (about ? about.facts.length + 1 : 0) + asked.length;
}
