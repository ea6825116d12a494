import type {StyledText} from '../../core/output/text-styles.ts';
import {reset} from './ansi.ts';

/** Returns a text with its styles as SGR sequences, which `parseSgr` reads. Each line ends without one. */
export function withStyles({text, styles}: StyledText): string {
	const pieces: string[] = [];
	let at = 0;
	for (const {start, end, codes} of styles) {
		const part = text.slice(start, end).replaceAll('\n', `${reset}\n\u001B[${codes}m`);
		pieces.push(text.slice(at, start), `\u001B[${codes}m`, part, reset);
		at = end;
	}

	return pieces.join('') + text.slice(at);
}
