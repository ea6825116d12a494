import type {MarkedToken, Tokens} from 'marked';
import {safeText} from '../text/safe-text.ts';
import {wrapLine} from '../text/wrap.ts';
import {type Continued, goesOn, renderBlocks, renderItems, startOf} from './markdown-blocks.ts';
import {cutParagraph, lexRest} from './markdown-cut.ts';
import {type Fence, isFence, openFence} from './markdown-fence.ts';
import {renderInline} from './markdown-inline.ts';
import {lexBlocks} from './markdown-lexer.ts';
import type {MarkdownOptions} from './markdown-options.ts';
import {lastLines, renderEnd} from './markdown-preview.ts';
import {noReferences} from './markdown-references.ts';
import {countLines, nextLine, sourceLength} from './markdown-source.ts';
import {createWorkLimit} from './markdown-work.ts';

export type MarkdownStreamOptions = MarkdownOptions & {
	/** Most lines of the open block that are drawn, 1 at least; a line counts those above them. */
	readonly maxLive: number;
};

export type MarkdownStream = {
	/**
	 * Takes the whole text so far. Gives the lines that are finished since the last call, to be written once and never
	 * again, and the last ones of those that may still change. What all calls cost is linear in the text.
	 */
	readonly push: (text: string) => {readonly settled: readonly string[]; readonly live: readonly string[]};
	/** Draws what is not settled yet for a window of another size. */
	readonly resize: (size: Pick<MarkdownStreamOptions, 'width' | 'maxLive'>) => void;
	/** Takes the whole text, which is complete now, and gives all lines that are not settled yet. */
	readonly end: (text: string) => readonly string[];
};

/** Blocks that no line behind a blank one can go on with. */
const endsWithBlank: ReadonlySet<string> = new Set(['table', 'paragraph', 'heading', 'hr']);

/**
 * Draws Markdown that still grows. All that it settles, put together, is what `renderMarkdown` draws of the whole.
 *
 * Only complete lines decide what settles: half a line may be read as another block than the whole one. A block is
 * finished when another one began behind it or, where that ends it, a blank line came; an item when the next one began, a
 * line of a fence when it ended. Of a long paragraph the lines settle that no later word can change.
 */
export function createMarkdownStream(options: MarkdownStreamOptions): MarkdownStream {
	const style = {...options, references: noReferences()};
	const work = createWorkLimit();
	/** Units of the text that were taken into `region`, and those in which no line ends behind them. */
	let taken = 0;
	let searched = 0;
	/** The safe source of the complete lines that are not settled, and how many they are. */
	let region = '';
	let regionLines = 0;
	let begun = false;
	let continued: Continued | undefined;
	let fence: Fence | undefined;
	let settled: string[] = [];
	/** From which length of the open paragraph on it is worth looking again for a place to part it. */
	let cutFrom = 0;

	const emit = (lines: readonly string[]) => {
		for (const line of lines) {
			settled.push(line);
		}

		begun ||= lines.length > 0;
	};

	const drop = (length: number) => {
		region = region.slice(length);
		regionLines = countLines(region);
		cutFrom = 0;
	};

	const lex = (source: string) => (continued?.kind === 'paragraph' ? lexRest(source) : lexBlocks(source));

	const emitBlocks = (tokens: readonly MarkedToken[], next?: MarkedToken) => {
		const lines = renderBlocks(tokens, style, begun, continued);
		emit(lines);
		continued = goesOn(tokens.at(-1), next) ? {kind: 'below'} : lines.length > 0 ? undefined : continued;
		drop(sourceLength(tokens));
	};

	const emitItems = (list: Tokens.List) => {
		const items = list.items.slice(0, -1);
		if (items.length > 0) {
			const joined = continued?.kind === 'list';
			const next = continued?.kind === 'list' ? continued.next : startOf(list);
			emit([...(begun && !joined ? [''] : []), ...renderItems(list, items, next, style)]);
			continued = {kind: 'list', next: next + items.length};
			drop(sourceLength(items));
		}
	};

	const beginFence = () => {
		const line = nextLine(region);
		fence = openFence(line, style);
		emit([...(begun && !continued ? [''] : []), fence.header]);
		continued = undefined;
		drop(line.length + 1);
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

		drop(at);
	};

	const settle = () => {
		while (region) {
			if (fence) {
				emitCode(fence);
				continue;
			}

			const isParted = /\n *\n$/.test(region.slice(-80));
			if (!work.allows(region.length, isParted ? 1 : 4)) {
				return;
			}

			const tokens = lex(region);
			const index = tokens.findLastIndex(token => token.type !== 'space');
			const last = tokens[index];
			if (last && endsWithBlank.has(last.type) && isParted) {
				emitBlocks(tokens);
				return;
			}

			emitBlocks(tokens.slice(0, Math.max(0, index)), last);
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
		work.earn(text.length - searched);
		const end = text.slice(searched).lastIndexOf('\n') + 1 + searched;
		if (end > searched) {
			const lines = safeText(text.slice(taken, end));
			region += lines;
			regionLines += countLines(lines);
			taken = end;
			settle();
		}

		searched = Math.max(taken, text.length);
	};

	/** Draws the region and the line that is not complete. */
	const drawTail = (partial: string): readonly string[] => {
		const tail = safeText(partial);
		if (fence) {
			return lastLines(/^ {0,3}[`~]*$/.test(tail) ? [] : fence.peekLine(tail), 0, style);
		}

		const source = region + tail;
		const peek = {...style, references: {...style.references}};
		if (!work.allows(source.length, 8)) {
			const {drawn, above} = renderEnd(source, regionLines, peek);
			return lastLines(drawn, above, style);
		}

		const tokens = lex(source);
		const lines = renderBlocks(tokens, peek, begun, continued);
		const [first, second] = tokens.filter(token => token.type !== 'space');
		const isCut = lines.length > style.maxLive && first?.type === 'paragraph' && !second && cut(source, partial);
		return isCut
			? lastLines(renderBlocks(lex(source.slice(isCut)), peek, begun, continued), 0, style)
			: lastLines(lines, 0, style);
	};

	/** Settles the lines of an open paragraph that cannot change any more. Returns how much of the source that was. */
	const cut = (source: string, partial: string): number | undefined => {
		if (source.length < cutFrom) {
			return undefined;
		}

		const isRest = continued?.kind === 'paragraph';
		cutFrom = source.length * 1.25;
		const place = cutParagraph(source, isRest);
		const fromPartial = Math.max(0, (place ?? 0) - region.length);
		if (place === undefined || !source.startsWith(partial.slice(0, fromPartial), region.length)) {
			return undefined;
		}

		const start = isRest ? 0 : source.search(/\S/);
		const before = continued?.kind === 'paragraph' ? continued.line : '';
		const lines = wrapLine(before + renderInline(source.slice(start, place), style), style.width);
		const line = lines.at(-1);
		if (lines.length < 2 || line === undefined) {
			return undefined;
		}

		emit([...(begun && !continued ? [''] : []), ...lines.slice(0, -1)]);
		continued = {kind: 'paragraph', line};
		taken += fromPartial;
		drop(place);
		return place;
	};

	return {
		resize(size) {
			Object.assign(style, size);
		},

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
				emit(renderBlocks(lex(region + tail), style, begun, continued));
			}

			return settled;
		},
	};
}
