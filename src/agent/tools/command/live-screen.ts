import type {RedrawnOutput} from '../../../core/output/recorded-output.ts';
import {hideStyled, recordedStyles, type StyledText, type StyleRange} from '../../../core/output/text-styles.ts';
import {redactKnownLines} from '../../../core/secrets/redact.ts';
import {hideValues} from '../../../core/secrets/value-mask.ts';
import {plain, type SpanStyle} from '../../../terminal/text/sgr.ts';
import {shownLength} from './line-mask.ts';
import {
	copyScreen,
	createLineScreen,
	cutRow,
	isAtEnd,
	joinRows,
	type LineScreen,
	maxKept,
	movesCursor,
	onlyAdds,
	rowsOn,
	trimScreen,
	writeOn,
} from './line-screen.ts';
import {plainOutput} from './styled-output.ts';

/** How a piece is drawn: its styles, and what it is drawn over if it isn't just added. */
type Drawn = readonly [styles: readonly StyleRange[], redrawn?: RedrawnOutput];

/** Most characters of a line that isn't complete. */
const maxOpen = 500;

const nothing: StyledText = {text: '', styles: []};

/** What is written, and what programs get of it. */
type Piece = {
	readonly text: StyledText;
	/** Limits what is drawn; `text` is limited already. */
	readonly cut: (output: StyledText) => StyledText;
	/** True if the beginning of `text` was left out. */
	readonly isCut: boolean;
	/** The style in effect behind it. */
	readonly styleAfter: SpanStyle;
	/** The beginning of the next line, which is drawn too, up to what may be the beginning of a credential. */
	readonly open: string;
};

/** Output that only adds rows, which are drawn as they are. */
type Added = {readonly raw: string; readonly style: SpanStyle; readonly lines: number};

/** Which rows a user saw last of an output, so that only those that changed are drawn, over the old ones. */
type Seen = {
	screen: LineScreen;
	/** What was written after that: its rows are needed once something is written over them. */
	added: readonly Added[];
	/** The number of the first row that can be drawn again, and how it and those after it were drawn. */
	first: number;
	drawn: readonly string[];
	/** True if every row was drawn, and what comes next begins another. */
	isDrawn: boolean;
};

/**
 * Creates what draws only the rows of an output that changed. Hides credentials of known kinds and these values (SAFETY 8).
 * Output that only adds rows costs next to nothing.
 */
export function createLiveScreen(secrets: readonly string[]) {
	const seen: Seen = {screen: createLineScreen(), added: [], first: 0, drawn: [], isDrawn: true};
	return {
		/** Begins after something that was left out. */
		skip: () => forget(seen, plain),
		/** Writes output for which there is no piece. */
		write(raw: string): void {
			writeAdded(seen, secrets);
			writeOn(seen.screen, raw);
			seen.isDrawn = false;
		},
		/** Writes output, in `style` at its beginning, and returns how its piece is drawn. */
		draw(raw: string, style: SpanStyle, piece: Piece): Drawn {
			if (!seen.isDrawn || !raw.endsWith('\n') || !onlyAdds(raw)) {
				writeAdded(seen, secrets);
				writeOn(seen.screen, raw);
				return drawChanged(seen, piece, secrets);
			}

			add(seen, {raw, style, lines: raw.split('\n').length - 1});
			if (piece.isCut) {
				forget(seen, piece.styleAfter);
			}

			return [piece.text.styles];
		},
		/** Returns how the beginning of the next line is drawn while its rest is missing; undefined if nothing is new. */
		drawOpen(open: string): Drawn | undefined {
			writeAdded(seen, secrets);
			const piece = {text: nothing, cut: (output: StyledText) => output, isCut: false, styleAfter: plain, open};
			const [styles, redrawn] = drawChanged(seen, piece, secrets);
			return redrawn?.over || redrawn?.shown ? [styles, redrawn] : undefined;
		},
	};
}

function forget(seen: Seen, style: SpanStyle): void {
	seen.screen = createLineScreen(style);
	seen.added = [];
	seen.first = 0;
	seen.drawn = [];
}

/** Keeps what was written last, as many rows as can be drawn again. */
function add(seen: Seen, one: Added): void {
	const [oldest, ...others] = [...seen.added, one];
	const isEnough = others.reduce((sum, {lines}) => sum + lines, 0) >= maxKept;
	if (isEnough) {
		forget(seen, others[0]?.style ?? plain);
	}

	seen.added = isEnough || !oldest ? others : [oldest, ...others];
}

function writeAdded(seen: Seen, secrets: readonly string[]): void {
	if (seen.added.length > 0) {
		const {screen} = seen;
		writeOn(screen, seen.added.map(({raw}) => raw).join(''));
		trimScreen(screen);
		seen.added = [];
		seen.first = screen.first;
		seen.drawn = keysOf(maskedRows(rowsOn(screen), secrets));
	}
}

function drawChanged(seen: Seen, {text: piece, cut, open}: Piece, secrets: readonly string[]): Drawn {
	const {screen} = seen;
	const shown = withOpen(screen, open, secrets);
	const rows = maskedRows(rowsOn(shown), secrets);
	const from = Math.max(seen.first, shown.first);
	const old = seen.drawn.slice(from - seen.first);
	const now = keysOf(rows).slice(from - shown.first);
	const same = countSame(old, now);
	const changed = rows.slice(rows.length - now.length + same);
	const output = cut(joinRows(changed));
	const text = changed.length > 0 ? `${output.text}\n` : '';
	const lines = changed.length > 0 ? output.text.split('\n').length : 0;
	const isWhole = lines === changed.length;
	seen.drawn = isWhole ? now : now.slice(now.length - lines);
	seen.first = isWhole ? from : from + now.length - lines;
	seen.isDrawn = shown === screen && isAtEnd(screen);
	trimScreen(screen);

	const over = old.length - same;
	const isOther = text !== (piece === nothing ? '' : `${piece.text}\n`);
	const redrawn = {...(over > 0 && {over}), ...(isOther && {shown: text})};
	return over > 0 || isOther ? [output.styles, redrawn] : [output.styles];
}

/** Returns the screen with the beginning of the next line behind it, as far as it can be shown; itself if it can't. */
function withOpen(screen: LineScreen, open: string, secrets: readonly string[]): LineScreen {
	if (open === '' || open.length > maxOpen || movesCursor(open) || /\u001B[^\u0007A-Za-z~]*$/.test(open)) {
		return screen;
	}

	const text = plainOutput(open);
	const length = shownLength(text, secrets);
	if (length === 0) {
		return screen;
	}

	const copy = copyScreen(screen);
	writeOn(copy, open);
	cutRow(copy, [...text.slice(0, length)].length);
	return copy;
}

function maskedRows(rows: readonly StyledText[], secrets: readonly string[]): readonly StyledText[] {
	const safe = redactKnownLines(rows.map(({text}) => text));
	const hidden = hideValues(safe.join('\n'), secrets).split('\n');
	return rows.map((row, index) => hideStyled(row, () => hidden[index] ?? ''));
}

function keysOf(rows: readonly StyledText[]): readonly string[] {
	return rows.map(({text, styles}) => `${text}\0${recordedStyles(styles).styles ?? ''}`);
}

function countSame(one: readonly string[], other: readonly string[]): number {
	let count = 0;
	while (count < one.length && one[count] === other[count]) {
		count++;
	}

	return count;
}
