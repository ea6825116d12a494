import {StringDecoder} from 'node:string_decoder';
import {safeLine} from '../text/safe-text.ts';
import {setRawMode} from './raw-mode.ts';

type Streams = {
	readonly stdin: NodeJS.ReadStream;
	/** The stream for the echo. */
	readonly output: {readonly write: (text: string) => unknown};
};

export type LineListeners = {
	/** Called for each piece of input, before it counts. */
	readonly onKeys?: () => void;
	/** Called for Ctrl+C, once the terminal is restored. */
	readonly onInterrupt?: (() => void) | undefined;
	/** Ends the line, as Escape does. */
	readonly signal?: AbortSignal | undefined;
};

/**
 * Reads one line from a terminal, without echo if `masked`. Returns undefined after Escape or Ctrl+C. Restores the
 * terminal. For screens that must not be redrawn: the line has no caret, it only grows and shrinks at its end.
 */
export function readTerminalLine(
	{stdin, output}: Streams,
	masked: boolean,
	{onKeys, onInterrupt, signal}: LineListeners = {},
): Promise<string | undefined> {
	return new Promise(resolve => {
		let line = '';
		// A chunk may end within a character.
		const decoder = new StringDecoder('utf8');
		const finish = (value: string | undefined) => {
			stdin.off('data', onData);
			stdin.off('end', onEnd);
			stdin.off('error', onEnd);
			signal?.removeEventListener('abort', onEnd);
			setRawMode(stdin, false);
			stdin.pause();
			output.write('\n');
			resolve(value);
		};

		const erase = (count: number) => {
			line = [...line].slice(0, -count || undefined).join('');
			if (!masked) {
				output.write('\b \b'.repeat(count));
			}
		};

		const onEnd = () => finish(undefined);

		const onData = (data: Buffer | string) => {
			onKeys?.();
			const text = decoder.write(data).replace(pasteMarks, '');
			// Arrow keys do nothing in a line without a caret; a lone Escape cancels.
			for (const character of text === '\u001B' ? text : text.replace(sequences, '')) {
				switch (character) {
					case '\r':
					case '\n':
						return finish(line);
					case '\u0003':
						finish(undefined);
						return onInterrupt?.();
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
							output.write(masked ? '' : safeLine(character));
						}
				}
			}
		};

		setRawMode(stdin, true);
		stdin.on('data', onData);
		stdin.on('end', onEnd);
		stdin.on('error', onEnd);
		signal?.addEventListener('abort', onEnd);
		stdin.resume();
	});
}

const pasteMarks = /\u001B\[20[01]~/g;
const sequences = /\u001B(?:\[[\d;]*[ -/]*[@-~]|O[@-~])/g;
