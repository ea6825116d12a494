import {type Axis, type FlexStyle, initialStyle, insetsOf, resolveLength} from './flex-style.ts';

/** Returns the size of a text in cells, given the width that it may have, which is NaN if there is no limit. */
export type Measure = (width: number) => {readonly width: number; readonly height: number};

/** A box of the layout. */
export type FlexBox = {
	readonly style: FlexStyle;
	parent: FlexBox | undefined;
	readonly children: FlexBox[];
	measure: Measure | undefined;
	/** The size that was measured last, which a parent decides by. */
	measured: readonly [number, number];
	/** The size along the main axis of the parent, before space is shared out. */
	base: number;
	/** The place in the parent and the size, in fractions of cells. */
	readonly place: [number, number];
	size: readonly [number, number];
	/** The place in the parent and the size, in whole cells. */
	readonly cells: [left: number, top: number, width: number, height: number];
	/** Sizes by what they were measured for, until something changes here or below. */
	readonly known: Map<string, readonly [number, number]>;
	/** What the box was laid out for. */
	laidOutFor: string;
};

/** How a size is meant: as large as the content, exactly so, or at most so. By the numbers of Yoga. */
export const sizing = {content: 0, exact: 1, atMost: 2} as const;
export type Sizing = (typeof sizing)[keyof typeof sizing];

/** Available sizes with margins, NaN for none, how they are meant, and the inner sizes of the parent, for shares of them. */
export type Request = {
	readonly available: readonly [number, number];
	readonly modes: readonly [Sizing, Sizing];
	readonly owner: readonly [number, number];
};

/** A box whose children are laid out one after the other. */
export type Line = {
	readonly box: FlexBox;
	readonly main: Axis;
	readonly cross: Axis;
	/** The children that aren't hidden. */
	readonly items: readonly FlexBox[];
	/** The sizes within padding and border, NaN for none. */
	readonly inner: readonly [number, number];
	readonly modes: Request['modes'];
	readonly isFinal: boolean;
	/** Measures a child, and places what is in it if `isFinal`. */
	readonly layOut: (child: FlexBox, request: Request, isFinal: boolean) => void;
};

/** Returns an empty box. */
export function createBox(): FlexBox {
	return {
		style: initialStyle(),
		parent: undefined,
		children: [],
		measure: undefined,
		measured: [0, 0],
		base: 0,
		place: [0, 0],
		size: [0, 0],
		cells: [0, 0, 0, 0],
		known: new Map(),
		laidOutFor: '',
	};
}

/** Forgets what was measured here and above, because something has changed. */
export function forget(box: FlexBox): void {
	for (let changed: FlexBox | undefined = box; changed; changed = changed.parent) {
		changed.known.clear();
		changed.laidOutFor = '';
	}
}

/** Returns the size that the style sets along an axis; NaN if it sets none. */
export function definiteSize({style}: FlexBox, axis: Axis, owner: number): number {
	const size = resolveLength(style.size[axis], owner);
	return size >= 0 ? size : Number.NaN;
}

/** Returns a size that is at least what the style demands. */
export function atLeastMin({style}: FlexBox, axis: Axis, size: number, owner: number): number {
	const min = resolveLength(style.min[axis], owner);
	return min >= 0 && size < min ? min : size;
}

/** Returns a size with room for padding and border, too. */
export function bound(box: FlexBox, axis: Axis, size: number, owner: number): number {
	const least = insetsOf(box.style, axis);
	const bounded = atLeastMin(box, axis, size, owner);
	return bounded < least || Number.isNaN(bounded) ? least : bounded;
}
