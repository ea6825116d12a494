import {Readable} from 'node:stream';
import type {InputToken, KeyToken} from './token.ts';

export type StandInStdin = {
	/** The `stdin` for Ink. */
	readonly stream: NodeJS.ReadStream;
	/**
	 * Sends a token to the focused Ink field. Returns false for a key that a one-line field doesn't handle, such as
	 * Escape, Tab, Up and Ctrl+C: ink-text-input would insert their letters, so the caller handles them.
	 */
	readonly feed: (token: InputToken) => boolean;
	/** Drops tokens that were not read yet, when the focus moves. */
	readonly clear: () => void;
};

/** Insert: a key that edits nothing. ink-text-input moves a caret beyond the end of its text back at the next key. */
const noKey = '\u001b[2~';

/** The bytes that ink-text-input reads as keys, one keystroke each. */
const keystrokes: Readonly<Record<string, readonly string[]>> = {
	enter: ['\r'],
	backspace: ['\u007f'],
	left: ['\u001b[D', noKey],
	right: ['\u001b[C', noKey],
	space: [' '],
};

/**
 * Turns of the event loop between two keys. ink-text-input edits the value of its last render, so a key that comes
 * before React has rendered (one turn) and run the effects (the same turn, or the next) undoes the one before.
 */
const turnsBetween = 3;

/**
 * Creates a stdin for Ink 6.8 that gets our own tokens instead of the terminal's bytes. Ink reads all input at once and
 * loses keys that come together, so the stream never holds more than one key or one run of text.
 */
export function createStandInStdin(): StandInStdin {
	const readable = new Readable({objectMode: true, read() {}});
	// Ink uses only these members of a terminal's stream. They don't change the mode of the real one.
	const stream = readable as NodeJS.ReadStream;
	Object.assign(stream, {
		isTTY: true,
		setRawMode: () => stream,
		setEncoding: () => stream,
		ref: () => stream,
		unref: () => stream,
	});
	let queue: string[] = [];
	let waiting = false;

	const next = () => {
		const keystroke = queue.shift();
		waiting = keystroke !== undefined;
		if (keystroke !== undefined) {
			readable.push(keystroke);
			afterTurns(turnsBetween, next);
		}
	};

	return {
		stream,
		feed(token) {
			const bytes = keystrokesOf(token);
			if (!bytes) {
				return false;
			}

			queue.push(...bytes);
			if (!waiting) {
				next();
			}

			return true;
		},
		clear() {
			queue = [];
		},
	};
}

function keystrokesOf(token: InputToken): readonly string[] | undefined {
	switch (token.type) {
		case 'text':
			return [token.text];
		case 'paste':
			return [lineOf(token.text)].filter(Boolean);
		case 'key':
			return ofKey(token);
		default:
			return undefined;
	}
}

function ofKey({name, ctrl, alt}: KeyToken): readonly string[] | undefined {
	if (ctrl && !alt && name === 'h') {
		return keystrokes['backspace'];
	}

	return ctrl || alt ? undefined : keystrokes[name];
}

/** Returns a paste as one line: drops line ends at its end, and turns other line ends and tabs into spaces. */
function lineOf(text: string): string {
	return text
		.replace(/\n+$/, '')
		.replaceAll(/[\n\t]/g, ' ')
		.replaceAll(/\p{Cc}/gu, '');
}

function afterTurns(count: number, action: () => void): void {
	setImmediate(() => (count > 1 ? afterTurns(count - 1, action) : action()));
}
