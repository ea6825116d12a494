import {aboutLines} from '../../command/line-interaction.ts';
import {formatAmount} from '../../core/format.ts';
import type {Answer, SubjectDrawing} from '../../store/view-slice.ts';
import {safeLine} from '../../terminal/text/safe-text.ts';
import type {Palette} from '../../terminal/text/style.ts';
import type {Inquiry} from '../interaction.ts';
import type {LineTerminal} from '../line-terminal.ts';
import {askSettled} from '../panels/line-questions.ts';
import {answerTo} from '../panels/question.ts';

/** Most lines that are printed with a question about them. */
const maxSubjectLines = 2000;

/** Wider than any line of a change: a screen reader needs no wrapping. */
const unwrapped = 32_000;

type LineInquiry = Partial<Inquiry> & Pick<Inquiry, 'question'>;

/**
 * Asks with a bell until an answer was typed after the question. Several answers are numbered; a number, a key or the words of
 * one select it; other text is no answer. Returns undefined for no.
 */
export async function inquireInLines(
	{question, about, subject, answers}: LineInquiry,
	terminal: Pick<LineTerminal, 'say' | 'timedQuestion'>,
	{palette, ring}: {readonly palette: Palette; readonly ring: () => void},
): Promise<string | undefined> {
	const before = () => {
		const above = [
			...(subject ? wholeSubject(subject, palette) : []),
			...(about ? aboutLines(about).map(safeLine) : []),
			...(answers ? [safeLine(question), ...numbered(answers)] : []),
		];
		for (const line of above) {
			terminal.say(line);
		}

		ring();
	};
	const count = (answers?.length ?? 0) + 1;
	const label = answers ? `Number, 1 to ${count}, or key; Enter for no:` : `${question} [y/N]`;
	const help = answers ? `Type a number from 1 to ${count}, or a key.` : 'Type y or n.';
	for (let first: typeof before | undefined = before; ; first = undefined) {
		const typed = ((await askSettled(label, terminal, first)) ?? '').trim();
		const isNumber = answers !== undefined && /^[1-9]\d?$/.test(typed) && Number(typed) <= count;
		const answer = isNumber ? answers[Number(typed) - 1]?.value : answerTo(answers ? {answers} : {}, typed);
		if (answer !== false) {
			return answer;
		}

		terminal.say(`“${safeLine(typed)}” isn't an answer. ${help}`);
	}
}

function numbered(answers: readonly Answer[]): readonly string[] {
	const all = [...answers.map(({label, key}) => `${safeLine(label)} (key ${key})`), 'No (key n)'];
	return all.map((answer, index) => `${index + 1}. ${answer}`);
}

function wholeSubject(subject: SubjectDrawing, palette: Palette): readonly string[] {
	const style = {width: unwrapped, palette};
	const {shown, leftOut} = subject.window({...style, rows: maxSubjectLines});
	return [subject.title(style), ...shown, ...(leftOut > 0 ? [`… ${formatAmount(leftOut, 'more line')}`] : [])];
}
