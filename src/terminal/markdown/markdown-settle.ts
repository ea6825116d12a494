import type {MarkedToken, Tokens} from 'marked';
import {wrapLine} from '../text/wrap.ts';
import {type Continued, isContinued, lineAbove, renderBlocks, renderItems, startOf} from './markdown-blocks.ts';
import {type Fence, isFence, openFence} from './markdown-fence.ts';
import {inlinePieceEnd, renderInline} from './markdown-inline.ts';
import {lexBlocks} from './markdown-lexer.ts';
import type {MarkdownOptions} from './markdown-options.ts';
import {minPieceLength} from './markdown-pieces.ts';

/** The end of a growing text that is not settled: its complete lines, and what they continue. */
export type Unsettled = {
	/** The safe source of the complete lines, and how many they are. */
	readonly source: string;
	readonly lineCount: number;
	/** True once a line has settled. */
	readonly begun: boolean;
	readonly continued?: Continued | undefined;
	/** The fence that is open; the source is its code. */
	readonly fence?: Fence | undefined;
	/** The length of an open paragraph from which it is worth looking again for a place to cut it. */
	readonly cutFrom: number;
};

/** Lines that can't change any more, and what is left. */
type Settled = {readonly lines: readonly string[]; readonly rest: Unsettled};

export const nothingRead: Unsettled = {source: '', lineCount: 0, begun: false, cutFrom: 0};

/** Blocks that no line after a blank one can continue. */
const endsWithBlank: ReadonlySet<string> = new Set(['table', 'paragraph', 'heading', 'hr']);

/** Adds complete lines of safe source. */
export function addLines(state: Unsettled, lines: string): Unsettled {
	return {...state, source: state.source + lines, lineCount: state.lineCount + countLines(lines)};
}

/** Returns the blocks of a source that begins where the settled part ends. */
export function lexFrom({continued}: Unsettled, source: string): readonly MarkedToken[] {
	return continued?.kind === 'paragraph' ? lexRest(source) : lexBlocks(source);
}

/** Settles the blocks, items and lines of code that are finished. */
export function settle(state: Unsettled, style: MarkdownOptions, work: WorkLimit): Settled {
	const lines: string[] = [];
	let rest = state;
	while (rest.source) {
		const wasFence = rest.fence !== undefined;
		const step = rest.fence ? settleCode(rest, rest.fence) : settleBlocks(rest, style, work);
		for (const line of step.lines) {
			lines.push(line);
		}

		rest = step.rest;
		if (!wasFence && !rest.fence) {
			break;
		}
	}

	return {lines, rest};
}

/** Settles the complete lines of the open fence. */
function settleCode(state: Unsettled, fence: Fence): Settled {
	const {source} = state;
	const lines: string[] = [];
	let start = 0;
	let isOpen = true;
	for (let end = source.indexOf('\n'); end !== -1 && isOpen; end = source.indexOf('\n', start)) {
		const line = source.slice(start, end);
		start = end + 1;
		isOpen = !fence.isEnd(line);
		for (const drawn of isOpen ? fence.renderLine(line) : [fence.footer]) {
			lines.push(drawn);
		}
	}

	return settled({...state, fence: isOpen ? fence : undefined}, lines, start);
}

/** Settles all blocks before the last one, and as much of that as is finished. */
function settleBlocks(state: Unsettled, style: MarkdownOptions, work: WorkLimit): Settled {
	const isAfterBlank = /\n *\n$/.test(state.source.slice(-80));
	if (!work.allows(state.source.length, isAfterBlank ? 1 : 4)) {
		return {lines: [], rest: state};
	}

	const tokens = lexFrom(state, state.source);
	const index = tokens.findLastIndex(token => token.type !== 'space');
	const last = tokens[index];
	if (last && endsWithBlank.has(last.type) && isAfterBlank) {
		return settleWhole(state, tokens, undefined, style);
	}

	if (last && needsPrevious(last, tokens[index - 1])) {
		return {lines: [], rest: state};
	}

	const before = settleWhole(state, tokens.slice(0, Math.max(0, index)), last, style);
	const step = settleBeginning(before.rest, last, style);
	return {lines: [...before.lines, ...step.lines], rest: step.rest};
}

/** True for a block that would be read as HTML if nothing stood right before it. */
function needsPrevious(last: MarkedToken, previous: MarkedToken | undefined): boolean {
	return previous !== undefined && previous.type !== 'space' && last.type !== 'html' && /^ {0,3}</.test(last.raw);
}

/** Settles whole blocks. `next` is the block after them. */
function settleWhole(
	state: Unsettled,
	tokens: readonly MarkedToken[],
	next: MarkedToken | undefined,
	style: MarkdownOptions,
): Settled {
	const lines = renderBlocks(tokens, style, state.begun, state.continued);
	const after = lines.length > 0 ? undefined : state.continued;
	const continued: Continued | undefined = isContinued(tokens.at(-1), next) ? {kind: 'below'} : after;
	return settled({...state, continued}, lines, sourceLength(tokens));
}

/** Settles the beginning of the last block: the line that opens a fence, or all items of a list but the last. */
function settleBeginning(state: Unsettled, last: MarkedToken | undefined, style: MarkdownOptions): Settled {
	if (last?.type === 'code' && isFence(last.raw)) {
		return beginFence(state, style);
	}

	return last?.type === 'list' ? settleItems(state, last, style) : {lines: [], rest: state};
}

function beginFence(state: Unsettled, style: MarkdownOptions): Settled {
	const line = state.source.slice(0, state.source.indexOf('\n'));
	const fence = openFence(line, style);
	const above = lineAbove(state.begun, state.continued, state.continued !== undefined);
	return settled({...state, continued: undefined, fence}, [...above, fence.header], line.length + 1);
}

function settleItems(state: Unsettled, list: Tokens.List, style: MarkdownOptions): Settled {
	const items = list.items.slice(0, -1);
	if (items.length === 0) {
		return {lines: [], rest: state};
	}

	const {begun, continued} = state;
	const above = lineAbove(begun, continued, continued?.kind === 'list');
	const next = continued?.kind === 'list' ? continued.next : startOf(list);
	const lines = [...above, ...renderItems(list, items, next, style)];
	return settled({...state, continued: {kind: 'list', next: next + items.length}}, lines, sourceLength(items));
}

/**
 * Settles the lines of an open paragraph that no later word can change. `source` is the paragraph with `partial`, the line
 * that is not complete. Also returns where the rest of the source begins; 0 if nothing settled.
 */
export function settleParagraph(
	state: Unsettled,
	source: string,
	partial: string,
	style: MarkdownOptions,
): Settled & {readonly cut: number} {
	if (source.length < state.cutFrom) {
		return {lines: [], rest: state, cut: 0};
	}

	const {continued, begun} = state;
	const uncut = {lines: [], rest: {...state, cutFrom: source.length * 1.25}, cut: 0};
	const isRest = continued?.kind === 'paragraph';
	const cut = cutParagraph(source, isRest) ?? 0;
	const fromPartial = Math.max(0, cut - state.source.length);
	if (cut === 0 || !source.startsWith(partial.slice(0, fromPartial), state.source.length)) {
		return uncut;
	}

	const start = isRest ? 0 : source.search(/\S/);
	const before = isRest ? continued.line : continued?.kind === 'mark' ? continued.mark : '';
	const lines = wrapLine(before + renderInline(source.slice(start, cut), style), style.width);
	const line = lines.at(-1);
	if (lines.length < 2 || line === undefined) {
		return uncut;
	}

	const gap = begun && !continued ? [''] : [];
	const step = settled({...state, continued: {kind: 'paragraph', line}}, [...gap, ...lines.slice(0, -1)], cut);
	return {...step, cut};
}

/** Removes `length` units from the source, which were drawn as `lines`. */
function settled(state: Unsettled, lines: readonly string[], length: number): Settled {
	const source = state.source.slice(length);
	const begun = state.begun || lines.length > 0;
	return {lines, rest: {...state, source, lineCount: countLines(source), begun, cutFrom: 0}};
}

/** Returns how many lines end in a source. */
function countLines(text: string): number {
	let count = 0;
	for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', end + 1)) {
		count++;
	}

	return count;
}

/** Returns how many UTF-16 units of the source these tokens take. */
function sourceLength(parts: readonly {readonly raw: string}[]): number {
	return parts.reduce((length, {raw}) => length + raw.length, 0);
}

/**
 * Replaces the part of a paragraph that is already drawn: not a heading, not a table header, and not the first line.
 */
const lead = `x\n${'x'.repeat(minPieceLength)}`;

/** Lexes a source that begins within a paragraph. */
function lexRest(source: string): readonly MarkedToken[] {
	const [first, ...others] = lexBlocks(lead + source);
	return first?.type === 'paragraph'
		? [{...first, raw: first.raw.slice(lead.length), text: first.text.slice(lead.length)}, ...others]
		: others;
}

/**
 * Returns where an open paragraph can be cut so that no later text changes how its first part is drawn; undefined if
 * nowhere. `isRest` is true for the rest of a paragraph that was cut before.
 */
function cutParagraph(source: string, isRest: boolean): number | undefined {
	const begin = isRest ? 0 : source.search(/\S/);
	const text = source.slice(begin).trimEnd().replaceAll('\t', ' ');
	// Definitions apply to the whole paragraph that they begin.
	if (!isRest && text.startsWith('[')) {
		return undefined;
	}

	let cut: number | undefined;
	let lineStart = 0;
	let start = 0;
	for (let end = inlinePieceEnd(text, 0); end !== undefined; end = inlinePieceEnd(text, end)) {
		const newline = text.slice(start, end).lastIndexOf('\n');
		lineStart = newline === -1 ? lineStart : start + newline + 1;
		cut = isNoHeader(text, lineStart, isRest) ? end : cut;
		start = end;
	}

	return cut === undefined ? undefined : begin + cut;
}

/** True if the line that begins at `start` can no longer be the header of a table. */
function isNoHeader(text: string, start: number, isRest: boolean): boolean {
	if (start === 0 && isRest) {
		return true;
	}

	const head = text.slice(start, start + minPieceLength);
	const end = head.indexOf('\n');
	return !head.slice(0, end === -1 ? undefined : end).includes('|') && (end !== -1 || head.length === minPieceLength);
}

/** A source of at most this many UTF-16 units may always be read again. */
const free = 1500;
/** How many units may be read again for each new one. */
const factor = 16;

/** Decides when a long source may be read again from its beginning, so that all reads take linear time. */
export type WorkLimit = {
	/** Adds the length of new text. */
	readonly earn: (length: number) => void;
	/**
	 * Returns true and subtracts the cost if a source of that length may be read; `reserve` times its length must be
	 * available.
	 */
	readonly allows: (length: number, reserve: number) => boolean;
};

export function createWorkLimit(): WorkLimit {
	let earned = 0;
	return {
		earn(length) {
			earned += factor * Math.max(0, length);
		},
		allows(length, reserve) {
			if (length <= free) {
				return true;
			}

			if (earned < reserve * length) {
				return false;
			}

			earned -= length;
			return true;
		},
	};
}
