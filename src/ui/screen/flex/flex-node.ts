import {createBox, type FlexBox, forget, type Measure} from './flex-box.ts';
import {layOutTree} from './flex-layout.ts';
import {type Axis, edgeOf, type FlexStyle, type Length, yogaConstants} from './flex-style.ts';

export type FlexNode = ReturnType<typeof createNode>;

/**
 * Creates a node of the layout, in place of Yoga's: its WebAssembly takes ten milliseconds of a start, and megabytes. It has
 * what Ink calls, and lays out as Yoga does: rows and columns that don't wrap, with sizes, space between and around, growing
 * and shrinking. Throws for the rest of Yoga.
 */
export function createNode() {
	const box = createBox();
	const nodes: FlexNode[] = [];
	const {style} = box;
	const set = <Key extends keyof FlexStyle>(key: Key, value: FlexStyle[Key]) => {
		if (style[key] !== value) {
			style[key] = value;
			forget(box);
		}
	};
	const put = <Key extends 'size' | 'min' | 'margin' | 'padding' | 'border' | 'gap'>(
		key: Key,
		index: number,
		value: FlexStyle[Key][number],
	) => {
		if (!Object.is(style[key][index], value)) {
			(style[key] as Length[])[index] = value;
			forget(box);
		}
	};

	return {
		box,
		getChildCount: () => nodes.length,
		insertChild(child: {readonly box: FlexBox}, index: number) {
			nodes.splice(index, 0, child as FlexNode);
			box.children.splice(index, 0, child.box);
			child.box.parent = box;
			forget(box);
		},
		removeChild(child: {readonly box: FlexBox}) {
			const index = box.children.indexOf(child.box);
			if (index >= 0) {
				nodes.splice(index, 1);
				box.children.splice(index, 1);
				child.box.parent = undefined;
				forget(box);
			}
		},
		setMeasureFunc(measure: Measure) {
			box.measure = measure;
			forget(box);
		},
		unsetMeasureFunc() {
			box.measure = undefined;
			forget(box);
		},
		markDirty: () => forget(box),
		free: () => undefined,
		freeRecursive: () => undefined,
		calculateLayout: (width?: number, height?: number) => layOutTree(box, width, height),
		...settersOf(set, put),
		getDisplay: () => (style.isHidden ? yogaConstants.DISPLAY_NONE : yogaConstants.DISPLAY_FLEX),
		getComputedLeft: () => box.cells[0],
		getComputedTop: () => box.cells[1],
		getComputedWidth: () => box.cells[2],
		getComputedHeight: () => box.cells[3],
		getComputedPadding: (edge: number) => edgeOf(style.padding, edge),
		getComputedBorder: (edge: number) => edgeOf(style.border, edge),
	};
}

type Set = <Key extends keyof FlexStyle>(key: Key, value: FlexStyle[Key]) => void;
type Put = <Key extends 'size' | 'min' | 'margin' | 'padding' | 'border' | 'gap'>(
	key: Key,
	index: number,
	value: FlexStyle[Key][number],
) => void;

/** Returns Yoga's own names for setting a style. */
function settersOf(set: Set, put: Put) {
	const only = (supported: number, what: string) => (value: number) => {
		if (value !== supported) {
			throw new Error(`The layout of the screen has no ${what}.`);
		}
	};
	const sizeOf = (key: 'size' | 'min', axis: Axis) => (value?: number) => put(key, axis, value ?? Number.NaN);
	const percentOf = (key: 'size' | 'min', axis: Axis) => (percent: number) => put(key, axis, {percent});
	return {
		setPositionType: only(yogaConstants.POSITION_TYPE_RELATIVE, 'absolute positions'),
		setFlexWrap: only(yogaConstants.WRAP_NO_WRAP, 'wrapping boxes'),
		setFlexDirection(direction: number) {
			only(0, 'reversed directions')(direction % 2);
			set('main', direction === yogaConstants.FLEX_DIRECTION_ROW ? 0 : 1);
		},
		setMargin: (edge: number, value: number) => put('margin', edge, value),
		setPadding: (edge: number, value: number) => put('padding', edge, Math.max(0, value)),
		setBorder: (edge: number, value: number) => put('border', edge, Math.max(0, value)),
		setGap: (gutter: number, value: number) => put('gap', gutter, value),
		setFlexGrow: (grow: number) => set('grow', grow),
		setFlexShrink: (shrink: number) => set('shrink', shrink),
		setAlignItems: (align: number) => set('alignItems', align),
		setAlignSelf: (align: number) => set('alignSelf', align),
		setJustifyContent: (justify: number) => set('justify', justify),
		setDisplay: (display: number) => set('isHidden', display === yogaConstants.DISPLAY_NONE),
		setWidth: sizeOf('size', 0),
		setHeight: sizeOf('size', 1),
		setWidthAuto: () => put('size', 0, Number.NaN),
		setHeightAuto: () => put('size', 1, Number.NaN),
		setMinWidth: sizeOf('min', 0),
		setMinHeight: sizeOf('min', 1),
		setWidthPercent: percentOf('size', 0),
		setHeightPercent: percentOf('size', 1),
		setMinWidthPercent: percentOf('min', 0),
		setMinHeightPercent: percentOf('min', 1),
	};
}

/** What Ink imports as Yoga. */
export const flex = {...yogaConstants, Node: {create: createNode}};
