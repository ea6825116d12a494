import {loginLines} from '../command/login-lines.ts';
import {createLineChoose} from '../command/picker/picker-lines.ts';
import {AppError} from '../core/error.ts';
import type {Interaction} from '../platform/interaction.ts';
import {readTerminalLine} from '../terminal/input/read-line.ts';
import {safeLine} from '../terminal/text/safe-text.ts';
import {truncate} from '../terminal/text/width.ts';
import {printJson} from './print.ts';
import {readInput} from './read-input.ts';

type Streams = {
	readonly stdin: NodeJS.ReadStream;
	/** Questions go here, so that standard output stays what the command says. */
	readonly stderr: NodeJS.WritableStream & {readonly isTTY?: boolean; readonly columns?: number};
	/** Prints everything as a JSON object a line, for programs. */
	readonly json?: boolean;
};

/**
 * Asks the user in a shell: one line on the terminal, or the first line of standard input where that is a pipe. Throws
 * `interrupted` if the user cancels, so that a script does not take it for done.
 */
export function createTerminalQuestions({stdin, stderr, json = false}: Streams): Interaction {
	/** Once a pipe was found to hold nothing, it is not waited for again. */
	let isEmpty = false;
	const say = (text: string) => {
		if (json) {
			printJson({notice: text}, stderr);
		} else {
			stderr.write(`${safeLine(text)}\n`);
		}
	};

	const ask: Interaction['ask'] = async ({label, masked, optional = false}) => {
		if (stdin.isTTY) {
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
		}

		const text = isEmpty ? '' : await readInput(stdin, {optional: false, warn: say});
		const [line = ''] = text.split(/\r?\n/, 1);
		if (!line.trim() && !optional) {
			throw new AppError('usage', `${safeLine(label).replace(/[:?]$/, '')} is missing.`, {
				hint: 'Pass it as an argument, or pipe it in.',
			});
		}

		return line.trim();
	};

	/** Over the line before, from its beginning; a cut one, because a wrapped one could not be taken back. */
	const progress = (text: string) => {
		stderr.write(`\r\u001B[K${truncate(safeLine(text), (stderr.columns || 80) - 1)}`);
	};

	return {
		ask,
		say,
		log: line => stderr.write(line),
		...(stderr.isTTY && !json && {progress}),
		async choose(pick) {
			const {title, choices, filters} = pick;
			if (!stdin.isTTY) {
				throw new AppError('usage', `${title}: can't ask here (not interactive).`, {hint: 'Pass it as an argument.'});
			}

			if (filters) {
				return createLineChoose({say, question: label => ask({label, masked: false})})(pick);
			}

			say(title);
			for (const [index, {label, detail}] of choices.entries()) {
				say(`${index + 1}. ${label}${detail ? `, ${detail}` : ''}`);
			}

			const answer = await ask({label: `Number, 1 to ${choices.length}:`, masked: false});
			const chosen = choices[Number(answer) - 1];
			if (!chosen) {
				throw new AppError('usage', `Invalid number “${answer}”.`, {hint: 'Pass it as an argument.'});
			}

			return chosen.id;
		},
		async confirm(question, about) {
			if (!stdin.isTTY) {
				throw new AppError('usage', `${question} Nobody can answer (not interactive).`, {
					hint: 'Pass --yes to skip the question.',
				});
			}

			for (const line of about ? [about.title, ...about.facts.map(([label, value]) => `${label}: ${value}`)] : []) {
				say(line);
			}

			const answer = await ask({label: `${question} [y/N]`, masked: false});
			return /^y(?:es)?$/i.test(answer?.trim() ?? '');
		},
		...(!stdin.isTTY && {
			piped: async () => {
				const [line = ''] = (await readInput(stdin, {optional: true, warn: () => undefined})).split(/\r?\n/, 1);
				isEmpty = line.trim() === '';
				return line.trim();
			},
		}),
		showLogin: login => {
			loginLines(login, Date.now()).forEach(say);
			return () => undefined;
		},
	};
}
