import fc from 'fast-check';
import {expect, test} from 'vitest';
import Yoga from 'yoga-layout';
import type {FlexBox} from '../../../../src/ui/screen/flex/flex-box.ts';
import {type FlexNode, flex} from '../../../../src/ui/screen/flex/flex-node.ts';

type Call = readonly [name: string, ...values: number[]];
type Tree = {readonly calls: readonly Call[]; readonly text: string | undefined; readonly children: readonly Tree[]};

/** `JUSTIFY_SPACE_AROUND`; the one after it is `JUSTIFY_SPACE_EVENLY`. */
const spaceAround = 4;

const cells = fc.nat(12);
const optional = (...calls: fc.Arbitrary<Call>[]) =>
	fc.tuple(...calls.map(call => fc.option(call, {nil: undefined, freq: 3}))).map(all => all.filter(call => !!call));
const call = (name: string, ...values: fc.Arbitrary<number>[]): fc.Arbitrary<Call> =>
	fc.tuple(...values).map(given => [name, ...given] as const);
const edge = fc.nat(8);
const percent = fc.integer({min: 1, max: 100});

/** Everything that Ink can set and that the layout of the screen has. */
const calls = fc
	.tuple(
		fc.tuple(call('setFlexDirection', fc.constantFrom(0, 2)), call('setFlexShrink', fc.constantFrom(0, 1, 1, 2))),
		optional(
			call('setFlexGrow', fc.constantFrom(0, 1, 2)),
			call('setMargin', edge, cells),
			call('setPadding', edge, fc.nat(3)),
			call('setBorder', fc.nat(3), fc.nat(1)),
			call('setGap', fc.nat(2), fc.nat(3)),
			fc.oneof(call('setWidth', fc.nat(40)), call('setWidthPercent', percent)),
			fc.oneof(call('setHeight', fc.nat(20)), call('setHeightPercent', percent)),
			call('setMinWidth', fc.nat(30)),
			call('setMinHeight', cells),
			call('setAlignItems', fc.constantFrom(1, 2, 3, 4)),
			call('setAlignSelf', fc.constantFrom(0, 1, 2, 3, 4)),
			call('setJustifyContent', fc.nat(5)),
		),
		fc.option(call('setDisplay', fc.constant(1)), {nil: undefined, freq: 12}),
	)
	.map(([fixed, some, hidden]): Call[] => [...fixed, ...some, ...(hidden ? [hidden] : [])]);

/**
 * Ink sets no least size of a text, and no share: Yoga would measure it in a smaller width and remember that height, and round
 * the share in 32 bits.
 */
const textCalls = calls.map(all => all.filter(([name]) => !/^setMin|Percent$/.test(name)));

const text = fc.string({unit: fc.constantFrom('a', 'b', ' '), maxLength: 30});
const trees = fc
	.letrec<{tree: Tree}>(tie => ({
		tree: fc.oneof(
			{depthSize: 'small', withCrossShrink: true},
			fc.record({calls: textCalls, text, children: fc.constant([])}),
			fc.record({calls, text: fc.constant(undefined), children: fc.constant([])}),
			fc.record({calls, text: fc.constant(undefined), children: fc.array(tie('tree'), {maxLength: 4})}),
		),
	}))
	.tree.filter(tree => !spacesNothing(tree));

/** True if a box spaces out children of which none is shown: Yoga divides by their number. */
function spacesNothing({calls: own, children}: Tree): boolean {
	const isHidden = (child: Tree) => child.calls.some(([name]) => name === 'setDisplay');
	const spaces = own.some(([name, value = 0]) => name === 'setJustifyContent' && value >= spaceAround);
	return (spaces && children.length > 0 && children.every(isHidden)) || children.some(spacesNothing);
}

/** A text that wraps at any cell. Yoga counts in 32 bits, so that a width of 10 can be a little less. */
const measureOf = (words: string) => (given: number) => {
	const width = given + 1e-4;
	const room = Math.max(1, Math.floor(width));
	return words.length <= width || !(given > 0)
		? {width: words.length, height: words ? 1 : 0}
		: {width: Math.min(room, words.length), height: Math.ceil(words.length / room)};
};

type Node = FlexNode & Record<string, (...values: number[]) => void>;

function build(tree: Tree, create: () => Node): {readonly node: Node; readonly all: readonly Node[]} {
	const node = create();
	for (const [name, ...values] of tree.calls) {
		node[name]?.(...values);
	}

	if (tree.text !== undefined) {
		node.setMeasureFunc(measureOf(tree.text));
	}

	const built = tree.children.map(child => build(child, create));
	for (const [index, {node: child}] of built.entries()) {
		node.insertChild(child, index);
	}

	return {node, all: [node, ...built.flatMap(({all}) => all)]};
}

/** What Ink reads. A box without cells has no padding, which the two say differently. */
function placeOf(node: Node): readonly number[] {
	const [width, height] = [node.getComputedWidth(), node.getComputedHeight()];
	const insets =
		width * height > 0 ? [0, 1, 2, 3].flatMap(at => [node.getComputedPadding(at), node.getComputedBorder(at)]) : [];
	return [node.getComputedLeft(), node.getComputedTop(), width, height, ...insets];
}

/** Builds a tree with both, lays it out in a window of this width, and compares every box. */
function both(tree: Tree, width: number) {
	const [own, yoga] = [flex.Node.create, Yoga.Node.create].map(create => build(tree, create as unknown as () => Node));
	const compare = () => {
		for (const {node} of [own, yoga] as (typeof own & object)[]) {
			node.setWidth(width);
			node.calculateLayout();
		}

		const expected = yoga?.all.map(placeOf) ?? [];
		// Yoga divides by zero where nothing is to be spaced out, and by almost zero where boxes can't shrink.
		if (expected.flat().every(cell => Math.abs(cell) < 1000)) {
			expect(own?.all.map(placeOf)).toEqual(expected);
		}
	};
	return {own, yoga, compare, free: () => yoga?.node.freeRecursive()};
}

const box = (calls: readonly Call[], ...children: readonly Tree[]): Tree => ({calls, text: undefined, children});
const row = ['setFlexDirection', 2] as const;

/** Trees that were laid out differently once. */
const examples: [Tree, number][] = [
	// Nobody can shrink as much as it should, and 12.72 - 3.12 - 9.6 isn't quite 0.
	[
		box(
			[row],
			box([
				['setFlexShrink', 2],
				['setWidthPercent', 13],
			]),
			box([
				['setFlexShrink', 1],
				['setMargin', 6, 7],
				['setWidthPercent', 80],
			]),
		),
		12,
	],
	// 35 - 35 * (29 / 35) isn't quite 6, which is the least.
	[
		box(
			[row, ['setPadding', 0, 1], ['setBorder', 0, 1]],
			box([
				['setFlexShrink', 1],
				['setPadding', 6, 3],
				['setWidth', 35],
			]),
		),
		8,
	],
	// A box that is wider than its content only by its least width shares that out.
	[box([], box([row, ['setMinWidth', 1], ['setAlignSelf', 1], ['setJustifyContent', spaceAround]], box([]))), 2],
	// A hidden child counts among those that grow or shrink.
	[
		box(
			[row, ['setJustifyContent', 1]],
			box([
				['setFlexShrink', 1],
				['setFlexGrow', 2],
				['setPadding', 6, 1],
			]),
			box([
				['setFlexShrink', 1],
				['setDisplay', 1],
			]),
		),
		1,
	],
];

test('trees are laid out as Yoga lays them out', () => {
	fc.assert(
		fc.property(trees, fc.integer({min: 1, max: 80}), (tree, width) => {
			const {compare, free} = both(tree, width);
			compare();
			free();
		}),
		{numRuns: 400, examples},
	);
});

test('a tree that changes is laid out as a new one', () => {
	const change = fc.record({at: fc.nat(20), calls, text, isRemoved: fc.boolean()});
	fc.assert(
		fc.property(trees, fc.array(change, {minLength: 1, maxLength: 4}), (tree, changes) => {
			const before = build(tree, flex.Node.create as unknown as () => Node);
			const {own, free} = both(tree, 40);
			for (const {at, calls: more, text: words, isRemoved} of changes) {
				before.node.calculateLayout(40);
				for (const {node, all} of own ? [before, own] : []) {
					const changed = all[at % all.length] ?? node;
					for (const [name, ...values] of more) {
						changed[name]?.(...values);
					}

					if (changed.box.measure) {
						changed.setMeasureFunc(measureOf(words));
					}

					if (isRemoved && changed.box.parent) {
						all.find(({box}) => box === changed.box.parent)?.removeChild(changed);
					}
				}
			}

			for (const node of own ? [before.node, own.node] : []) {
				node.calculateLayout(40);
			}

			expect(cellsOf(before.node.box)).toEqual(own && cellsOf(own.node.box));
			free();
		}),
		{numRuns: 200},
	);
});

/** Returns the cells of a box and of all that are in it now. */
function cellsOf(box: FlexBox): readonly (readonly number[])[] {
	return [[...box.cells], ...box.children.flatMap(cellsOf)];
}

test.each([
	['setPositionType', 2, 'absolute positions'],
	['setFlexWrap', 1, 'wrapping boxes'],
	['setFlexDirection', 1, 'reversed directions'],
	['setFlexDirection', 3, 'reversed directions'],
] as const)('%s(%i) fails at once: the layout has no %s', (name, value, what) => {
	expect(() => flex.Node.create()[name](value)).toThrow(what);
});
