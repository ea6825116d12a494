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
 * Asks with a bell until the answer was typed after the question. Several answers are numbered; a number, a key or the words of one
 * select it. Returns undefined for no.
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
	if (!answers) {
		return answerTo({}, (await askSettled(`${question} [y/N]`, terminal, before)) ?? '') || undefined;
	}

	const label = `Number, 1 to ${answers.length + 1}, or key; Enter for no:`;
	const typed = ((await askSettled(label, terminal, before)) ?? '').trim();
	return answers[Number(typed) - 1]?.value ?? (answerTo({answers}, typed) || undefined);
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
