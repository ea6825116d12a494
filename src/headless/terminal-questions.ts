import type {Interaction} from '../command/context.ts';
import {AppError} from '../core/error.ts';
import {safeLine} from '../terminal/safe-text.ts';
import {readInput} from './read-input.ts';

type Streams = {
	readonly stdin: NodeJS.ReadStream;
	/** Questions go here, so that standard output stays what the command says. */
	readonly stderr: NodeJS.WritableStream;
};

/** Asks the person at a shell: one line on the terminal, or the first line of standard input where that is a pipe. */
export function createTerminalQuestions({stdin, stderr}: Streams): Interaction {
	const say = (text: string) => {
		stderr.write(`${safeLine(text)}\n`);
	};

	const ask: Interaction['ask'] = async ({label, masked}) => {
		if (stdin.isTTY) {
			stderr.write(`${safeLine(label)} `);
			return readTerminalLine({stdin, stderr}, masked);
		}

		const [line = ''] = (await readInput(stdin, {optional: false, warn: say})).split(/\r?\n/, 1);
		if (!line.trim()) {
			throw new AppError('usage', `${safeLine(label).replace(/[:?]$/, '')} is missing.`, {
				hint: 'Give it as an argument, or pipe it in.',
			});
		}

		return line.trim();
	};

	return {
		ask,
		say,
		async choose({title}) {
			throw new AppError('usage', `${title}: nobody can choose here.`, {hint: 'Give it as an argument.'});
		},
		async confirm(question) {
			if (!stdin.isTTY) {
				return false;
			}

			const answer = await ask({label: `${question} [y/N]`, masked: false});
			return /^y(?:es)?$/i.test(answer?.trim() ?? '');
		},
	};
}

/** Reads one line key by key; what is masked is not echoed. Gives undefined for Escape or Ctrl+C. */
function readTerminalLine({stdin, stderr}: Streams, masked: boolean): Promise<string | undefined> {
	return new Promise(resolve => {
		let line = '';
		const finish = (value: string | undefined) => {
			stdin.off('data', onData);
			stdin.setRawMode(false);
			stdin.pause();
			stderr.write('\n');
			resolve(value);
		};

		const erase = (count: number) => {
			line = [...line].slice(0, -count).join('');
			if (!masked) {
				stderr.write('\b \b'.repeat(count));
			}
		};

		const onData = (data: Buffer) => {
			for (const character of data.toString('utf8').replace(/\u001B\[20[01]~/g, '')) {
				switch (character) {
					case '\r':
					case '\n':
						return finish(line);
					case '\u0003':
					case '\u001B':
						return finish(undefined);
					case '\u0004':
						return finish(line || undefined);
					case '\u007F':
					case '\b':
						erase(line ? 1 : 0);
						break;
					case '\u0015':
						erase([...line].length);
						break;
					default:
						if (character >= ' ') {
							line += character;
							stderr.write(masked ? '' : safeLine(character));
						}
				}
			}
		};

		stdin.setRawMode(true);
		stdin.on('data', onData);
		stdin.resume();
	});
}
