/**
 * What the editor reads of a text, as a string has it. A key must not read a long string itself: V8 keeps `a + b` as two
 * parts and copies both to answer the first question about a character, so that each key would copy the whole prompt.
 */
export type Text = {
	readonly length: number;
	readonly charCodeAt: (offset: number) => number;
	readonly charAt: (offset: number) => string;
	readonly slice: (start: number, end?: number) => string;
	/** Of `indexOf` and `lastIndexOf` the editor needs those of one line end. */
	readonly indexOf: (lineEnd: '\n', from: number) => number;
	readonly lastIndexOf: (lineEnd: '\n', from: number) => number;
};

/**
 * A text as a balanced tree of short pieces. Each node has its text as the sum of its parts, which V8 doesn't copy either,
 * so that an edit makes a new string in a few steps and shares the rest with the old one.
 */
type Node = {
	readonly text: string;
	readonly length: number;
	readonly hasLineEnd: boolean;
	/** 0 for a piece. */
	readonly height: number;
	readonly parts?: readonly [Node, Node];
};

/** A long text that can be read and changed at any place in a few steps. */
export type Pieces = Text & {readonly root: Node};

type Source = {readonly text: string; readonly pieces?: Pieces | undefined};

/** The longest piece, in UTF-16 units. A text of one piece is read as it is. */
export const maxPiece = 1024;

/** Returns a text to be read near an offset. Divides a long one unless these pieces are its own. */
export function textOf({text, pieces}: Source): Text {
	return text.length <= maxPiece ? text : piecesOf({text, pieces});
}

/** Returns the text with `inserted` in place of `start` to `end`. Reads a piece at each end of what it replaces. */
export function spliced({text, pieces}: Source, start: number, end: number, inserted: string): Source {
	if (text.length + inserted.length <= maxPiece) {
		return {text: text.slice(0, start) + inserted + text.slice(end), pieces: undefined};
	}

	const {root} = piecesOf({text, pieces});
	const changedPieces = readerOf(changed(root, start, end, inserted));
	return {text: changedPieces.root.text, pieces: changedPieces};
}

/** Returns the pieces of a long text, to be kept beside it; undefined for a short one. */
export function dividedText(source: Source): Pieces | undefined {
	return source.text.length <= maxPiece ? undefined : piecesOf(source);
}

/** The text of the pieces is the very same string, unless it comes from elsewhere. */
function piecesOf({text, pieces}: Source): Pieces {
	return pieces?.root.text === text ? pieces : readerOf(treeOf(text));
}

function pieceOf(text: string): Node {
	return {text, length: text.length, hasLineEnd: text.includes('\n'), height: 0};
}

function treeOf(text: string): Node {
	if (text.length <= maxPiece) {
		return pieceOf(text);
	}

	const middle = Math.ceil(text.length / 2);
	return joined(treeOf(text.slice(0, middle)), treeOf(text.slice(middle)));
}

function joined(left: Node, right: Node): Node {
	return {
		text: left.text + right.text,
		length: left.length + right.length,
		hasLineEnd: left.hasLineEnd || right.hasLineEnd,
		height: Math.max(left.height, right.height) + 1,
		parts: [left, right],
	};
}

/** Joins two parts whose heights differ by at most 2 to a node whose parts' heights differ by at most 1. */
function balanced(left: Node, right: Node): Node {
	const isLeft = left.height > right.height + 1;
	const {parts: [first, last] = [left, right]} = isLeft ? left : right.height > left.height + 1 ? right : {};
	if (isLeft) {
		return last.parts && last.height > first.height
			? joined(joined(first, last.parts[0]), joined(last.parts[1], right))
			: joined(first, joined(last, right));
	}

	if (first === left) {
		return joined(left, right);
	}

	return first.parts && first.height > last.height
		? joined(joined(left, first.parts[0]), joined(first.parts[1], last))
		: joined(joined(left, first), last);
}

/** Returns both parts as one balanced tree; short pieces become one. */
function concatenated(left: Node, right: Node): Node {
	if (left.length === 0 || right.length === 0) {
		return left.length === 0 ? right : left;
	}

	if (left.length + right.length <= maxPiece / 2) {
		return pieceOf(left.text + right.text);
	}

	if (left.parts && left.height > right.height + 1) {
		return balanced(left.parts[0], concatenated(left.parts[1], right));
	}

	return right.parts && right.height > left.height + 1
		? balanced(concatenated(left, right.parts[0]), right.parts[1])
		: joined(left, right);
}

function changed(node: Node, start: number, end: number, inserted: string): Node {
	if (start <= 0 && end >= node.length) {
		return treeOf(inserted);
	}

	if (!node.parts) {
		return treeOf(node.text.slice(0, start) + inserted + node.text.slice(end));
	}

	const [left, right] = node.parts;
	if (end <= left.length) {
		return concatenated(changed(left, start, end, inserted), right);
	}

	return start >= left.length
		? concatenated(left, changed(right, start - left.length, end - left.length, inserted))
		: concatenated(changed(left, start, left.length, inserted), changed(right, 0, end - left.length, ''));
}

function sliced(node: Node, start: number, end: number): string {
	if (end <= Math.max(0, start)) {
		return '';
	}

	if (start <= 0 && end >= node.length) {
		return node.text;
	}

	if (!node.parts) {
		return node.text.slice(Math.max(0, start), end);
	}

	const [left, right] = node.parts;
	return sliced(left, start, Math.min(end, left.length)) + sliced(right, start - left.length, end - left.length);
}

/** Returns the first line end at or after `from`, or -1. */
function nextLineEnd({parts, text, hasLineEnd, length}: Node, from: number): number {
	if (!hasLineEnd || from >= length) {
		return -1;
	}

	if (!parts) {
		return text.indexOf('\n', from);
	}

	const [left, right] = parts;
	const first = nextLineEnd(left, from);
	const last = first === -1 ? nextLineEnd(right, from - left.length) : -1;
	return last === -1 ? first : left.length + last;
}

/** Returns the last line end at or before `from`, or -1. */
function previousLineEnd({parts, text, hasLineEnd}: Node, from: number): number {
	if (!hasLineEnd || from < 0) {
		return -1;
	}

	if (!parts) {
		return text.lastIndexOf('\n', from);
	}

	const [left, right] = parts;
	const last = previousLineEnd(right, from - left.length);
	return last === -1 ? previousLineEnd(left, from) : left.length + last;
}

/** A number of something in each line, such as rows. The counts of nodes are kept, since edits share most nodes. */
export type LineCount = {readonly count: (line: string) => number; readonly counted: WeakMap<Node, Span>};

/** The line ends of a part: the places behind the first one and the last one, and the sum over the lines between them. */
type Span = {readonly first: number; readonly last: number; readonly sum: number};

/** Returns the sum over all lines, or over those before the line that starts at `before`. */
export function countLines({root}: Pieces, {count, counted}: LineCount, before?: number): number {
	const join = (left: Node, ofLeft: Span | undefined, right: Node, ofRight: Span | undefined): Span | undefined => {
		if (!(ofLeft && ofRight)) {
			const {length} = left;
			return ofLeft ?? (ofRight && {...ofRight, first: length + ofRight.first, last: length + ofRight.last});
		}

		const line = sliced(left, ofLeft.last, left.length) + sliced(right, 0, ofRight.first - 1);
		return {first: ofLeft.first, last: left.length + ofRight.last, sum: ofLeft.sum + count(line) + ofRight.sum};
	};
	const inPiece = (text: string): Span | undefined => {
		const lines = text.split('\n');
		const [head = '', tail = ''] = [lines[0], lines.at(-1)];
		const sum = lines.slice(1, -1).reduce((all, line) => all + count(line), 0);
		return lines.length === 1 ? undefined : {first: head.length + 1, last: text.length - tail.length, sum};
	};
	const spanOf = (node: Node): Span | undefined => {
		const known = counted.get(node);
		if (known || !node.hasLineEnd) {
			return known;
		}

		const {parts, text} = node;
		const span = parts ? join(parts[0], spanOf(parts[0]), parts[1], spanOf(parts[1])) : inPiece(text);
		if (span) {
			counted.set(node, span);
		}

		return span;
	};
	const spanTo = (node: Node, to: number): Span | undefined => {
		if (to >= node.length) {
			return spanOf(node);
		}

		if (!node.parts) {
			return inPiece(node.text.slice(0, to));
		}

		const [left, right] = node.parts;
		return to <= left.length ? spanTo(left, to) : join(left, spanOf(left), right, spanTo(right, to - left.length));
	};
	const span = spanTo(root, before ?? root.length);
	const head = before === 0 ? 0 : count(sliced(root, 0, span ? span.first - 1 : root.length));
	const tail = before === undefined && span ? count(sliced(root, span.last, root.length)) : 0;
	return head + (span?.sum ?? 0) + tail;
}

function readerOf(root: Node): Pieces {
	let piece = root;
	let start = 0;
	/** Finds the piece at `offset`, most often the same as before. */
	const find = (offset: number) => {
		if (piece.parts || offset < start || offset >= start + piece.length) {
			piece = root;
			start = 0;
			while (piece.parts) {
				const [left, right] = piece.parts;
				const isRight = offset >= start + left.length;
				start += isRight ? left.length : 0;
				piece = isRight ? right : left;
			}
		}

		return piece.text;
	};
	return {
		root,
		length: root.length,
		charCodeAt: offset => find(offset).charCodeAt(offset - start),
		charAt: offset => find(offset).charAt(offset - start),
		slice: (from, to = root.length) => sliced(root, from, Math.min(to, root.length)),
		indexOf: (_, from) => nextLineEnd(root, from),
		lastIndexOf: (_, from) => previousLineEnd(root, from),
	};
}
