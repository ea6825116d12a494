/** What may become an answer of the terminal behind an ESC, and what is a whole one (xterm, ctlseqs: DA, DSR, DECRPM). */
const beginning = /^\[(?:[?>][\d;]*(?:\$y?|[cnuR])?|\d[\d;]*R?)?$/;
const whole = /^\[(?:[?>][\d;]*(?:\$y|[cnuR])|[\d;]+R)$/;

/** The rest of an answer whose ESC came so long before that it was taken for the Escape key. */
export type LateReply = {
	/** An ESC was taken for the Escape key: what comes next may belong to it. */
	readonly begin: () => void;
	/** True as long as that may be. */
	readonly active: () => boolean;
	/** True once something of it was read. */
	readonly isBegun: () => boolean;
	/**
	 * Takes one byte of an active one. `more`: it may still become an answer. A text: it is none, and this was typed before
	 * the byte, which is still to be read. A body: it is a whole CSI sequence, without its introducer.
	 */
	readonly take: (byte: number) => 'more' | {readonly typed: string} | {readonly body: string};
	/** Gives up waiting; returns what was typed. */
	readonly end: () => string;
};

export function createLateReply(): LateReply {
	let text: string | undefined;

	const end = () => {
		const typed = text ?? '';
		text = undefined;
		return typed;
	};

	return {
		begin() {
			text = '';
		},
		active: () => text !== undefined,
		isBegun: () => Boolean(text),
		take(byte) {
			const next = (text ?? '') + String.fromCharCode(byte);
			if (!beginning.test(next)) {
				return {typed: end()};
			}

			text = next;
			return whole.test(next) ? {body: end().slice(1)} : 'more';
		},
		end,
	};
}
