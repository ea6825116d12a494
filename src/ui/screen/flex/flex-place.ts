import {definiteSize, type FlexBox, type Line, type Sizing, sizing} from './flex-box.ts';
import {isStretched} from './flex-space.ts';
import {edgeOf, gapOf, insetBefore, insetsOf, marginsOf, resolveLength, yogaConstants} from './flex-style.ts';

type Along = {
	/** The space that is still free along the main axis; negative if it doesn't suffice. */
	readonly free: number;
	/** The room that the children share along it. */
	readonly room: number;
	/** The inner size of the parent along it. */
	readonly owner: number;
	/** The children weren't measured: their size across is that of the box. */
	readonly isAcrossSkipped: boolean;
};

/** Places the children along the main axis. Returns the size of all, with padding and border, and the largest size across. */
export function placeAlong(line: Line, along: Along): {readonly size: number; readonly across: number} {
	const {box, main, cross, items, inner, isFinal} = line;
	const {before, between} = spacing(line, along);
	let at = insetBefore(box.style, main) + before;
	let across = 0;
	for (const [index, child] of items.entries()) {
		if (isFinal) {
			child.place[main] = edgeOf(child.style.margin, main) + at;
			child.place[cross] = edgeOf(child.style.margin, cross);
		}

		at += marginsOf(child.style, main) + (along.isAcrossSkipped ? child.base : child.measured[main]);
		at += index < items.length - 1 ? between : 0;
		across = along.isAcrossSkipped
			? inner[cross]
			: Math.max(across, child.measured[cross] + marginsOf(child.style, cross));
	}

	return {size: at + insetsOf(box.style, main) - insetBefore(box.style, main), across};
}

/** Returns the space before the first child and between two children. */
function spacing(line: Line, along: Along): {readonly before: number; readonly between: number} {
	const {box, main, items} = line;
	const free = freeFor(line, along);
	const gap = gapOf(box.style, main);
	const count = items.length;
	const {justify} = box.style;
	const each = (parts: number) => (free > 0 && parts > 0 ? free / parts : 0);
	switch (justify) {
		case yogaConstants.JUSTIFY_CENTER:
			return {before: free / 2, between: gap};
		case yogaConstants.JUSTIFY_FLEX_END:
			return {before: free, between: gap};
		case yogaConstants.JUSTIFY_SPACE_BETWEEN:
			return {before: 0, between: gap + each(count - 1)};
		case yogaConstants.JUSTIFY_SPACE_AROUND:
			return {before: each(count) / 2, between: gap + each(count)};
		case yogaConstants.JUSTIFY_SPACE_EVENLY:
			return {before: each(count + 1), between: gap + each(count + 1)};
		default:
			return {before: 0, between: gap};
	}
}

/** Returns the space to justify by: in a box that is at most as large as its room, only what its least size leaves. */
function freeFor({box, main, modes}: Line, {free, room, owner}: Along): number {
	if (modes[main] !== sizing.atMost || free <= 0) {
		return free;
	}

	const min = resolveLength(box.style.min[main], owner);
	return min >= 0 ? Math.max(0, min - insetsOf(box.style, main) - (room - free)) : 0;
}

/** Places the children across the main axis, in a container of this size, and stretches those without a size to the line's. */
export function alignAcross(line: Line, container: number, across: number): void {
	const {box, main, cross, items, inner} = line;
	for (const child of items) {
		let before = insetBefore(box.style, cross);
		if (!isStretched(box, child)) {
			const left = container - child.measured[cross] - marginsOf(child.style, cross);
			before += left * shareBefore(box, child);
		} else if (Number.isNaN(definiteSize(child, cross, inner[cross]))) {
			const available: [number, number] = [0, 0];
			available[main] = child.measured[main] + marginsOf(child.style, main);
			available[cross] = across;
			const modeOf = (size: number): Sizing => (Number.isNaN(size) ? sizing.content : sizing.exact);
			line.layOut(child, {available, modes: [modeOf(available[0]), modeOf(available[1])], owner: inner}, true);
		}

		child.place[cross] += before;
	}
}

/** Returns the share of the space left across that is before the child. */
function shareBefore(box: FlexBox, {style}: FlexBox): number {
	const align = style.alignSelf === yogaConstants.ALIGN_AUTO ? box.style.alignItems : style.alignSelf;
	return align === yogaConstants.ALIGN_CENTER ? 0.5 : align === yogaConstants.ALIGN_FLEX_END ? 1 : 0;
}
