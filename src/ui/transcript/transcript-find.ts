import {paintPieces, parsePieces} from '../../terminal/text/ansi.ts';
import type {Palette} from '../../terminal/text/style.ts';
import {searchable} from './block-text.ts';
import type {Shown} from './read-group.ts';

/** A block that contains the text, and its place among all matches, from 1. */
type FoundBlock = {readonly index: number; readonly place: number; readonly count: number};

/** Returns the next block that contains the text, up (-1) or down from `chosen`, wrapping around; undefined for none. */
export function findBlock(
	blocks: readonly Shown[],
	text: string,
	chosen: number,
	direction: 1 | -1,
): FoundBlock | undefined {
	const wanted = text.toLowerCase();
	const all = [...blocks.keys()].filter(index => searchable(blocks[index]).includes(wanted));
	const next =
		direction === 1
			? (all.find(index => index > chosen) ?? all[0])
			: (all.findLast(index => index < chosen) ?? all.at(-1));
	return next === undefined ? undefined : {index: next, place: all.indexOf(next) + 1, count: all.length};
}

/** Returns the line with the matches marked; unchanged without colour. */
export function highlightFound(line: string, text: string, {color, found}: Pick<Palette, 'color' | 'found'>): string {
	const wanted = text.toLowerCase();
	if (!color || wanted === '') {
		return line;
	}

	const pieces = parsePieces(line);
	const plain = pieces
		.map(piece => piece.text)
		.join('')
		.toLowerCase();
	const ranges: (readonly [number, number])[] = [];
	for (let at = plain.indexOf(wanted); at !== -1; at = plain.indexOf(wanted, at + wanted.length)) {
		ranges.push([at, at + wanted.length]);
	}

	let offset = 0;
	const parts = pieces.flatMap(piece => {
		const start = offset;
		offset += piece.text.length;
		const edges = ranges.flat().map(edge => Math.max(0, Math.min(piece.text.length, edge - start)));
		const cuts = [...new Set([0, ...edges, piece.text.length])].sort((one, other) => one - other);
		return cuts.slice(1).map((end, index) => {
			const from = cuts[index] ?? 0;
			const isFound = ranges.some(([first, last]) => first <= start + from && start + end <= last);
			const part = paintPieces([{...piece, text: piece.text.slice(from, end)}]);
			return isFound ? found(part) : part;
		});
	});
	return parts.join('');
}
