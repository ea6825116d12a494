import type {MarkedToken, Tokens} from 'marked';
import {type Continued, renderBlocks, renderItems, startOf} from './markdown-blocks.ts';
import {cutParagraph} from './markdown-cut.ts';
import {type Fence, isFence, openFence} from './markdown-fence.ts';
import {lexBlocks} from './markdown-lexer.ts';
import type {MarkdownOptions} from './markdown-options.ts';
import {roomyColumnWidths} from './markdown-table.ts';
import {safeText} from './safe-text.ts';

export type MarkdownStreamOptions = MarkdownOptions & {
	/** Most lines that the open tail may take, 4 at least; further ones settle as they are drawn. */
	readonly maxLive: number;
};

export type MarkdownStream = {
	/**
	 * Takes the whole text so far. Gives the lines that are finished since the last call, to be written once and never
	 * again, and those that may still change. The cost depends on the open block alone.
	 */
	readonly push: (text: string) => {readonly settled: readonly string[]; readonly live: readonly string[]};
	/** Takes the whole text, which is complete now, and gives all lines that are not settled yet. */
	readonly end: (text: string) => readonly string[];
};

/** Blocks that no line behind a blank one can go on with. */
const endsWithBlank: ReadonlySet<string> = new Set(['table', 'paragraph', 'heading', 'hr']);

/**
 * Draws Markdown that still grows. All that it settles is what `renderMarkdown` draws of the whole, unless a block was
 * longer than `maxLive` and came out otherwise in the end.
 *
 * Only complete lines decide what settles: half a line may be read as another block than the whole one. A block is
 * finished when another one began behind it or, where that ends it, a blank line came; an item when the next one began, a
 * line of a fence when it ended.
 */
export function createMarkdownStream(options: MarkdownStreamOptions): MarkdownStream {
	/** Units of the text that were taken into `region`. */
	let taken = 0;
	/** The safe source of the complete lines that are not settled. */
	let region = '';
	/** Lines of the region that settled because the tail was too long. */
	let drawn = 0;
	let begun = false;
	let continued: Continued | undefined;
	let fence: Fence | undefined;
	let settled: string[] = [];

	const emit = (lines: readonly string[]) => {
		for (const line of lines.slice(drawn)) {
			settled.push(line);
		}

		drawn = Math.max(0, drawn - lines.length);
		begun ||= lines.length > 0;
	};

	const emitBlocks = (tokens: readonly MarkedToken[]) => {
		const lines = renderBlocks(tokens, options, begun, continued);
		emit(lines);
		continued = lines.length > 0 ? undefined : continued;
		region = region.slice(sourceLength(tokens));
	};

	const emitItems = (list: Tokens.List) => {
		const items = list.items.slice(0, -1);
		if (items.length > 0) {
			const joined = continued?.kind === 'list';
			const next = continued?.kind === 'list' ? continued.next : startOf(list);
			emit([...(begun && !joined ? [''] : []), ...renderItems(list, items, next, options)]);
			continued = {kind: 'list', next: next + items.length};
			region = region.slice(sourceLength(items));
		}
	};

	const beginFence = () => {
		const line = nextLine(region);
		fence = openFence(line, options);
		emit([...(begun && !continued ? [''] : []), fence.header]);
		continued = undefined;
		region = region.slice(line.length + 1);
	};

	/** Settles the complete lines of the open fence. */
	const emitCode = (open: Fence) => {
		let at = 0;
		for (let end = region.indexOf('\n'); end !== -1 && fence; end = region.indexOf('\n', at)) {
			const line = region.slice(at, end);
			at = end + 1;
			fence = open.isEnd(line) ? undefined : open;
			emit(fence ? open.renderLine(line) : [open.footer]);
		}

		region = region.slice(at);
	};

	const settle = () => {
		while (region) {
			if (fence) {
				emitCode(fence);
				continue;
			}

			const tokens = lexBlocks(region);
			const index = tokens.findLastIndex(token => token.type !== 'space');
			const last = tokens[index];
			if (last && endsWithBlank.has(last.type) && /\n *\n$/.test(region)) {
				emitBlocks(tokens);
				return;
			}

			emitBlocks(tokens.slice(0, Math.max(0, index)));
			if (last?.type === 'code' && isFence(last.raw)) {
				beginFence();
				continue;
			}

			if (last?.type === 'list') {
				emitItems(last);
			}

			return;
		}
	};

	/** Takes in the lines that are complete now. */
	const take = (text: string) => {
		settled = [];
		const end = text.lastIndexOf('\n') + 1;
		if (end > taken) {
			region += safeText(text.slice(taken, end));
			taken = end;
			settle();
		}
	};

	/** Draws the region and the line that is not complete; what is too long of it settles. */
	const drawTail = (partial: string): readonly string[] => {
		const tail = safeText(partial);
		if (fence) {
			const lines = /^ {0,3}[`~]*$/.test(tail) ? [] : fence.peekLine(tail);
			return limit(lines);
		}

		const tokens = lexBlocks(region + tail);
		const lines = renderBlocks(tokens, options, begun, continued);
		const excess = lines.length - drawn - options.maxLive;
		const [first, second] = tokens.filter(token => token.type !== 'space');
		if (excess > 0 && first?.type === 'paragraph' && !second && drawn === 0 && tail === partial) {
			const rest = cut(region + tail, lines.slice(0, excess));
			if (rest) {
				return rest;
			}
		}

		if (excess > 0 && first?.type === 'table' && !continued && drawn === 0) {
			continued = {kind: 'table', widths: roomyColumnWidths(first, options)};
			return limit(renderBlocks(tokens, options, begun, continued));
		}

		return limit(lines);
	};

	const limit = (lines: readonly string[]): readonly string[] => {
		const excess = lines.length - drawn - options.maxLive;
		if (excess > 0) {
			settled = [...settled, ...lines.slice(drawn, drawn + excess)];
			drawn += excess;
		}

		return lines.slice(drawn);
	};

	/** Settles the first lines of a long paragraph with their source; the rest of it is drawn without them from now on. */
	const cut = (source: string, lines: readonly string[]): readonly string[] | undefined => {
		const render = (part: string) => renderBlocks(lexBlocks(part.trimEnd()), options, begun, continued);
		const place = cutParagraph(source, lines, render);
		if (place === undefined) {
			return undefined;
		}

		emit(lines);
		continued = {kind: 'paragraph'};
		taken += Math.max(0, place - region.length);
		region = region.slice(place);
		return limit(render(source.slice(place)));
	};

	return {
		push(text) {
			take(text);
			// Half a character, or half a line break, is drawn with its other half.
			const live = drawTail(text.slice(taken).replace(/[\r\uD800-\uDBFF]$/, ''));
			return {settled, live};
		},

		end(text) {
			take(text);
			const tail = safeText(text.slice(taken));
			if (fence) {
				const closed = fence.isEnd(tail);
				emit([...(tail && !closed ? fence.renderLine(tail) : []), fence.footer]);
			} else {
				emit(renderBlocks(lexBlocks(region + tail), options, begun, continued));
			}

			return settled;
		},
	};
}

function nextLine(text: string): string {
	const end = text.indexOf('\n');
	return end === -1 ? text : text.slice(0, end);
}

function sourceLength(parts: readonly {readonly raw: string}[]): number {
	return parts.reduce((length, {raw}) => length + raw.length, 0);
}
