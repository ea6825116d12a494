import type {MarkedToken} from 'marked';
import {inlinePieceEnd} from './markdown-inline.ts';
import {lexBlocks} from './markdown-lexer.ts';
import {leastPiece} from './markdown-pieces.ts';

/** Stands for the part of a paragraph that is drawn already: no heading, no table header, and not the first line. */
const lead = `x\n${'x'.repeat(leastPiece)}`;

/** Takes apart a source that begins within a paragraph. */
export function lexRest(source: string): readonly MarkedToken[] {
	const [first, ...others] = lexBlocks(lead + source);
	return first?.type === 'paragraph'
		? [{...first, raw: first.raw.slice(lead.length), text: first.text.slice(lead.length)}, ...others]
		: others;
}

/**
 * Returns where an open paragraph can be parted so that its first part stays as it is drawn now, whatever comes behind;
 * undefined where it cannot. `isRest` is true for the source of one that was parted before.
 */
export function cutParagraph(source: string, isRest: boolean): number | undefined {
	const begin = isRest ? 0 : source.search(/\S/);
	const text = source.slice(begin).trimEnd().replaceAll('\t', ' ');
	// Definitions count for the whole paragraph that they begin.
	if (!isRest && text.startsWith('[')) {
		return undefined;
	}

	let cut: number | undefined;
	for (let end = inlinePieceEnd(text, 0); end !== undefined; end = inlinePieceEnd(text, end)) {
		cut = isNoHeader(text, end, isRest) ? end : cut;
	}

	return cut === undefined ? undefined : begin + cut;
}

/** True where the line that the place is in can no longer be the header of a table. */
function isNoHeader(text: string, place: number, isRest: boolean): boolean {
	const start = text.lastIndexOf('\n', place - 1) + 1;
	if (start === 0 && isRest) {
		return true;
	}

	const head = text.slice(start, start + leastPiece);
	const end = head.indexOf('\n');
	return !head.slice(0, end === -1 ? undefined : end).includes('|') && (end !== -1 || head.length === leastPiece);
}
