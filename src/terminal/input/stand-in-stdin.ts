import {Readable} from 'node:stream';
import type {InputToken, KeyToken} from './token.ts';

export type StandInStdin = {
	/** Goes to Ink as its `stdin`. */
	readonly stream: NodeJS.ReadStream;
	/**
	 * Hands a token to the field of Ink that has the focus. Gives false for what a field of one line has no use for, such
	 * as Escape, Tab, Up and Ctrl+C: ink-text-input would insert their letters, so they are the caller's.
	 */
	readonly feed: (token: InputToken) => boolean;
	/** Drops what was fed and not read yet, for when the focus moves. */
	readonly clear: () => void;
};

/** Insert: a key that edits nothing. ink-text-input brings a caret beyond an end of its text back at the key after it. */
const noKey = '\u001b[2~';

/** The bytes, a keystroke each, by which ink-text-input knows the keys that it understands. */
const keystrokes: Readonly<Record<string, readonly string[]>> = {
	enter: ['\r'],
	backspace: ['\u007f'],
	left: ['\u001b[D', noKey],
	right: ['\u001b[C', noKey],
	space: [' '],
};

/**
 * How many turns of the event loop lie between two keys. ink-text-input edits the value of its last render, so a key that
 * comes before React has rendered (one turn) and run the effects (the same turn, or the next) undoes the one before.
 */
const turnsBetween = 3;

/**
 * A stdin for Ink 6.8 that is read from our own input instead of the terminal. Ink reads all there is at once and loses
 * keys that come together, so the stream never holds more than one: a key, or a run of text, which is safe in one piece.
 */
export function createStandInStdin(): StandInStdin {
	const readable = new Readable({objectMode: true, read() {}});
	// Of a terminal's stream Ink uses these alone. The mode of the real one is not its business.
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

/** A paste as one line of text: the line end that keys are copied with goes, other line ends and tabs become spaces. */
function lineOf(text: string): string {
	return text
		.replace(/\n+$/, '')
		.replaceAll(/[\n\t]/g, ' ')
		.replaceAll(/\p{Cc}/gu, '');
}

function afterTurns(count: number, action: () => void): void {
	setImmediate(() => (count > 1 ? afterTurns(count - 1, action) : action()));
}
