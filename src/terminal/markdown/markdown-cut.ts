import type {MarkedToken} from 'marked';
import {inlinePieceEnd} from './markdown-inline.ts';
import {lexBlocks} from './markdown-lexer.ts';
import {minPieceLength} from './markdown-pieces.ts';

/**
 * Replaces the part of a paragraph that is already drawn: not a heading, not a table header, and not the first line.
 */
const lead = `x\n${'x'.repeat(minPieceLength)}`;

/** Lexes a source that begins within a paragraph. */
export function lexRest(source: string): readonly MarkedToken[] {
	const [first, ...others] = lexBlocks(lead + source);
	return first?.type === 'paragraph'
		? [{...first, raw: first.raw.slice(lead.length), text: first.text.slice(lead.length)}, ...others]
		: others;
}

/**
 * Returns where an open paragraph can be cut so that no later text changes how its first part is drawn; undefined if
 * nowhere. `isRest` is true for the rest of a paragraph that was cut before.
 */
export function cutParagraph(source: string, isRest: boolean): number | undefined {
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
