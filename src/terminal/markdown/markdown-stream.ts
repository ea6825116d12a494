import {formatNumber} from '../../core/format.ts';
import {safeText} from '../text/safe-text.ts';
import {truncate} from '../text/width.ts';
import {beginOf, renderBlocks} from './markdown-blocks.ts';
import {lexBlocks} from './markdown-lexer.ts';
import {type MarkdownOptions, noReferences} from './markdown-options.ts';
import {
	addLines,
	createWorkLimit,
	lexFrom,
	nothingRead,
	settle,
	settleParagraph,
	type Unsettled,
	type WorkLimit,
} from './markdown-settle.ts';

type MarkdownStreamOptions = MarkdownOptions & {
	/** Most lines of the open block that are drawn, 1 at least; a line counts those above them. */
	readonly maxLive: number;
};

export type MarkdownStream = {
	/**
	 * Reads the whole text so far. Returns the lines that were finished since the last call, to be written once and never
	 * again, and the last ones of those that may still change. All calls together cost linear time.
	 */
	readonly push: (text: string) => {readonly settled: readonly string[]; readonly live: readonly string[]};
	/** Draws what is not settled for a window of another size. */
	readonly resize: (size: Pick<MarkdownStreamOptions, 'width' | 'maxLive'>) => void;
	/** Reads the whole text, which is complete now, and returns all lines that are not settled. */
	readonly end: (text: string) => readonly string[];
};

/** UTF-16 units at the end of a long source that are drawn while it grows. */
const tailLength = 1000;

const noLines: readonly string[] = [];

/**
 * Draws Markdown that still grows. All lines that it settles, put together, are what `renderMarkdown` draws of the whole.
 *
 * Only complete lines decide what settles: half a line may be read as another block than the whole one. A block is
 * finished when another one began after it, or when a blank line ends it; an item when the next one began, a line of a
 * fence when it ended. Of a long paragraph the lines settle that no later word can change.
 */
export function createMarkdownStream(options: MarkdownStreamOptions): MarkdownStream {
	// An open fence reads the width from it, so that a resize changes this object.
	const style = {...options, references: noReferences()};
	const work = createWorkLimit();
	let state: Unsettled = {...nothingRead, continued: beginOf(options)};
	/** UTF-16 units of the text that were read into `state`, and those up to which no other line ends. */
	let taken = 0;
	let searched = 0;

	/** Reads the lines that are complete now, and returns the lines that settle. */
	const readLines = (text: string): readonly string[] => {
		work.earn(text.length - searched);
		const end = text.slice(searched).lastIndexOf('\n') + 1 + searched;
		if (end <= searched) {
			searched = Math.max(taken, text.length);
			return noLines;
		}

		const {lines, rest} = settle(addLines(state, safeText(text.slice(taken, end))), style, work);
		state = rest;
		taken = end;
		searched = text.length;
		return lines;
	};

	return {
		resize(size) {
			Object.assign(style, size);
		},

		push(text) {
			const lines = readLines(text);
			// Half a character, or half a line break, is drawn with its other half.
			const partial = text.slice(taken).replace(/[\r\uD800-\uDBFF]$/, '');
			const drawn = drawLive(state, partial, style, work);
			state = drawn.rest;
			taken += drawn.taken;
			return {settled: drawn.lines.length > 0 ? [...lines, ...drawn.lines] : lines, live: drawn.live};
		},

		end(text) {
			const lines = readLines(text);
			return [...lines, ...drawEnd(state, safeText(text.slice(taken)), style)];
		},
	};
}

type Live = {
	/** The last lines of those that may still change. */
	readonly live: readonly string[];
	/** Lines that settled although their line of source is not complete. */
	readonly lines: readonly string[];
	readonly rest: Unsettled;
	/** Units of the line that is not complete which settled. */
	readonly taken: number;
};

/** Draws what is not settled, and `partial`, the line that is not complete. Settles lines of a paragraph that gets long. */
function drawLive(state: Unsettled, partial: string, style: MarkdownStreamOptions, work: WorkLimit): Live {
	const tail = safeText(partial);
	if (state.fence) {
		const mayClose = /^ {0,3}[`~]*$/.test(tail);
		return unchanged(state, lastLines(mayClose ? noLines : state.fence.peekLine(tail), 0, style));
	}

	const source = state.source + tail;
	const peek = {...style, references: {...style.references}};
	if (!work.allows(source.length, 8)) {
		const {drawn, above} = renderEnd(source, state.lineCount, peek);
		return unchanged(state, lastLines(drawn, above, style));
	}

	const tokens = lexFrom(state, source);
	const drawn = renderBlocks(tokens, peek, state.begun, state.continued);
	const [first, second] = tokens.filter(token => token.type !== 'space');
	if (drawn.length <= style.maxLive || first?.type !== 'paragraph' || second) {
		return unchanged(state, lastLines(drawn, 0, style));
	}

	const {cut, lines, rest} = settleParagraph(state, source, partial, style);
	const shown = cut === 0 ? drawn : renderBlocks(lexFrom(rest, source.slice(cut)), peek, rest.begun, rest.continued);
	return {live: lastLines(shown, 0, style), lines, rest, taken: Math.max(0, cut - state.source.length)};
}

/** Returns what was drawn when nothing of it settled. */
function unchanged(rest: Unsettled, live: readonly string[]): Live {
	return {live, lines: noLines, rest, taken: 0};
}

/** Draws what is not settled of a complete text, and `tail`, its safe last line. */
function drawEnd(state: Unsettled, tail: string, style: MarkdownOptions): readonly string[] {
	const {fence, begun, continued} = state;
	if (!fence) {
		return renderBlocks(lexFrom(state, state.source + tail), style, begun, continued);
	}

	return tail && !fence.isEnd(tail) ? [...fence.renderLine(tail), fence.footer] : [fence.footer];
}

/** Returns the last lines of an unfinished block, below a line that counts those above; all of them if they fit. */
function lastLines(
	lines: readonly string[],
	above: number,
	{width, palette, maxLive}: MarkdownStreamOptions,
): readonly string[] {
	const hidden = above + Math.max(0, lines.length - maxLive);
	if (hidden === 0) {
		return lines;
	}

	const shown = lines.slice(Math.max(0, lines.length - maxLive + 1));
	const count = above + lines.length - shown.length;
	const word = count === 1 ? 'line' : 'lines';
	return [palette.dim(truncate(`… ${formatNumber(count)} ${word} above`, width)), ...shown];
}

/**
 * Draws the end of a source that is too long to be drawn again with every word, and counts the lines of the source above
 * it. A table keeps its header.
 */
function renderEnd(source: string, lineCount: number, options: MarkdownOptions) {
	const head = tableHead(source);
	const from = Math.max(head.length, source.length - tailLength);
	const start = from === head.length ? from : source.indexOf('\n', from) + 1 || from;
	const tail = source.slice(start).replace(/^[\uDC00-\uDFFF]/, '');
	return {
		drawn: renderBlocks(lexBlocks(head + tail), options),
		above: Math.max(0, lineCount - tail.split('\n').length + 1),
	};
}

/** Returns the first two lines of a source that begins with a table, '' for any other. */
function tableHead(source: string): string {
	const [head = ''] = /^\s*[^\n]+\n[^\n]+\n/.exec(source.slice(0, 2 * tailLength)) ?? [];
	return head && lexBlocks(head).some(({type}) => type === 'table') ? head : '';
}
