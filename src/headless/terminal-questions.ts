import {setTimeout as sleep} from 'node:timers/promises';
import {aboutLines, createLineInteraction, drawingLines} from '../command/line-interaction.ts';
import {type Lines, sayNumbered} from '../command/picker/picker-lines.ts';
import {AppError} from '../core/error.ts';
import {formatAmount} from '../core/format.ts';
import type {Interaction} from '../platform/interaction.ts';
import {setRawMode} from '../terminal/input/raw-mode.ts';
import {safeLine} from '../terminal/text/safe-text.ts';
import {createPalette} from '../terminal/text/style.ts';
import {truncate} from '../terminal/text/width.ts';
import {printJson} from './print.ts';
import {readInput} from './read-input.ts';

type Streams = {
	readonly stdin: NodeJS.ReadStream;
	/** Questions are printed here, so that standard output has only the result. */
	readonly stderr: NodeJS.WritableStream & {readonly isTTY?: boolean; readonly columns?: number};
	/** True to redraw nothing. */
	readonly linear?: boolean;
	/** Prints each question and notice as a JSON object on one line, for programs. */
	readonly json?: boolean;
	/** True if the command has `--yes`, which answers its question. */
	readonly hasYes?: boolean;
};

/** What differs between a terminal and a pipe. */
type Answers = Pick<Interaction, 'ask' | 'choose' | 'confirm' | 'piped'>;

type Say = Lines['say'];

/**
 * Creates the questions of a shell. They read a line from the terminal, or the first line of standard input if that is a
 * pipe. They throw `AppError("interrupted")` if the user cancels, so that a script doesn't take it for success.
 */
export function createTerminalQuestions(streams: Streams): Interaction {
	const {stdin, stderr, linear = false, json = false, hasYes = false} = streams;
	const say: Say = text => {
		if (json) {
			printJson({notice: text}, stderr);
		} else {
			stderr.write(`${safeLine(text)}\n`);
		}
	};

	const answers = stdin.isTTY ? terminalAnswers(streams, say) : pipedAnswers(stdin, hasYes, say);
	const question = (label: string) => answers.ask({label, masked: false});
	const lines = createLineInteraction({say, question});
	return {
		...lines,
		...answers,
		choose: async pick => (pick.filters && stdin.isTTY ? lines.choose(pick) : answers.choose(pick)),
		log: line => stderr.write(line),
		...(stderr.isTTY &&
			!linear &&
			!json && {
				// Redraws its line, cut to the width: a wrapped line couldn't be erased.
				progress: text => stderr.write(`\r\u001B[K${truncate(safeLine(text), (stderr.columns || 80) - 1)}`),
			}),
	};
}

function terminalAnswers({stdin, stderr, json}: Streams, say: Say): Answers {
	const ask = async ({label, masked}: Parameters<Interaction['ask']>[0]) => {
		const {readTerminalLine} = await import('../terminal/input/read-line.ts');
		if (json) {
			printJson({question: label}, stderr);
		} else {
			stderr.write(`${safeLine(label)} `);
		}

		const line = await readTerminalLine({stdin, output: stderr}, masked);
		if (line === undefined) {
			throw new AppError('interrupted', 'Cancelled.');
		}

		return line;
	};

	return {
		ask,
		async choose({title, choices}) {
			say(title);
			sayNumbered(choices, say);
			const answer = await ask({label: `Number, 1 to ${choices.length}:`, masked: false});
			const chosen = choices[Number(answer) - 1];
			if (!chosen) {
				throw new AppError('usage', `Invalid number “${answer}”.`, {hint: 'Pass it as an argument.'});
			}

			return chosen.id;
		},
		async confirm(question, about, drawing) {
			const style = {width: stderr.columns || 80, palette: createPalette({color: false})};
			const {lines, leftOut} = drawing ? drawingLines(drawing, style, maxDrawnLines) : {lines: [], leftOut: 0};
			for (const line of [...(about ? aboutLines(about) : []), ...lines]) {
				say(line);
			}

			const isYes = async (label: string) => {
				await dropTyped(stdin, say);
				return /^y(?:es)?$/i.test((await ask({label, masked: false})).trim());
			};
			const isAllowed = await isYes(`${question} [y/N]`);
			return (
				isAllowed && (leftOut === 0 || isYes(`${formatAmount(leftOut, 'line')} not printed. Allow it unread? [y/N]`))
			);
		},
	};
}

/** How long the terminal may take to hand over what was typed. */
const handoverMs = 30;

/** Drops what was typed before a question, and says so: it can't be an answer to it (SAFETY 4). */
async function dropTyped(stdin: Streams['stdin'], say: Say): Promise<void> {
	let typed = '';
	const onData = (data: Buffer | string) => {
		typed += data.toString();
	};
	setRawMode(stdin, true);
	stdin.on('data', onData);
	stdin.resume();
	await sleep(handoverMs);
	stdin.off('data', onData);
	stdin.pause();
	setRawMode(stdin, false);
	if (typed.includes('\u0003')) {
		throw new AppError('interrupted', 'Cancelled.');
	}

	if (typed) {
		say('Ignored: you typed that before the question appeared.');
	}
}

/** Most lines of a drawing that are printed with a question. */
const maxDrawnLines = 400;

function pipedAnswers(stdin: Streams['stdin'], hasYes: boolean, warn: Say): Answers {
	/** True once the pipe turned out to be empty: it is not read again. */
	let isEmpty = false;
	return {
		async ask({label, optional = false}) {
			const line = isEmpty ? '' : firstLine(await readInput(stdin, {optional: false, warn}));
			if (!line && !optional) {
				throw new AppError('usage', `${safeLine(label).replace(/(?:, from \S+)?(?: \(.*\))?[:?]$/, '')} is missing.`, {
					hint: 'Pass it as an argument, or pipe it in.',
				});
			}

			return line;
		},
		async choose({title}) {
			throw new AppError('usage', `${title}: can't ask here (not interactive).`, {hint: 'Pass it as an argument.'});
		},
		async confirm(question) {
			throw new AppError('usage', `Refusing to continue without confirmation (not interactive): ${question}`, {
				hint: hasYes ? 'Pass --yes to skip the question.' : 'Run it in a terminal, which can ask.',
			});
		},
		async piped() {
			const line = firstLine(await readInput(stdin, {optional: true, warn: () => undefined}));
			isEmpty = line === '';
			return line;
		},
	};
}

function firstLine(text: string): string {
	return text.split(/\r?\n/, 1)[0]?.trim() ?? '';
}
