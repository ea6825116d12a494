import {atLeastMin, bound, definiteSize, type FlexBox, type Line, type Request, sizing} from './flex-box.ts';
import {alignAcross, placeAlong} from './flex-place.ts';
import {measureBases, shareSpace} from './flex-space.ts';
import {type Axis, edgeOf, gapOf, insetsOf, marginsOf, resolveLength} from './flex-style.ts';

/** Lays out a tree in a window of this size; NaN is without a limit. */
export function layOutTree(root: FlexBox, width = Number.NaN, height = Number.NaN): void {
	const owner = [width, height] as const;
	const sizeAlong = (axis: Axis) => definiteSize(root, axis, owner[axis]) + marginsOf(root.style, axis);
	const own = [sizeAlong(0), sizeAlong(1)] as const;
	const available = [Number.isNaN(own[0]) ? width : own[0], Number.isNaN(own[1]) ? height : own[1]] as const;
	const modeOf = (size: number) => (Number.isNaN(size) ? sizing.content : sizing.exact);
	layOut(root, {available, modes: [modeOf(available[0]), modeOf(available[1])], owner}, true);
	root.place[0] = edgeOf(root.style.margin, 0);
	root.place[1] = edgeOf(root.style.margin, 1);
	roundToCells(root, 0, 0);
}

/** Measures a box, and places what is in it if `isFinal`. What is known already isn't measured again. */
function layOut(box: FlexBox, request: Request, isFinal: boolean): void {
	const key = `${request.available}/${request.modes}/${request.owner}`;
	const known = box.known.get(key);
	if (known && (!isFinal || box.laidOutFor === key)) {
		box.measured = known;
	} else {
		box.measured = measureBox(box, request, isFinal);
		box.known.set(key, box.measured);
	}

	if (isFinal) {
		box.laidOutFor = key;
		box.size = box.measured;
	}
}

function measureBox(box: FlexBox, request: Request, isFinal: boolean): readonly [number, number] {
	if (box.measure) {
		return measureText(box, request);
	}

	const sizeAlong = (axis: Axis, content: number) =>
		bound(
			box,
			axis,
			request.modes[axis] === sizing.content ? content : outerSize(box, axis, request),
			request.owner[axis],
		);
	if (box.children.length === 0) {
		const emptySize = (axis: Axis) =>
			request.modes[axis] === sizing.exact ? sizeAlong(axis, 0) : bound(box, axis, 0, request.owner[axis]);
		return [emptySize(0), emptySize(1)];
	}

	return isFinal || !isFixed(box, request)
		? measureChildren(box, request, isFinal)
		: [sizeAlong(0, 0), sizeAlong(1, 0)];
}

/** Returns the available size without margins. */
function outerSize({style}: FlexBox, axis: Axis, {available}: Request): number {
	return available[axis] - marginsOf(style, axis);
}

/** Returns true if the size of a box doesn't depend on its content: it is set, or there is no room at all. */
function isFixed(box: FlexBox, request: Request): boolean {
	const {modes} = request;
	const hasNoRoom = (axis: Axis) => modes[axis] === sizing.atMost && outerSize(box, axis, request) <= 0;
	return (modes[0] === sizing.exact && modes[1] === sizing.exact) || hasNoRoom(0) || hasNoRoom(1);
}

function measureText(box: FlexBox, {available, modes, owner}: Request): readonly [number, number] {
	const room = (axis: Axis) =>
		modes[axis] === sizing.content ? Number.NaN : available[axis] - marginsOf(box.style, axis);
	const inner = room(0) - insetsOf(box.style, 0);
	const isExact = modes[0] === sizing.exact && modes[1] === sizing.exact;
	const text = isExact ? undefined : box.measure?.(Number.isNaN(inner) ? inner : Math.max(0, inner));
	const sizeAlong = (axis: Axis, measured = 0) =>
		bound(box, axis, modes[axis] === sizing.exact ? room(axis) : measured + insetsOf(box.style, axis), owner[axis]);
	return [sizeAlong(0, text?.width), sizeAlong(1, text?.height)];
}

function measureChildren(
	box: FlexBox,
	{available, modes, owner}: Request,
	isFinal: boolean,
): readonly [number, number] {
	const {style, children} = box;
	const main = style.main;
	const cross: Axis = main === 0 ? 1 : 0;
	const items = children.filter(child => !child.style.isHidden);
	for (const child of children) {
		if (child.style.isHidden) {
			hide(child);
		}
	}

	const outer = (axis: Axis) => available[axis] - marginsOf(style, axis);
	const within = (axis: Axis) => outer(axis) - insetsOf(style, axis);
	const innerSize = (axis: Axis) => {
		const min = resolveLength(style.min[axis], owner[axis]);
		return Math.max(within(axis), Number.isNaN(min) ? 0 : min - insetsOf(style, axis));
	};
	const line: Line = {box, main, cross, items, inner: [innerSize(0), innerSize(1)], modes, isFinal, layOut};
	measureBases(line);
	const free = freeSpace(line, owner[main]);
	const left = free.size - shareSpace(line, free.size, free.room);
	const isAcrossSkipped = !isFinal && modes[cross] === sizing.exact;
	const along = placeAlong(line, {free: left, room: free.room, owner: owner[main], isAcrossSkipped});
	const insets = insetsOf(style, cross);
	const container =
		modes[cross] === sizing.exact ? line.inner[cross] : bound(box, cross, along.across + insets, owner[cross]) - insets;
	const across = modes[cross] === sizing.exact ? line.inner[cross] : along.across;
	const bounded = bound(box, cross, across + insets, owner[cross]) - insets;
	if (isFinal) {
		alignAcross(line, container, bounded);
	}

	const sizeAlong = (axis: Axis) =>
		bound(
			box,
			axis,
			modes[axis] === sizing.exact ? outer(axis) : axis === main ? along.size : bounded + insets,
			owner[axis],
		);
	return [sizeAlong(0), sizeAlong(1)];
}

/** Returns the space that the children leave or lack along the main axis, and the room that they share. */
function freeSpace(
	{box, main, items, inner, modes}: Line,
	owner: number,
): {readonly size: number; readonly room: number} {
	const gaps = Math.max(0, items.length - 1) * gapOf(box.style, main);
	const used = items.reduce(
		(sum, child) => sum + atLeastMin(child, main, child.base, inner[main]) + marginsOf(child.style, main),
		gaps,
	);
	if (modes[main] === sizing.exact) {
		return {size: inner[main] - used, room: inner[main]};
	}

	const min = resolveLength(box.style.min[main], owner) - insetsOf(box.style, main);
	if (used < min) {
		return {size: min - used, room: min};
	}

	const isGrowing = box.parent !== undefined && box.style.grow !== 0 && items.some(({style}) => style.grow !== 0);
	return {size: used < 0 ? -used : 0, room: isGrowing ? inner[main] : used};
}

function hide(box: FlexBox): void {
	box.size = [0, 0];
	box.measured = box.size;
	box.place[0] = 0;
	box.place[1] = 0;
	box.known.clear();
	box.laidOutFor = '';
	box.children.forEach(hide);
}

/** Sets the whole cells of a box and of what is in it, so that boxes that touch still do. */
function roundToCells(box: FlexBox, parentLeft: number, parentTop: number): void {
	const [left, top] = [parentLeft + box.place[0], parentTop + box.place[1]];
	const isText = box.measure !== undefined;
	const sizeOf = (start: number, size: number) => {
		const isWhole = Math.abs(size - Math.round(size)) < 1e-4;
		return round(start + size, isText && !isWhole, isText && isWhole) - round(start, false, isText);
	};
	box.cells[0] = round(box.place[0], false, isText);
	box.cells[1] = round(box.place[1], false, isText);
	box.cells[2] = sizeOf(left, box.size[0]);
	box.cells[3] = sizeOf(top, box.size[1]);
	for (const child of box.children) {
		roundToCells(child, left, top);
	}
}

function round(value: number, isUp: boolean, isDown: boolean): number {
	const nearest = Math.round(value);
	const whole =
		Math.abs(value - nearest) < 1e-4 ? nearest : isUp ? Math.ceil(value) : isDown ? Math.floor(value) : nearest;
	// There is no cell -0.
	return whole + 0;
}
