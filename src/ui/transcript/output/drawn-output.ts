import type {RecordedOutput} from '../../../core/output/recorded-output.ts';
import {readStyles, sliceStyled} from '../../../core/output/text-styles.ts';
import {reset} from '../../../terminal/text/ansi.ts';

/** Returns an output from `from` on with its styles as SGR sequences, which `parseSgr` reads. Each line ends without one. */
export function withStyles({output, styles}: RecordedOutput, from = 0): string {
	if (styles === undefined) {
		return output.slice(from);
	}

	const pieces: string[] = [];
	const {text, styles: ranges} = sliceStyled({text: output, styles: readStyles(styles)}, from);
	let at = 0;
	for (const {start, end, codes} of ranges) {
		const part = text.slice(start, end).replaceAll('\n', `${reset}\n\u001B[${codes}m`);
		pieces.push(text.slice(at, start), `\u001B[${codes}m`, part, reset);
		at = end;
	}

	return pieces.join('') + text.slice(at);
}

/** Returns the last lines of an output with its styles, without line ends behind them. */
export function lastLines({output, styles}: RecordedOutput, count: number): string {
	let end = output.length;
	while (output[end - 1] === '\n') {
		end--;
	}

	let from = end;
	for (let line = 0; line < count && from >= 0; line++) {
		from = from === 0 ? -1 : output.lastIndexOf('\n', from - 1);
	}

	return withStyles({output: output.slice(0, end), styles}, from + 1);
}
