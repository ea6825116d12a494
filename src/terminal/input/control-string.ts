import type {InputToken} from './token.ts';

const slots: Readonly<Record<string, 'foreground' | 'background' | 'cursor'>> = {
	10: 'foreground',
	11: 'background',
	12: 'cursor',
};

/**
 * The token that a whole OSC string stands for (`body` is what stands between `ESC ]` and its end): the answer to a
 * question about a colour (xterm, ctlseqs: OSC 10, 11 and 12), undefined for anything else.
 */
export function parseOsc(body: string): InputToken | undefined {
	const [, slot = '', ...channels] = /^(1[012]);rgba?:([\da-f]{1,4})\/([\da-f]{1,4})\/([\da-f]{1,4})/i.exec(body) ?? [];
	const of = slots[slot];
	if (!of) {
		return undefined;
	}

	const [red = 0, green = 0, blue = 0] = channels.map(scaled);
	return {type: 'reply', reply: 'color', of, red, green, blue};
}

/** One to four hexadecimal digits are a fraction of the largest number that many digits can show (XParseColor). */
function scaled(digits: string): number {
	return Math.round((Number.parseInt(digits, 16) / (16 ** digits.length - 1)) * 255);
}
