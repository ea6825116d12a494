import type {UserQuestion} from '../../core/session/user-question.ts';
import {safeLine, safeText} from '../../terminal/text/safe-text.ts';
import {untilAnswerable} from '../answerable.ts';
import type {Asking, LineTerminal} from '../line-terminal.ts';

/**
 * Asks until the whole answer was typed after the question (SAFETY 4): a terminal passes on keys that were pressed before
 * it. `before` writes what stands above the question. Returns undefined for Esc and the end of input. Throws the signal's reason
 * if it aborts first.
 */
export async function askSettled(
	label: string,
	{say, timedQuestion}: Pick<LineTerminal, 'say' | 'timedQuestion'>,
	before?: () => void,
	asking?: Asking,
): Promise<string | undefined> {
	for (let first = before; ; first = undefined) {
		const {line, askedAt, typedAt} = await timedQuestion(label, first, asking);
		asking?.signal?.throwIfAborted();
		if (line === undefined || untilAnswerable({askedAt}, {typedAt: undefined, inSightSince: askedAt}, typedAt) <= 0) {
			return line;
		}

		say('Ignored: you typed that before the question appeared.');
	}
}

/** Asks a question of the agent line by line, with a bell and numbered choices. Returns undefined for an empty line. */
export async function askInLines(
	{question, choices, form}: UserQuestion,
	terminal: Pick<LineTerminal, 'say' | 'timedQuestion'>,
	{sign = '? ', ring, ...asking}: Asking & {readonly sign?: string; readonly ring?: () => void} = {},
): Promise<string | undefined> {
	const numbered = choices.map(
		({label, description}, index) =>
			`${index + 1}. ${safeLine(label)}${description ? `, ${safeLine(description)}` : ''}`,
	);
	const before = () => {
		terminal.say([`${sign}${safeText(question)}`, ...numbered].join('\n'));
		ring?.();
	};
	if (form) {
		return askStep({choices, form}, terminal, before, asking);
	}

	const label = choices.length > 0 ? `Number, 1 to ${choices.length}, or your own answer` : 'Your answer';
	const typed = (await askSettled(`${label}; Enter to cancel:`, terminal, before, asking))?.trim();
	return typed ? (choices[Number(typed) - 1]?.label ?? typed) : undefined;
}

type Step = Pick<UserQuestion, 'choices'> & {readonly form: NonNullable<UserQuestion['form']>};

/** Asks until a step of a form is answered: by a number if there are choices. Returns undefined for Esc and "cancel". */
async function askStep(
	{choices, form: {initial, mayBeEmpty}}: Step,
	terminal: Pick<LineTerminal, 'say' | 'timedQuestion'>,
	before: () => void,
	asking: Asking,
): Promise<string | undefined> {
	const blank = initial ? `; Enter for “${safeLine(initial)}”` : mayBeEmpty ? '; Enter to skip' : '';
	const label = choices.length > 0 ? `Number, 1 to ${choices.length}` : `Your answer${blank}`;
	for (let first: typeof before | undefined = before; ; first = undefined) {
		const typed = (await askSettled(`${label}; “cancel” to cancel:`, terminal, first, asking))?.trim();
		if (typed === undefined || typed.toLowerCase() === 'cancel') {
			return undefined;
		}

		const answer = choices.length > 0 ? choices[Number(typed) - 1]?.label : typed || initial;
		if (answer || (answer === '' && mayBeEmpty)) {
			return answer;
		}

		terminal.say(choices.length > 0 ? `Type a number from 1 to ${choices.length}.` : 'An answer is required.');
	}
}
