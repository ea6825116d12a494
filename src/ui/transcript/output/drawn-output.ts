import type {RecordedOutput} from '../../../core/output/recorded-output.ts';
import {readStyles, sliceStyled} from '../../../core/output/text-styles.ts';
import {withStyles} from '../../../terminal/text/sgr.ts';

/** Returns an output from `from` on with its styles as SGR sequences. Each line ends without one. */
export function drawnOutput({output, styles}: RecordedOutput, from = 0): string {
	return styles === undefined
		? output.slice(from)
		: withStyles(sliceStyled({text: output, styles: readStyles(styles)}, from));
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

	return drawnOutput({output: output.slice(0, end), styles}, from + 1);
}
