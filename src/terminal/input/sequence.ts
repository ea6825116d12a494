import {parseOsc} from './control-string.ts';
import {mouseToken, parseCsi, parseSs3} from './csi.ts';
import {keyOfAltCharacter, keyOfControl} from './key-names.ts';
import {type InputToken, keyToken, textToken} from './token.ts';
import {continuationsOf} from './utf8.ts';

/** The longest sequence that is kept; what is longer is swallowed up to its end. */
const sequenceLimit = 4096;
const escapeByte = 0x1b;
const stringIntroducers = ']P_^X';
/** The C1 control ST (U+009C) as UTF-8, a byte a character. */
const stringTerminator = '\u00c2\u009c';

type State = 'ground' | 'escape' | 'csi' | 'ss3' | 'string' | 'string-escape' | 'character' | 'mouse';

/** Frames what begins with ESC. */
export type SequenceReader = {
	/** An ESC was read; with an introducer it was a C1 control, which stands for ESC and that character. */
	readonly begin: (introducer?: string) => void;
	/** True from `begin` to the last byte of the sequence. */
	readonly active: () => boolean;
	/** Takes one byte of an active sequence; false for a byte that ended it and belongs to what follows. */
	readonly take: (byte: number) => boolean;
	/** Gives up waiting for the rest. */
	readonly flush: () => void;
	/** True while ESC alone was read, which may be the Escape key. */
	readonly isEscape: () => boolean;
	/** True while nothing stands behind an introducer, which may be its letter with Alt. */
	readonly isIntroducer: () => boolean;
};

/**
 * The state machine behind the tokenizer (after ECMA-48 and Williams's DEC parser): it finds the ends of sequences, pure
 * functions read them. Gives tokens to `emit` and calls `beginPaste` behind `CSI 200 ~`.
 */
export function createSequenceReader(
	emit: (token: InputToken) => void,
	beginPaste: () => void,
	expectsReply: () => boolean,
): SequenceReader {
	let state: State = 'ground';
	/** What the sequence holds so far, without its introducer, a byte a character. */
	let body = '';
	let introducer = '';
	/** Two ESC stood before the sequence: the Escape key and a key, or the key with Alt. */
	let doubled = false;

	const enter = (next: State) => {
		state = next;
		body = '';
	};

	/** The first of two ESC was the Escape key. */
	const splitEscapes = () => {
		if (doubled) {
			emit(keyToken('escape'));
		}

		doubled = false;
	};

	/** Ends a sequence. Only a key can have Alt; before anything else the first of two ESC was the Escape key. */
	const finish = (token: InputToken | undefined) => {
		enter('ground');
		if (doubled && token?.type === 'key') {
			emit({...token, alt: true});
		} else {
			splitEscapes();
			if (token) {
				emit(token);
			}
		}

		doubled = false;
	};

	const append = (byte: number) => {
		if (body.length < sequenceLimit) {
			body += String.fromCharCode(byte);
		}
	};

	/** An introducer that introduced nothing is its letter with Alt; `body` was typed after it. */
	const finishIntroducer = (letter: string) => {
		const typed = body;
		splitEscapes();
		finish(keyOfAltCharacter(letter));
		if (typed) {
			emit(textToken(typed));
		}
	};

	/** Each step takes one byte, or gives false and leaves it to the state that it switched to. */
	const steps: Readonly<Record<Exclude<State, 'ground'>, (byte: number) => boolean>> = {
		escape(byte) {
			const character = String.fromCharCode(byte);
			if (character === '[' || character === 'O') {
				enter(character === '[' ? 'csi' : 'ss3');
				return true;
			}

			// The first of two ESC stands for itself; of three the last two wait on.
			splitEscapes();
			doubled = byte === escapeByte;
			if (doubled) {
				return true;
			}

			if (stringIntroducers.includes(character)) {
				enter('string');
				introducer = character;
			} else if (byte < 0x20 || byte === 0x7f) {
				finish(keyOfControl(byte, true));
			} else if (byte < 0x7f) {
				finish(keyOfAltCharacter(character));
			} else if (continuationsOf(byte) > 0) {
				enter('character');
				append(byte);
			} else {
				finish(keyToken('escape'));
				return false;
			}

			return true;
		},
		csi(byte) {
			if (byte < 0x20 || byte > 0x7e) {
				finish(undefined);
				return false;
			}

			append(byte);
			if (body === 'M') {
				enter('mouse');
			} else if (body === '200~') {
				finish(undefined);
				beginPaste();
			} else if (body !== '[' && (byte >= 0x40 || /^(?:[2-8]|1\d|2[0-4])\$$/.test(body))) {
				finish(body.length < sequenceLimit ? parseCsi(body, expectsReply()) : undefined);
			}

			return true;
		},
		ss3(byte) {
			if (byte >= 0x30 && byte <= 0x39 && body.length < 2) {
				append(byte);
				return true;
			}

			if ((byte >= 0x40 && byte <= 0x7e) || byte === 0x20) {
				finish(parseSs3(body + String.fromCharCode(byte)));
				return true;
			}

			finishIntroducer('O');
			return false;
		},
		string(byte) {
			if (byte === escapeByte) {
				state = 'string-escape';
			} else if (byte === 0x07) {
				finish(introducer === ']' && body.length < sequenceLimit ? parseOsc(body) : undefined);
			} else if (byte < 0x20) {
				// CAN and SUB end a string by the standard. Other controls are keys of a user whose terminal never ended it.
				finish(undefined);
				return byte === 0x18 || byte === 0x1a;
			} else {
				append(byte);
				if (body.endsWith(stringTerminator)) {
					body = body.slice(0, -stringTerminator.length);
					finish(introducer === ']' && body.length < sequenceLimit ? parseOsc(body) : undefined);
				}
			}

			return true;
		},
		'string-escape'(byte) {
			if (byte === 0x5c) {
				finish(introducer === ']' && body.length < sequenceLimit ? parseOsc(body) : undefined);
				return true;
			}

			enter('escape');
			return false;
		},
		character(byte) {
			const expected = continuationsOf(body.charCodeAt(0)) + 1;
			if (byte < 0x80 || byte > 0xbf) {
				finish(undefined);
				return false;
			}

			append(byte);
			if (body.length === expected) {
				const character = Buffer.from(body, 'latin1').toString('utf8');
				finish(/^[^\ufffd\p{Cc}]$/u.test(character) ? keyOfAltCharacter(character) : undefined);
			}

			return true;
		},
		mouse(byte) {
			if (byte < 0x20) {
				finish(undefined);
				return false;
			}

			append(byte);
			if (body.length === 3) {
				const [button = 0, column = 0, row = 0] = [...body].map(character => character.charCodeAt(0) - 32);
				finish(mouseToken(button, column, row, false));
			}

			return true;
		},
	};

	return {
		begin(introduced) {
			enter('escape');
			if (introduced !== undefined) {
				steps.escape(introduced.charCodeAt(0));
			}
		},
		active: () => state !== 'ground',
		take: byte => state === 'ground' || steps[state](byte),
		flush() {
			if (state === 'escape') {
				splitEscapes();
				finish(keyToken('escape'));
			} else if (body === '' && (state === 'csi' || state === 'ss3' || state === 'string')) {
				finishIntroducer(state === 'csi' ? '[' : state === 'ss3' ? 'O' : introducer);
			} else if (state !== 'ground') {
				finish(state === 'string-escape' ? keyToken('escape') : undefined);
			}
		},
		isEscape: () => state === 'escape',
		isIntroducer: () => state !== 'ground' && body === '',
	};
}
