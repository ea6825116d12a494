import type {MarkdownStream} from '../../terminal/markdown/markdown-stream.ts';
import {spacedAfter, type Written} from '../screen/written.ts';

/** A block of text that may still grow. */
type TextBlock = {readonly id: string; readonly text: string};

type Dependencies = {
	readonly written: Written;
	/** The line that says who speaks, if any. */
	readonly speaker: readonly string[];
	/** Creates a Markdown stream for the current size of the window. */
	readonly createStream: () => MarkdownStream;
	/** Returns the current size of the window, for a stream that is already open. */
	readonly size: () => Parameters<MarkdownStream['resize']>[0];
};

/** The text that is still growing; at most one. Its finished lines are written once, the others are drawn again. */
export type OpenText = {
	/** Draws the text so far. Returns the lines finished since the last call, and those that may still change. */
	readonly grow: (block: TextBlock) => {readonly settled: readonly string[]; readonly live: readonly string[]};
	/** Returns the lines of a completed text that aren't written yet; undefined if it didn't grow here. */
	readonly end: (block: TextBlock) => readonly string[] | undefined;
	/** Notes that something else was written below its lines. */
	readonly cut: () => void;
	/** Draws its unwritten lines at the current size of the window. */
	readonly resize: () => void;
	/** Starts over: draws the text from its beginning next time. */
	readonly forget: () => void;
};

/** `isBegun` once lines of it were written; `isCut` while something else stands below them. */
type OpenBlock = {
	readonly id: string;
	readonly stream: MarkdownStream;
	readonly speaker: readonly string[];
	isBegun: boolean;
	isCut: boolean;
};

export function createOpenText({written, speaker, createStream, size}: Dependencies): OpenText {
	let open: OpenBlock | undefined;

	return {
		grow(block) {
			open ??= {id: block.id, stream: createStream(), isBegun: false, isCut: false, speaker};
			const {settled, live} = open.stream.push(block.text);
			const lines = separated(open, settled, written);
			if (lines.length > 0) {
				open.isBegun = true;
				open.isCut = false;
			}

			if (open.isBegun) {
				written.last = 'text';
			}

			return {settled: lines, live: separated(open, live, written)};
		},
		end(block) {
			if (open?.id !== block.id) {
				return undefined;
			}

			const lines = separated(open, open.stream.end(block.text), written);
			open = undefined;
			written.last = 'text';
			return lines;
		},
		cut() {
			if (open) {
				open.isCut = true;
			}
		},
		resize() {
			open?.stream.resize(size());
		},
		forget() {
			open = undefined;
		},
	};
}

/** Returns lines of the text below the blank line that separates them from what is above, if any is needed. */
function separated(open: OpenBlock, lines: readonly string[], {last}: Written): readonly string[] {
	if (!open.isBegun) {
		return spacedAfter(last, 'text', lines.length > 0 ? [...open.speaker, ...lines] : lines);
	}

	return open.isCut && lines.length > 0 && lines[0] !== '' ? ['', ...lines] : lines;
}
