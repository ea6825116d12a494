import fc from 'fast-check';
import {expect, test} from 'vitest';
import Yoga from 'yoga-layout';
import {measureText, wrapText} from '../../../../src/ui/screen/ink/ink-text.ts';
import {stackedRows} from '../../../../src/ui/screen/ink/stacked-rows.ts';

/** Ink's own function that passes the properties of a box on to its node. */
const inkStyles = new URL('../../../../node_modules/ink/build/styles.js', import.meta.url).href;
const {default: applyStyles}: {default: (node: unknown, style: object) => void} = await import(inkStyles);

type Screen = {readonly style: object; readonly text?: string; readonly children?: readonly Screen[]};
type Node = Record<string, (...values: unknown[]) => unknown>;

/** What Ink sets of every box and text. */
const usual = {flexWrap: 'nowrap', flexDirection: 'row', flexGrow: 0, flexShrink: 1};

const words = fc.string({unit: fc.constantFrom('a', 'b', ' '), minLength: 1, maxLength: 30});
const texts: fc.Arbitrary<Screen> = words.map(text => ({style: usual, text}));
/** Finished lines, which may be wider than the window. */
const lines: fc.Arbitrary<Screen> = fc.array(words, {minLength: 1, maxLength: 4}).map(all => ({
	style: {...usual, width: 4096, height: all.length, flexShrink: 0},
	children: [{style: usual, text: all.join('\n')}],
}));
const spaces: fc.Arbitrary<Screen> = fc.nat(6).map(height => ({style: {...usual, height, flexShrink: 0}}));
/** A label, and beside it a text in the cells that are left. */
const fields: fc.Arbitrary<Screen> = fc.tuple(words, texts).map(([label, text]) => ({
	style: {...usual, height: 1},
	children: [{style: {...usual, flexShrink: 0}, children: [{style: usual, text: label}]}, text],
}));
const screens = fc.letrec<{screen: Screen}>(tie => ({
	screen: fc.oneof(
		{depthSize: 'small', withCrossShrink: true},
		...[texts, lines, spaces, fields],
		fc.array(tie('screen'), {maxLength: 5}).map(children => ({style: {...usual, flexDirection: 'column'}, children})),
	),
})).screen;

/** Returns the nodes of a screen, the first of which is the window. */
function build({style, text, children = []}: Screen, create: () => Node): readonly Node[] {
	const node = create();
	applyStyles(node, style);
	if (text !== undefined) {
		node['setMeasureFunc']?.((width: number) => {
			const size = measureText(text);
			return size.width <= width || (width > 0 && width < 1) ? size : measureText(wrapText(text, width, 'wrap'));
		});
	}

	const built = children.map(child => build(child, create));
	for (const [index, [child]] of built.entries()) {
		node['insertChild']?.(child, index);
	}

	return [node, ...built.flat()];
}

/**
 * Lays a screen out in a window of this width, and returns where everything is, and the height of all. Ink doesn't read that
 * of a text, which is as high as its row in Yoga.
 */
function layOut(screen: Screen, width: number, create: unknown) {
	const nodes = build({style: {flexDirection: 'column'}, children: [screen]}, create as () => Node);
	nodes[0]?.['setWidth']?.(width);
	nodes[0]?.['calculateLayout']?.(undefined, undefined, 1);
	const read = ['getComputedLeft', 'getComputedTop', 'getComputedWidth'];
	const places = nodes.map(node => read.map(name => node[name]?.()));
	const height = nodes[0]?.['getComputedHeight']?.();
	nodes[0]?.['freeRecursive']?.();
	return {places, height};
}

test('screens are stacked as Yoga lays them out', () => {
	fc.assert(
		fc.property(screens, fc.integer({min: 1, max: 80}), (screen, width) => {
			expect(layOut(screen, width, stackedRows.Node.create)).toEqual(layOut(screen, width, Yoga.Node.create));
		}),
		{numRuns: 400},
	);
});

test('a node that is removed leaves its rows to those below it', () => {
	const {create} = stackedRows.Node;
	const [window, first, second] = [create(), create(), create()];
	for (const [index, child] of [first, second].entries()) {
		child.setHeight(index + 1);
		window.insertChild(child, index);
	}

	window.calculateLayout();
	expect([second.getComputedTop(), window.getComputedHeight(), window.getChildCount()]).toEqual([1, 3, 2]);
	window.removeChild(first);
	window.removeChild(first);
	window.calculateLayout();
	expect([second.getComputedTop(), window.getComputedHeight(), window.getChildCount()]).toEqual([0, 2, 1]);
});

test.each([
	['position', {position: 'absolute'}],
	['margin', {marginTop: 1}],
	['padding', {paddingX: 1}],
	['borderStyle', {borderStyle: 'single'}],
	['gap', {columnGap: 1}],
	['flexGrow', {flexGrow: 1}],
	['flexWrap', {flexWrap: 'wrap'}],
	['flexBasis', {flexBasis: 10}],
	['flexDirection in reverse', {flexDirection: 'row-reverse'}],
	['flexDirection in reverse', {flexDirection: 'column-reverse'}],
	['alignItems', {alignItems: 'center'}],
	['alignSelf', {alignSelf: 'flex-end'}],
	['justifyContent', {justifyContent: 'space-between'}],
	['minWidth', {minWidth: 10}],
	['minHeight', {minHeight: '50%'}],
	['width in percent', {width: '50%'}],
	['height in percent', {height: '50%'}],
	['display', {display: 'none'}],
])('a box with the property %s fails at once', (property, style) => {
	expect(() => applyStyles(stackedRows.Node.create(), style)).toThrow(`its boxes have no ${property}.`);
});
