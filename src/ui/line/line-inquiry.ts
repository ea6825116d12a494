import {aboutLines, drawingLines} from '../../command/line-interaction.ts';
import {formatAmount} from '../../core/format.ts';
import type {Answer} from '../../core/question.ts';
import type {Inquiry} from '../../platform/interaction.ts';
import {exactLine} from '../../terminal/text/blanks.ts';
import {safeLine} from '../../terminal/text/safe-text.ts';
import type {Palette} from '../../terminal/text/style.ts';
import type {Asking, LineTerminal} from '../line-terminal.ts';
import {askSettled} from '../panels/line-questions.ts';
import {answerTo, answerWith} from '../panels/question.ts';

/** Most lines that are printed with a question about them. */
const maxSubjectLines = 2000;

/** Wider than any line of a change: a screen reader needs no wrapping. */
const unwrapped = 32_000;

type LineInquiry = Partial<Inquiry> & Pick<Inquiry, 'question'>;

/**
 * Asks with a bell until an answer was typed after the question. Several answers are numbered; a number, a key or the words of
 * one select it; other text is no answer. Returns undefined for no. Throws the signal's reason if it aborts first.
 */
export async function inquireInLines(
	{question, about, subject, answers, onShown}: LineInquiry,
	terminal: Pick<LineTerminal, 'say' | 'timedQuestion'>,
	{palette, ring, ...asking}: Asking & {readonly palette: Palette; readonly ring: () => void},
): Promise<string | undefined> {
	const drawn = subject && drawingLines(subject, {width: unwrapped, palette}, maxSubjectLines);
	const before = () => {
		const above = [
			...(drawn?.lines ?? []),
			...(about ? aboutLines(about).map(exactLine) : []),
			...(answers ? [exactLine(question), ...numbered(answers)] : []),
		];
		for (const line of above) {
			terminal.say(line);
		}

		ring();
		onShown?.();
	};
	const count = (answers?.length ?? 0) + 1;
	const label = answers ? `Number, 1 to ${count}, or key; Enter for no:` : `${exactLine(question)} [y/N]`;
	const help = answers ? `Type a number from 1 to ${count}, or a key.` : 'Type y or n.';
	/** The answer that counts once it is typed again. */
	let armed: string | undefined;
	for (let first: typeof before | undefined = before; ; first = undefined) {
		const typed = ((await askSettled(label, terminal, first, asking)) ?? '').trim();
		const isNumber = answers !== undefined && /^[1-9]\d?$/.test(typed) && Number(typed) <= count;
		const answer = isNumber ? answers[Number(typed) - 1]?.value : answerTo(answers ? {answers} : {}, typed);
		if (answer !== false) {
			const again =
				answer === undefined || answer === armed
					? ''
					: whyAgain(answerWith({...(answers && {answers})}, answer), drawn?.leftOut ?? 0);
			if (!again) {
				return answer;
			}

			armed = answer;
			terminal.say(again);
			continue;
		}

		armed = undefined;
		terminal.say(`“${safeLine(typed)}” isn't an answer. ${help}`);
	}
}

/** Returns why an answer must be typed once more: it keeps something, or not all was printed; '' if it needn't. */
function whyAgain(answer: Answer | undefined, leftOut: number): string {
	const unseen = leftOut > 0 ? `${formatAmount(leftOut, 'line')} not printed. ` : '';
	const keeps = answer?.keeps;
	const kept = keeps ? `Type it again to keep: ${[...keeps.rules.map(exactLine), keeps.life].join(' · ')}.` : '';
	return unseen || kept ? unseen + (kept || 'Type it again to allow.') : '';
}

function numbered(answers: readonly Answer[]): readonly string[] {
	const all = [...answers.map(({label, key}) => `${safeLine(label)} (key ${key})`), 'No (key n)'];
	return all.map((answer, index) => `${index + 1}. ${answer}`);
}
