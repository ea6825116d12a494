import type {MarkdownStream} from '../../terminal/markdown/markdown-stream.ts';
import type {Written} from '../screen/written.ts';

/** The text of a block so far, and the block's id. */
type TextBlock = {readonly id: string; readonly text: string};

type Dependencies = {
	readonly written: Written;
	/** Begins to draw a text at the present size of the window. */
	readonly createStream: () => MarkdownStream;
	/** The present size of the window, for a text that is drawn already. */
	readonly size: () => Parameters<MarkdownStream['resize']>[0];
};

/** The text that still grows: its finished lines are written once, the rest is drawn again. There is one at most. */
export type OpenText = {
	/** Draws the text as it is now. Lines that are finished since the last call, and those that may still change. */
	readonly grow: (block: TextBlock) => {readonly settled: readonly string[]; readonly live: readonly string[]};
	/** What is not written yet of a text that is whole now; undefined for one that did not grow here. */
	readonly end: (block: TextBlock) => readonly string[] | undefined;
	/** True once lines of it were written. */
	readonly isBegun: () => boolean;
	/** Something else was written below those lines. */
	readonly cut: () => void;
	/** What is not written of it yet is drawn at the present size of the window. */
	readonly resize: () => void;
	/** It is drawn from its beginning, as if nothing of it were written. */
	readonly forget: () => void;
};

export function createOpenText({written, createStream, size}: Dependencies): OpenText {
	let text: {readonly id: string; readonly stream: MarkdownStream; isBegun: boolean; isCut: boolean} | undefined;

	/** Lines of it, parted from what came before it or between. */
	const parted = ({isBegun, isCut}: NonNullable<typeof text>, lines: readonly string[]): readonly string[] => {
		if (!isBegun) {
			return written.spaced('text', lines);
		}

		return isCut && lines.length > 0 && lines[0] !== '' ? ['', ...lines] : lines;
	};

	return {
		grow(block) {
			text ??= {id: block.id, stream: createStream(), isBegun: false, isCut: false};
			const grown = text.stream.push(block.text);
			const settled = parted(text, grown.settled);
			if (settled.length > 0) {
				text.isBegun = true;
				text.isCut = false;
			}

			return {settled, live: parted(text, grown.live)};
		},
		end(block) {
			if (text?.id !== block.id) {
				return undefined;
			}

			const lines = parted(text, text.stream.end(block.text));
			text = undefined;
			written.last = 'text';
			return lines;
		},
		isBegun: () => text?.isBegun ?? false,
		cut() {
			if (text) {
				text.isCut = true;
			}
		},
		resize() {
			text?.stream.resize(size());
		},
		forget() {
			text = undefined;
		},
	};
}
