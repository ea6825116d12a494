import type {Transcript} from '../../core/session/transcript.ts';
import type {Size} from '../../store/view-slice.ts';
import type {renderMarkdown} from '../../terminal/markdown/markdown.ts';
import {paintPieces, parsePieces} from '../../terminal/text/ansi.ts';
import {answerMark} from '../../terminal/text/signs.ts';
import type {Palette} from '../../terminal/text/style.ts';
import {detailLines} from './block-detail.ts';
import {blockLines} from './block-lines.ts';
import {callAt, isShown, searchable} from './block-text.ts';
import {joinReads, type Shown} from './read-group.ts';

/** What a page shows, and what that is drawn with. */
export type PageContent = TranscriptDrawing & {
	/** The current transcript, which may grow while it is open. */
	readonly transcript: () => Transcript;
	/** Selects the tool call of this moment (ms since the epoch). By default the end is shown. */
	readonly at?: number | undefined;
};

/** The blocks of a transcript, the ones expanded in full, and the reading position. */
export type TranscriptPage = {
	readonly blocks: () => readonly Shown[];
	readonly reading: TranscriptReading;
	readonly size: () => Size;
	readonly resize: (size: Size) => void;
	/** Rows between the title and the bottom line. */
	readonly rows: () => number;
	/** Shows a block in full. */
	readonly expand: (index: number) => void;
	/** Expands a block, or collapses it again. */
	readonly toggle: (index: number) => void;
	/** Returns one line for each row, with matches of the search highlighted. */
	readonly draw: (searched: string) => readonly string[];
};

/** Cells of the bar before each line. */
const gutter = 2;
/** Rows of the title and the bottom line. */
const frame = 2;

export function createTranscriptPage({transcript, palette, renderMarkdown, at}: PageContent): TranscriptPage {
	const linesOf = createTranscriptLines({palette, renderMarkdown});
	const expanded = new Set<number>();
	let joined: (Pick<Transcript, 'settled' | 'open'> & {readonly blocks: readonly Shown[]}) | undefined;
	let size: Size = {columns: 80, rows: 24};

	const blocks = (): readonly Shown[] => {
		const {settled, open} = transcript();
		if (joined?.settled !== settled || joined.open !== open) {
			joined = {settled, open, blocks: joinReads([...settled, ...open].filter(isShown))};
		}

		return joined.blocks;
	};

	const linesAt = (all: readonly Shown[], index: number): readonly string[] => {
		const block = all[index];
		return block ? linesOf(block, index, {width: size.columns - gutter, isOpen: expanded.has(index)}) : [];
	};

	const rows = () => Math.max(1, size.rows - frame);
	const reading = createTranscriptReading({
		heights() {
			const all = blocks();
			return {count: all.length, of: index => linesAt(all, index).length};
		},
		rows,
		begin: at === undefined ? undefined : callAt(blocks(), at),
	});

	return {
		blocks,
		reading,
		size: () => size,
		resize(next) {
			size = next;
		},
		rows,
		expand: index => void expanded.add(index),
		toggle: index => void expanded[expanded.has(index) ? 'delete' : 'add'](index),
		draw(searched) {
			const all = blocks();
			const {top, chosen} = reading.place();
			const lines: string[] = [];
			for (let index = top.block; index < all.length && lines.length < rows(); index++) {
				const bar = index === chosen ? palette.accent('▌ ') : '  ';
				const shown = linesAt(all, index).slice(index === top.block ? top.line : 0);
				lines.push(
					...shown.map((line, row) =>
						row === shown.length - 1 && !line ? '' : bar + highlightFound(line, searched, palette),
					),
				);
			}

			return Array.from({length: rows()}, (_, row) => lines[row] ?? '');
		},
	};
}

/** What the blocks are drawn with. */
type TranscriptDrawing = {
	readonly palette: Palette;
	/** Loaded when the view first opens. */
	readonly renderMarkdown: typeof renderMarkdown;
};

type Options = {
	/** Cells of a line. */
	readonly width: number;
	/** True for the full block, with what the conversation leaves out. */
	readonly isOpen: boolean;
};

/** Returns the lines of the block at `index`, followed by a blank line. */
type TranscriptLines = (block: Shown, index: number, options: Options) => readonly string[];

/** Draws blocks on demand and caches the lines of each until the block or the colours change, for long transcripts. */
function createTranscriptLines({palette, renderMarkdown}: TranscriptDrawing): TranscriptLines {
	const drawn = new Map<number, Options & {readonly block: Shown; readonly lines: readonly string[]}>();
	let role = palette.dim;

	const draw = (block: Shown, {width, isOpen}: Options): readonly string[] => {
		const style = {width, palette};
		if (isOpen) {
			return detailLines(block, style);
		}

		return block.kind === 'text'
			? renderMarkdown(block.text, {...style, mark: answerMark(palette)})
			: blockLines(block, style);
	};

	return (block, index, options) => {
		if (palette.dim !== role) {
			role = palette.dim;
			drawn.clear();
		}

		const known = drawn.get(index);
		if (known?.block === block && known.width === options.width && known.isOpen === options.isOpen) {
			return known.lines;
		}

		const own = draw(block, options);
		const lines = [...own.slice(own.findIndex(line => line !== '')), ''];
		drawn.set(index, {...options, block, lines});
		return lines;
	};
}

type ReadingWindow = {
	/** The current blocks; more may arrive. */
	readonly heights: () => Heights;
	/** Rows of the window for the blocks. */
	readonly rows: () => number;
	/** The block to start at. By default the end is followed. */
	readonly begin?: number | undefined;
};

/** The reading position in a growing transcript: it follows the end, or stays where it is. */
type TranscriptReading = {
	/** Returns the first line on the screen and the index of the chosen block. */
	readonly place: () => {readonly top: Position; readonly chosen: number};
	readonly isFollowing: () => boolean;
	/** Chooses a block and shows it. The index is limited to the blocks there are. */
	readonly choose: (index: number) => void;
	/** Scrolls by lines, down or up, and chooses the block at the top. */
	readonly scroll: (lines: number) => void;
};

function createTranscriptReading({heights, rows, begin}: ReadingWindow): TranscriptReading {
	/** Undefined while it follows the end. */
	let place = begin === undefined ? undefined : {top: {block: begin, line: 0}, chosen: begin};

	const placeIn = (all: Heights) => {
		const end = lastPosition(rows(), all);
		const last = all.count - 1;
		return place
			? {top: isBelow(place.top, end) ? end : place.top, chosen: Math.min(place.chosen, last)}
			: {top: end, chosen: last};
	};

	return {
		place: () => placeIn(heights()),
		isFollowing: () => place === undefined,
		choose(index) {
			const all = heights();
			const chosen = Math.max(0, Math.min(index, all.count - 1));
			place = chosen >= all.count - 1 ? undefined : {top: reveal(placeIn(all).top, chosen, rows(), all), chosen};
		},
		scroll(lines) {
			const all = heights();
			const top = moveBy(placeIn(all).top, lines, all);
			place = isBelow(lastPosition(rows(), all), top) ? {top, chosen: top.block} : undefined;
		},
	};
}

/** The first line on the screen: its block, and its line in that block, from 0. */
type Position = {readonly block: number; readonly line: number};

/** The number of blocks, and the lines of each, drawn on demand. */
export type Heights = {readonly count: number; readonly of: (block: number) => number};

/** Moves a position by lines, down or up, and stops at both ends. Only the blocks on the way are drawn. */
export function moveBy({block, line}: Position, lines: number, {count, of}: Heights): Position {
	let left = lines;
	let at = {block, line};
	while (left > 0) {
		const rest = of(at.block) - 1 - at.line;
		if (left <= rest || at.block === count - 1) {
			return {block: at.block, line: at.line + Math.min(left, Math.max(0, rest))};
		}

		left -= rest + 1;
		at = {block: at.block + 1, line: 0};
	}

	while (left < 0) {
		if (-left <= at.line || at.block === 0) {
			return {block: at.block, line: Math.max(0, at.line + left)};
		}

		left += at.line + 1;
		at = {block: at.block - 1, line: of(at.block - 1) - 1};
	}

	return at;
}

/** Returns the last position that fills the window; the first one if everything fits. */
export function lastPosition(rows: number, heights: Heights): Position {
	const last = heights.count - 1;
	return last < 0 ? {block: 0, line: 0} : moveBy({block: last, line: heights.of(last) - 1}, 1 - rows, heights);
}

/** Returns true if `left` is further down than `right`. */
export function isBelow(left: Position, right: Position): boolean {
	return left.block > right.block || (left.block === right.block && left.line > right.line);
}

/** Returns the position that shows a block: unchanged if it is visible already, else its beginning. */
export function reveal(top: Position, block: number, rows: number, heights: Heights): Position {
	if (block < top.block || (block === top.block && top.line > 0)) {
		return {block, line: 0};
	}

	const bottom = moveBy(top, rows - 1, heights);
	const end = {block, line: heights.of(block) - 1};
	if (!isBelow(end, bottom)) {
		return top;
	}

	const fits = heights.of(block) <= rows;
	return fits ? moveBy(end, 1 - rows, heights) : {block, line: 0};
}

/** A block that contains the text, and its place among all matches, from 1. */
type FoundBlock = {readonly index: number; readonly place: number; readonly count: number};

/** Returns the next block that contains the text, up (-1) or down from `chosen`, wrapping around; undefined for none. */
export function findBlock(
	blocks: readonly Shown[],
	text: string,
	chosen: number,
	direction: 1 | -1,
): FoundBlock | undefined {
	const wanted = text.toLowerCase();
	const all = [...blocks.keys()].filter(index => searchable(blocks[index]).includes(wanted));
	const next =
		direction === 1
			? (all.find(index => index > chosen) ?? all[0])
			: (all.findLast(index => index < chosen) ?? all.at(-1));
	return next === undefined ? undefined : {index: next, place: all.indexOf(next) + 1, count: all.length};
}

/** Returns the line with the matches marked; unchanged without colour. */
export function highlightFound(line: string, text: string, {color, found}: Palette): string {
	const wanted = text.toLowerCase();
	if (!color || wanted === '') {
		return line;
	}

	const pieces = parsePieces(line);
	const plain = pieces
		.map(piece => piece.text)
		.join('')
		.toLowerCase();
	const ranges: (readonly [number, number])[] = [];
	for (let at = plain.indexOf(wanted); at !== -1; at = plain.indexOf(wanted, at + wanted.length)) {
		ranges.push([at, at + wanted.length]);
	}

	let offset = 0;
	const parts = pieces.flatMap(piece => {
		const start = offset;
		offset += piece.text.length;
		const edges = ranges.flat().map(edge => Math.max(0, Math.min(piece.text.length, edge - start)));
		const cuts = [...new Set([0, ...edges, piece.text.length])].sort((one, other) => one - other);
		return cuts.slice(1).map((end, index) => {
			const from = cuts[index] ?? 0;
			const isFound = ranges.some(([first, last]) => first <= start + from && start + end <= last);
			const part = paintPieces([{...piece, text: piece.text.slice(from, end)}]);
			return isFound ? found(part) : part;
		});
	});
	return parts.join('');
}
