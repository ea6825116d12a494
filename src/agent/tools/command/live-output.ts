import type {RedrawnOutput} from '../../../core/output/recorded-output.ts';
import {hideStyled, type StyledText, type StyleRange, sliceStyled} from '../../../core/output/text-styles.ts';
import {plain} from '../../../terminal/text/sgr.ts';
import {createLineMask} from './line-mask.ts';
import {createLiveScreen} from './live-screen.ts';
import {styledOutput} from './styled-output.ts';

/** Time between two pieces: about ten a second. */
const intervalMs = 100;
/** Most characters of a piece; of more only the last ones are shown. */
const maxPiece = 4000;
/** Most characters that wait: those before a piece tell what of a credential begins it. */
const maxWaiting = 2 * maxPiece;
/** Most characters of all pieces: they are kept in the journal. After that only the last line is shown, now and then. */
const maxTotal = 64_000;
const maxLastLine = 200;
const lastLineIntervalMs = 2000;

type Options = {
	/** Gets a piece: its text for programs, and how the screen draws it if lines before it were written over. */
	readonly onOutput: (text: string, styles: readonly StyleRange[], redrawn?: RedrawnOutput) => void;
	/** Values to hide besides credentials of known kinds. */
	readonly secrets: readonly string[];
	readonly now?: () => number;
};

/** Shows output while a command runs, in few and small pieces of whole lines, without credentials (SAFETY 8). */
export function createLiveOutput({onOutput, secrets, now = performance.now.bind(performance)}: Options) {
	let waiting = '';
	let total = 0;
	let shownAt = Number.NEGATIVE_INFINITY;
	let timer: NodeJS.Timeout | undefined;
	/** The style in effect before `waiting`. */
	let style = plain;
	const hide = createLineMask(secrets);
	const screen = createLiveScreen(secrets);

	const show = (text: string, end = '', open = '') => {
		const [before, output] = [style, styledOutput(text, style)];
		style = output.style;
		const safe = hideStyled(output, hide);
		const cut = total >= maxTotal ? lastLineOf : endOf;
		const piece = cut(safe);
		total += piece.text.length + 1;
		shownAt = now();
		const drawing = {text: piece, cut, isCut: piece.text.length < safe.text.length, open, styleAfter: style};
		onOutput(`${piece.text}\n`, ...screen.draw(text + end, before, drawing));
	};

	const flush = () => {
		timer = undefined;
		if (total >= maxTotal && now() - shownAt < lastLineIntervalMs) {
			return;
		}

		const {text, end, rest} = splitWhole(waiting);
		waiting = rest;
		if (text) {
			show(text, end, end === '\r' ? rest : '');
		} else if (end) {
			screen.write(end);
		}
	};

	return {
		add(text: string): void {
			waiting += text;
			if (waiting.length > maxWaiting) {
				waiting = lastLinesOf(waiting);
				style = plain;
				screen.skip();
			}

			timer ??= setTimeout(flush, intervalMs);
		},
		/** Shows what waits. Nothing is shown after that. */
		end(): void {
			clearTimeout(timer);
			if (waiting && total < maxTotal) {
				show(waiting);
			}

			waiting = '';
		},
	};
}

/** Returns the end of what waits, in whole lines if it has some. */
function lastLinesOf(waiting: string): string {
	const cut = waiting.slice(-maxWaiting);
	return cut.slice(cut.indexOf('\n') + 1);
}

/** Splits an output into whole lines, what ends the last one, LF or CR, and the rest. */
function splitWhole(output: string) {
	const at = Math.max(output.lastIndexOf('\n'), output.lastIndexOf('\r'));
	return {text: output.slice(0, Math.max(0, at)), end: at < 0 ? '' : output.charAt(at), rest: output.slice(at + 1)};
}

/** Returns the end of a long output, in whole lines if it has some. */
function endOf(output: StyledText): StyledText {
	const start = output.text.length - maxPiece;
	return start > 0 ? sliceStyled(output, output.text.indexOf('\n', start) + 1 || start) : output;
}

/** Returns the last line with text, cut if it is long. */
function lastLineOf(output: StyledText): StyledText {
	const end = output.text.replace(/\n+$/, '').length;
	const start = output.text.lastIndexOf('\n', end - 1) + 1;
	return sliceStyled(output, start, Math.min(end, start + maxLastLine));
}
