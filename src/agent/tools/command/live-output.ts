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
/** How long the rest of a line may take before its beginning is shown, such as that of a question. */
const openDelayMs = 300;

type Options = {
	/** Gets a piece: its text for programs, and how the screen draws it if lines before it were written over. */
	readonly onOutput: (text: string, styles: readonly StyleRange[], redrawn?: RedrawnOutput) => void;
	/** Values to hide besides credentials of known kinds. */
	readonly secrets: readonly string[];
	readonly now?: () => number;
};

/** Creates what shows pieces, and counts their characters. */
function createPieces({onOutput, secrets, now = performance.now.bind(performance)}: Options) {
	let total = 0;
	let shownAt = Number.NEGATIVE_INFINITY;
	/** The style in effect before the next piece. */
	let style = plain;
	const hide = createLineMask(secrets);
	const screen = createLiveScreen(secrets);
	return {
		isFull: () => total >= maxTotal,
		/** True if a piece may be shown now. */
		isDue: () => total < maxTotal || now() - shownAt >= lastLineIntervalMs,
		/** Begins after something that was left out. */
		skip(): void {
			style = plain;
			screen.skip();
		},
		write: screen.write,
		/** Shows lines, of which the last one ended with `end`, and the beginning of the next one. */
		show(text: string, end = '', open = ''): void {
			const [before, output] = [style, styledOutput(text, style)];
			style = output.style;
			const safe = hideStyled(output, hide);
			const cut = total >= maxTotal ? lastLineOf : endOf;
			const piece = cut(safe);
			total += piece.text.length + 1;
			shownAt = now();
			const drawing = {text: piece, cut, isCut: piece.text.length < safe.text.length, open, styleAfter: style};
			onOutput(`${piece.text}\n`, ...screen.draw(text + end, before, drawing));
		},
		/** Shows the beginning of the next line on the screen alone: programs read the line once it is complete. */
		showOpen(line: string): void {
			const drawn = screen.drawOpen(line);
			if (drawn) {
				const [styles, redrawn] = drawn;
				total += redrawn?.shown?.length ?? 0;
				onOutput('', styles, redrawn);
			}
		},
	};
}

/**
 * Shows output while a command runs, in few and small pieces of whole lines, without credentials (SAFETY 8). The screen also
 * gets the beginning of a line whose rest takes a while; `text` is empty then.
 */
export function createLiveOutput(options: Options) {
	let waiting = '';
	let timer: NodeJS.Timeout | undefined;
	let hasEnded = false;
	const pieces = createPieces(options);
	const open = createOpenLine(line => {
		if (!pieces.isFull() && !/[\n\r]/.test(line)) {
			pieces.showOpen(line);
		}
	});

	const flush = () => {
		timer = undefined;
		if (!pieces.isDue()) {
			return;
		}

		const {text, end, rest} = splitWhole(waiting);
		waiting = rest;
		if (text) {
			const begun = end === '\r' ? rest : '';
			pieces.show(text, end, begun);
			open.isShown(begun);
		} else if (end) {
			pieces.write(end);
		}

		open.awaitRest(() => waiting);
	};

	return {
		add(text: string): void {
			if (hasEnded) {
				return;
			}

			waiting += text;
			if (waiting.length > maxWaiting) {
				waiting = lastLinesOf(waiting);
				pieces.skip();
			}

			timer ??= setTimeout(flush, intervalMs);
		},
		/** Shows what waits. Nothing is shown after that. */
		end(): void {
			hasEnded = true;
			clearTimeout(timer);
			open.end();
			if (waiting && !pieces.isFull()) {
				pieces.show(waiting);
			}

			waiting = '';
		},
	};
}

/** Creates what draws the beginning of a line, once its rest takes a while. */
function createOpenLine(draw: (line: string) => void) {
	let timer: NodeJS.Timeout | undefined;
	let shown = '';
	return {
		/** Remembers what was drawn of the next line. */
		isShown(line: string): void {
			shown = line;
		},
		/** Draws what there is of a line in a while, if it was not drawn yet. */
		awaitRest(read: () => string): void {
			timer ??= setTimeout(() => {
				timer = undefined;
				const line = read();
				if (line && line !== shown) {
					shown = line;
					draw(line);
				}
			}, openDelayMs);
		},
		end: () => clearTimeout(timer),
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
