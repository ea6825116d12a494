type Size = {readonly width: number; readonly height: number};

type Box = {
	readonly children: Box[];
	/** True if the children are side by side, false if they are on top of each other. */
	isRow: boolean;
	/** True for a child of a row that ends where the row does. */
	shrinks: boolean;
	width: number | undefined;
	height: number | undefined;
	/** Returns the size of a text with lines of at most so many cells; undefined for what has children. */
	measure: ((width: number) => Size) | undefined;
	/** Where it is in its parent, and its size. */
	place: Size & {readonly left: number; readonly top: number};
};

/**
 * Creates a node of the layout, in place of Yoga's: its WebAssembly takes ten milliseconds of a start, and megabytes. It has
 * what Ink calls, and stacks what our screens are made of: finished rows in whole cells. Throws an error with the name of any
 * other property that a box has.
 */
function createNode() {
	const box: Box = {
		children: [],
		isRow: false,
		shrinks: false,
		width: undefined,
		height: undefined,
		measure: undefined,
		place: {left: 0, top: 0, width: 0, height: 0},
	};
	return {
		box,
		getChildCount: () => box.children.length,
		insertChild: (child: {readonly box: Box}, index: number) => void box.children.splice(index, 0, child.box),
		removeChild(child: {readonly box: Box}) {
			const index = box.children.indexOf(child.box);
			if (index >= 0) {
				box.children.splice(index, 1);
			}
		},
		setMeasureFunc(measure: Box['measure']) {
			box.measure = measure;
		},
		calculateLayout: () => place(box, {left: 0, top: 0, width: widthOf(box, Number.POSITIVE_INFINITY)}),
		setFlexDirection(direction: number | undefined) {
			box.isRow = direction === stackedRows.FLEX_DIRECTION_ROW;
			if (!box.isRow && direction !== stackedRows.FLEX_DIRECTION_COLUMN) {
				refuse('flexDirection in reverse');
			}
		},
		setFlexShrink(shrink: number) {
			box.shrinks = shrink > 0;
		},
		setWidth(width: number | undefined) {
			box.width = width;
		},
		setHeight(height: number | undefined) {
			box.height = height;
		},
		setWidthAuto() {
			box.width = undefined;
		},
		setHeightAuto() {
			box.height = undefined;
		},
		...refusals,
		getComputedLeft: () => box.place.left,
		getComputedTop: () => box.place.top,
		getComputedWidth: () => box.place.width,
		getComputedHeight: () => box.place.height,
		getComputedPadding: () => 0,
		getComputedBorder: () => 0,
		getDisplay: () => stackedRows.DISPLAY_FLEX,
		// Nothing is remembered, or outside of JavaScript's memory.
		markDirty: () => undefined,
		unsetMeasureFunc: () => undefined,
		free: () => undefined,
		freeRecursive: () => undefined,
	};
}

/** What Ink imports as Yoga. Its names for what a box can't have are missing, so that the setters get undefined. */
export const stackedRows = {
	FLEX_DIRECTION_COLUMN: 0,
	FLEX_DIRECTION_ROW: 2,
	WRAP_NO_WRAP: 0,
	DISPLAY_FLEX: 0,
	Node: {create: createNode},
};

/** Places a box that is this wide, and what is in it. */
function place(
	box: Box,
	{left, top, width}: {readonly left: number; readonly top: number; readonly width: number},
): void {
	let height = box.measure?.(width).height ?? 0;
	let right = 0;
	for (const child of box.children) {
		if (box.isRow) {
			const wanted = widthOf(child, width);
			place(child, {left: right, top: 0, width: child.shrinks ? Math.max(0, Math.min(wanted, width - right)) : wanted});
			right += child.place.width;
			height = Math.max(height, child.place.height);
		} else {
			place(child, {left: 0, top: height, width: child.width ?? width});
			height += child.place.height;
		}
	}

	box.place = {left, top, width, height: box.height ?? height};
}

/** Returns how wide a box is in a row with this room. */
function widthOf(box: Box, room: number): number {
	const ofChildren = () => box.children.map(child => widthOf(child, room));
	return (
		box.width ??
		box.measure?.(room).width ??
		(box.isRow ? ofChildren().reduce((sum, width) => sum + width, 0) : Math.max(0, ...ofChildren()))
	);
}

/** The setters of what no screen uses, each with the property of a box and the value that asks for nothing, if Ink sets it. */
const refusals = Object.fromEntries(
	Object.entries({
		setPositionType: ['position'],
		setMargin: ['margin'],
		setPadding: ['padding'],
		setBorder: ['borderStyle'],
		setGap: ['gap'],
		setFlexGrow: ['flexGrow', 0],
		setFlexWrap: ['flexWrap', 0],
		setFlexBasis: ['flexBasis'],
		setFlexBasisPercent: ['flexBasis'],
		setAlignItems: ['alignItems'],
		setAlignSelf: ['alignSelf'],
		setJustifyContent: ['justifyContent'],
		setMinWidth: ['minWidth'],
		setMinWidthPercent: ['minWidth'],
		setMinHeight: ['minHeight'],
		setMinHeightPercent: ['minHeight'],
		setWidthPercent: ['width in percent'],
		setHeightPercent: ['height in percent'],
		setDisplay: ['display', 0],
	} as const).map(([setter, [property, neutral]]) => [
		setter,
		(value: number | undefined) => {
			if (neutral === undefined || value !== neutral) {
				refuse(property);
			}
		},
	]),
);

function refuse(property: string): never {
	throw new Error(`The screen stacks rows: its boxes have no ${property}.`);
}
