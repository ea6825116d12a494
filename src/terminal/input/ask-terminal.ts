import type {Environment} from '../../core/environment.ts';
import {safeLine} from '../text/safe-text.ts';
import {setRawMode} from './raw-mode.ts';

type Streams = {
	readonly stdin: NodeJS.ReadStream;
	readonly stdout: {readonly write: (text: string) => unknown};
	readonly env: Environment;
};

/** How long a terminal may take to answer, also over a slow connection. */
const answerMs = 1000;

const askAttributes = '\u001B[c';
const attributes = /\u001B\[\?[\d;]*c/;
/** Removes what a terminal prints of the question: it has few columns for sure, and goes back to the first one. */
const wipe = `\r${' '.repeat(askAttributes.length + 1)}\r`;

/**
 * Asks a terminal of an unknown type for its attributes (DA1), which all that obey escape codes answer. Says what follows for
 * one that doesn't. Leaves the terminal as it was, and what was typed meanwhile to be read.
 */
export async function obeysCodes({stdin, stdout, env}: Streams): Promise<boolean> {
	let heard = '';
	setRawMode(stdin, true);
	const isAnswered = await new Promise<boolean>(resolve => {
		const settle = (isObedient: boolean) => {
			clearTimeout(timer);
			stdin.off('data', onData).off('end', onEnd).pause();
			setRawMode(stdin, false);
			resolve(isObedient);
		};

		const onEnd = () => settle(false);
		const timer = setTimeout(onEnd, answerMs);
		const onData = (data: Buffer | string) => {
			heard += data.toString('latin1');
			if (attributes.test(heard)) {
				settle(true);
			}
		};

		stdin.on('data', onData).on('end', onEnd).resume();
		stdout.write(askAttributes);
	});
	const typed = heard.replace(attributes, '');
	if (typed) {
		stdin.unshift(Buffer.from(typed, 'latin1'));
	}

	if (!isAnswered) {
		const type = safeLine(env['TERM'] ?? '');
		stdout.write(`${wipe}We don’t know TERM=${type}, and it doesn’t answer: the app works line by line.\n`);
		stdout.write('If it is like xterm, set TERM=xterm-256color.\n');
	}

	return isAnswered;
}
