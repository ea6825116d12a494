/** What the enumerations of Yoga are called with, by its own numbers. */
export const yogaConstants = {
	...{ALIGN_AUTO: 0, ALIGN_FLEX_START: 1, ALIGN_CENTER: 2, ALIGN_FLEX_END: 3, ALIGN_STRETCH: 4},
	...{DIRECTION_LTR: 1, DISPLAY_FLEX: 0, DISPLAY_NONE: 1},
	...{EDGE_LEFT: 0, EDGE_TOP: 1, EDGE_RIGHT: 2, EDGE_BOTTOM: 3, EDGE_START: 4, EDGE_END: 5},
	...{EDGE_HORIZONTAL: 6, EDGE_VERTICAL: 7, EDGE_ALL: 8},
	...{FLEX_DIRECTION_COLUMN: 0, FLEX_DIRECTION_COLUMN_REVERSE: 1, FLEX_DIRECTION_ROW: 2, FLEX_DIRECTION_ROW_REVERSE: 3},
	...{GUTTER_COLUMN: 0, GUTTER_ROW: 1, GUTTER_ALL: 2},
	...{JUSTIFY_FLEX_START: 0, JUSTIFY_CENTER: 1, JUSTIFY_FLEX_END: 2},
	...{JUSTIFY_SPACE_BETWEEN: 3, JUSTIFY_SPACE_AROUND: 4, JUSTIFY_SPACE_EVENLY: 5},
	...{POSITION_TYPE_RELATIVE: 1, POSITION_TYPE_ABSOLUTE: 2, WRAP_NO_WRAP: 0, WRAP_WRAP: 1, WRAP_WRAP_REVERSE: 2},
} as const;

/** Width or height, and left or top: the index of a pair. */
export type Axis = 0 | 1;

/** A number of cells, NaN if it isn't set, or a share of the parent's. */
export type Length = number | {readonly percent: number};

export type FlexStyle = {
	/** The axis along which children follow each other: 0 is a row, 1 a column. */
	main: Axis;
	isHidden: boolean;
	grow: number;
	shrink: number;
	readonly size: [Length, Length];
	readonly min: [Length, Length];
	justify: number;
	alignItems: number;
	alignSelf: number;
	/** By edge, as Yoga numbers them; NaN if it isn't set. */
	readonly margin: number[];
	readonly padding: number[];
	readonly border: number[];
	/** By gutter, as Yoga numbers them. */
	readonly gap: number[];
};

const nine = () => Array.from({length: 9}, () => Number.NaN);

/** Returns the style of a node on which nothing was set, as Yoga has it. */
export function initialStyle(): FlexStyle {
	return {
		main: 1,
		isHidden: false,
		grow: 0,
		shrink: 0,
		size: [Number.NaN, Number.NaN],
		min: [Number.NaN, Number.NaN],
		justify: yogaConstants.JUSTIFY_FLEX_START,
		alignItems: yogaConstants.ALIGN_STRETCH,
		alignSelf: yogaConstants.ALIGN_AUTO,
		margin: nine(),
		padding: nine(),
		border: nine(),
		gap: [Number.NaN, Number.NaN, Number.NaN],
	};
}

/** Returns a length in cells, given that of the parent; NaN if it has none. */
export function resolveLength(length: Length, owner: number): number {
	return typeof length === 'number' ? length : (owner * length.percent) / 100;
}

const orNot = (value: number | undefined, other: number) =>
	value === undefined || Number.isNaN(value) ? other : value;

/** Returns the value of the left, top, right or bottom edge: the most specific one that is set, or 0. */
export function edgeOf(edges: readonly number[], edge: number): number {
	const all = orNot(edges[edge % 2 === 0 ? 6 : 7], orNot(edges[8], 0));
	const own = orNot(edges[edge], all);
	return edge % 2 === 0 ? orNot(edges[edge === 0 ? 4 : 5], own) : own;
}

/** Returns the margins at both ends of an axis. */
export function marginsOf({margin}: FlexStyle, axis: Axis): number {
	return edgeOf(margin, axis) + edgeOf(margin, axis + 2);
}

/** Returns padding and border at the start of an axis. */
export function insetBefore({padding, border}: FlexStyle, axis: Axis): number {
	return edgeOf(padding, axis) + edgeOf(border, axis);
}

/** Returns padding and border at both ends of an axis. */
export function insetsOf(style: FlexStyle, axis: Axis): number {
	const after = axis + 2;
	return insetBefore(style, axis) + edgeOf(style.padding, after) + edgeOf(style.border, after);
}

/** Returns the space between two children along an axis. */
export function gapOf({gap}: FlexStyle, axis: Axis): number {
	return orNot(gap[axis], orNot(gap[2], 0));
}
