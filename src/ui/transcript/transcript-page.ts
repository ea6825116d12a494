import type {Transcript} from '../../core/session/transcript.ts';
import type {Size} from '../../store/view-slice.ts';
import {callAt, isShown} from './block-text.ts';
import {joinReads, type Shown} from './read-group.ts';
import {highlightFound} from './transcript-find.ts';
import {createTranscriptLines, type TranscriptDrawing} from './transcript-lines.ts';
import {createTranscriptReading, type TranscriptReading} from './transcript-reading.ts';

type Dependencies = TranscriptDrawing & {
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

export function createTranscriptPage({transcript, palette, renderMarkdown, at}: Dependencies): TranscriptPage {
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
