import {atLeastMin, bound, definiteSize, type FlexBox, type Line, type Sizing, sizing} from './flex-box.ts';
import {type Axis, insetsOf, marginsOf, yogaConstants} from './flex-style.ts';

/** Returns true if a child without a size of its own becomes as large as its parent across the main axis. */
export function isStretched(box: FlexBox, child: FlexBox): boolean {
	const {alignSelf} = child.style;
	const align = alignSelf === yogaConstants.ALIGN_AUTO ? box.style.alignItems : alignSelf;
	return align === yogaConstants.ALIGN_STRETCH;
}

/** Sets what each child takes along the main axis before space is shared out. */
export function measureBases(line: Line): void {
	const {box, main, items, modes} = line;
	const single = modes[main] === sizing.exact ? singleFlexible(box.children) : undefined;
	for (const child of items) {
		child.base = child === single ? 0 : baseOf(line, child);
	}
}

/**
 * Returns the only child that grows or shrinks, if it does both: it gets what the others leave, so it needn't be measured. As
 * in Yoga, a hidden child counts.
 */
function singleFlexible(children: readonly FlexBox[]): FlexBox | undefined {
	const flexible = children.filter(({style}) => style.grow !== 0 || style.shrink !== 0);
	const [first] = flexible;
	return flexible.length === 1 && first && first.style.grow !== 0 && first.style.shrink !== 0 ? first : undefined;
}

function baseOf(line: Line, child: FlexBox): number {
	const {box, main, cross, inner, modes} = line;
	const insets = insetsOf(child.style, main);
	const own = definiteSize(child, main, inner[main]);
	if (!Number.isNaN(own)) {
		return Math.max(own, insets);
	}

	const available: [number, number] = [Number.NaN, Number.NaN];
	const wanted: [Sizing, Sizing] = [sizing.content, sizing.content];
	for (const axis of [0, 1] as const) {
		const size = definiteSize(child, axis, inner[axis]);
		if (!Number.isNaN(size)) {
			available[axis] = size + marginsOf(child.style, axis);
			wanted[axis] = sizing.exact;
		} else if (!Number.isNaN(inner[axis])) {
			available[axis] = inner[axis];
			const isFilled = axis === cross && modes[cross] === sizing.exact && isStretched(box, child);
			wanted[axis] = isFilled ? sizing.exact : sizing.atMost;
		}
	}

	line.layOut(child, {available, modes: wanted, owner: inner}, false);
	return Math.max(child.measured[main], insets);
}

/** The smallest number that isn't an error of rounding. */
const least = 1e-9;

type Factors = {grow: number; shrink: number};

/** Returns the sums of what the children grow by, and shrink by for their size. */
function factorsOf(items: readonly FlexBox[]): Factors {
	const grow = items.reduce((sum, {style}) => sum + style.grow, 0);
	const shrink = items.reduce((sum, {style, base}) => sum - style.shrink * base, 0);
	return {
		grow: grow > 0 && grow < 1 ? 1 : grow,
		shrink: shrink > 0 && shrink < 1 ? 1 : shrink,
	};
}

/**
 * Shares out the space that is free along the main axis, or that is missing if it is negative, in a room of this size. Measures
 * each child at its size. Returns the space that was shared out.
 */
export function shareSpace(line: Line, free: number, room: number): number {
	const {main, cross, items, inner, modes, isFinal} = line;
	if (!isFinal && modes[cross] === sizing.exact) {
		return 0;
	}

	const factors = factorsOf(items);
	const left = free - keepLimits(line, {free, room, factors});
	let shared = 0;
	for (const child of items) {
		const base = atLeastMin(child, main, child.base, inner[main]);
		const size = sizeWith(child, {base, free: left, factors});
		const bounded = size === undefined ? base : bound(child, main, size, room);
		shared += bounded - base;
		measureAt(line, child, bounded);
	}

	return shared;
}

type Shared = {readonly free: number; readonly factors: Factors};

/** Returns the size of a child with its share of the space; undefined if it gets none. */
function sizeWith({style}: FlexBox, {base, free, factors}: Shared & {readonly base: number}): number | undefined {
	if (free < 0 && style.shrink * base !== 0) {
		const scaled = -style.shrink * base;
		return base + (factors.shrink === 0 ? scaled : (free / factors.shrink) * scaled);
	}

	return free > 0 && style.grow !== 0 ? base + (free / factors.grow) * style.grow : undefined;
}

/**
 * Removes the children from `factors` that can't have their share, because their least size is larger. Returns the space that
 * they take of what is free.
 */
function keepLimits({main, items, inner}: Line, {free, room, factors}: Shared & {readonly room: number}): number {
	const before = {...factors};
	let taken = 0;
	for (const child of items) {
		const base = atLeastMin(child, main, child.base, inner[main]);
		const size = sizeWith(child, {base, free, factors: before});
		const bounded = size === undefined ? undefined : bound(child, main, size, room);
		if (size !== undefined && bounded !== undefined && Math.abs(bounded - size) > least) {
			taken += bounded - base;
			factors.grow -= free > 0 ? child.style.grow : 0;
			factors.shrink += free < 0 ? child.style.shrink * child.base : 0;
			before.grow = factors.grow;
			before.shrink = factors.shrink;
		}
	}

	// What rounding leaves of a sum is none: a share of it would be endless.
	factors.grow = Math.abs(factors.grow) < least ? 0 : factors.grow;
	factors.shrink = Math.abs(factors.shrink) < least ? 0 : factors.shrink;
	return taken;
}

/** Measures a child whose size along the main axis is decided. */
function measureAt(line: Line, child: FlexBox, size: number): void {
	const {box, main, cross, inner, modes, isFinal} = line;
	const own = definiteSize(child, cross, inner[cross]);
	const isOpen = Number.isNaN(own);
	const isFilled = isOpen && isStretched(box, child);
	const available: [number, number] = [0, 0];
	const wanted: [Sizing, Sizing] = [sizing.exact, sizing.exact];
	available[main] = size + marginsOf(child.style, main);
	available[cross] = isOpen ? inner[cross] : own + marginsOf(child.style, cross);
	if (Number.isNaN(available[cross]) || isLoose(child, cross, modes[cross])) {
		wanted[cross] = sizing.content;
	} else if (isOpen && !(isFilled && modes[cross] === sizing.exact)) {
		wanted[cross] = sizing.atMost;
	}

	line.layOut(child, {available, modes: wanted, owner: inner}, isFinal && !isFilled);
}

/** Returns true for a share of a size that isn't known for certain. */
function isLoose({style}: FlexBox, axis: Axis, mode: Sizing): boolean {
	return typeof style.size[axis] !== 'number' && mode !== sizing.exact;
}
