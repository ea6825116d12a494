import type {renderMarkdown} from '../../terminal/markdown/markdown.ts';
import type {Palette} from '../../terminal/text/style.ts';
import {detailLines} from './block-detail.ts';
import {blockLines} from './block-lines.ts';
import type {Shown} from './read-group.ts';

/** What the blocks are drawn with. */
export type TranscriptDrawing = {
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
export function createTranscriptLines({palette, renderMarkdown}: TranscriptDrawing): TranscriptLines {
	const drawn = new Map<number, Options & {readonly block: Shown; readonly lines: readonly string[]}>();
	let role = palette.dim;

	const draw = (block: Shown, {width, isOpen}: Options): readonly string[] => {
		const style = {width, palette};
		if (isOpen) {
			return detailLines(block, style);
		}

		return block.kind === 'text' ? renderMarkdown(block.text, style) : blockLines(block, style);
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
