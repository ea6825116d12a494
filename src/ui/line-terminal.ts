import {readTerminalLine} from '../terminal/input/read-line.ts';
import {safeLine} from '../terminal/text/safe-text.ts';

type Dependencies = {
	readonly stdin: NodeJS.ReadStream;
	readonly stdout: NodeJS.WriteStream;
	/** Gets each line that the user enters. `isAlone` is false if several arrived together. */
	readonly onLine: (line: string, isAlone: boolean) => void;
};

export type LineTerminal = {
	readonly write: (data: string) => void;
	/** Writes a line. */
	readonly say: (text: string) => void;
	/** Writes the sign to type at, unless it is there already or a question is open. */
	readonly prompt: () => void;
	/** Asks for a line, after the questions that are open. Resolves to undefined for Esc and the end of input. */
	readonly question: (label: string, masked: boolean) => Promise<string | undefined>;
	/** Reads lines from now on. */
	readonly listen: () => void;
};

/** Creates a terminal that is read and written line by line, with its own line editing. */
export function createLineTerminal({stdin, stdout, onLine}: Dependencies): LineTerminal {
	/** True while the sign to type at is the last thing that was written. */
	let hasPrompt = false;
	let isAsking = false;
	let pending = '';
	let lastQuestion: Promise<unknown> = Promise.resolve();

	const write = (data: string) => {
		hasPrompt = false;
		stdout.write(data);
	};

	const onData = (data: Buffer | string) => {
		pending += data.toString('utf8');
		const lines = pending.split(/\r?\n/);
		pending = lines.pop() ?? '';
		hasPrompt &&= lines.length === 0;
		for (const line of lines) {
			onLine(line, lines.length === 1);
		}
	};

	const listen = () => {
		stdin.on('data', onData);
		stdin.resume();
	};

	const ask = async (label: string, masked: boolean) => {
		isAsking = true;
		stdin.off('data', onData);
		write(`${safeLine(label)} `);
		const answer = await readTerminalLine({stdin, output: stdout}, masked);
		isAsking = false;
		listen();
		return answer;
	};

	return {
		write,
		say: text => write(`${text}\n`),
		prompt() {
			if (!isAsking && !hasPrompt) {
				stdout.write('> ');
				hasPrompt = true;
			}
		},
		question(label, masked) {
			const answer = lastQuestion.then(() => ask(label, masked));
			lastQuestion = answer.catch(() => undefined);
			return answer;
		},
		listen,
	};
}
