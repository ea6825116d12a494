import fc from 'fast-check';
import {expect, test} from 'vitest';
import {reduceComposer, setComposerText} from '../../src/editor/editor.ts';
import {layoutComposer} from '../../src/editor/editor-layout.ts';
import {rowsOf} from '../../src/editor/editor-rows.ts';
import {emptyComposer} from '../../src/editor/editor-state.ts';
import {countLines, dividedText, maxPiece, spliced, textOf} from '../../src/editor/long-text.ts';
import {keyToken} from '../../src/terminal/input/token.ts';

/** Texts of many pieces: short and long lines, pairs of units at the edges of pieces. */
const longTexts = fc
	.array(
		fc.tuple(
			fc.constantFrom('a', '\n', 'word ', '日本語', '👩‍👩‍👧', 'line of text\n', '\n\n'),
			fc.integer({min: 1, max: 700}),
		),
		{maxLength: 8},
	)
	.map(parts => parts.map(([part, times]) => part.repeat(times)).join(''));

const splices = fc.array(fc.tuple(fc.nat(), fc.nat(), fc.oneof(longTexts, fc.constantFrom('', 'x', '\n'))), {
	maxLength: 12,
});

test('a long text that was changed reads as the string of the same changes', () => {
	fc.assert(
		fc.property(longTexts, splices, fc.array(fc.nat(), {maxLength: 20}), (begun, changes, places) => {
			let whole = begun;
			let source: Parameters<typeof textOf>[0] = {text: begun};
			for (const [from, length, inserted] of changes) {
				const start = from % (whole.length + 1);
				const end = Math.min(whole.length, start + (length % 3000));
				whole = whole.slice(0, start) + inserted + whole.slice(end);
				source = spliced(source, start, end, inserted);
			}

			expect(source.text).toBe(whole);
			const text = textOf(source);
			expect(text.length).toBe(whole.length);
			for (const place of places) {
				const at = (place % (whole.length + 3)) - 1;
				expect(text.charCodeAt(at)).toBe(whole.charCodeAt(at));
				expect(text.charAt(at)).toBe(whole.charAt(at));
				expect(text.indexOf('\n', Math.max(0, at))).toBe(whole.indexOf('\n', Math.max(0, at)));
				expect(text.lastIndexOf('\n', Math.max(0, at))).toBe(whole.lastIndexOf('\n', Math.max(0, at)));
				expect(text.slice(Math.max(0, at), at + 1500)).toBe(whole.slice(Math.max(0, at), at + 1500));
			}
		}),
	);
});

test('pieces stay short, and a path to one stays short after a thousand edits at any place', () => {
	let source: Parameters<typeof textOf>[0] = {text: 'line of text\n'.repeat(5000)};
	for (let index = 0; index < 1000; index++) {
		const at = (index * 7919) % source.text.length;
		source = spliced(source, at, at + (index % 40), 'x'.repeat(index % 37));
	}

	const depths: number[] = [];
	const walk = (node: NonNullable<ReturnType<typeof dividedText>>['root'], depth: number): void => {
		if (node.parts) {
			for (const part of node.parts) {
				walk(part, depth + 1);
			}
		} else {
			expect(node.length).toBeLessThanOrEqual(maxPiece);
			depths.push(depth);
		}
	};
	const root = dividedText(source)?.root;
	if (root) {
		walk(root, 0);
	}

	expect(Math.max(...depths)).toBeLessThanOrEqual(1.5 * Math.log2(depths.length) + 1);
});

test('rows are counted as if the whole text were wrapped, after every edit and in every width', () => {
	fc.assert(
		fc.property(longTexts, splices, fc.integer({min: 1, max: 60}), (begun, changes, columns) => {
			const count = {count: (text: string) => rowsOf({text, folds: []}, columns).length, counted: new WeakMap()};
			let source: Parameters<typeof textOf>[0] = {text: begun};
			for (const [from, length, inserted] of [[0, 0, ''] as const, ...changes.slice(0, 4)]) {
				const start = from % (source.text.length + 1);
				source = spliced(source, start, Math.min(source.text.length, start + (length % 3000)), inserted);
				const pieces = dividedText(source);
				if (pieces) {
					expect(countLines(pieces, count)).toBe(count.count(source.text));
					const line = source.text.lastIndexOf('\n', start) + 1;
					expect(countLines(pieces, count, line)).toBe(line === 0 ? 0 : count.count(source.text.slice(0, line)) - 1);
				}
			}
		}),
		{numRuns: 50},
	);
});

test('a long prompt is drawn as the same rows of a whole one, wherever the caret is', () => {
	fc.assert(
		fc.property(
			longTexts,
			fc.nat(),
			fc.integer({min: 2, max: 60}),
			fc.integer({min: 1, max: 12}),
			(text, at, columns, height) => {
				const end = setComposerText(emptyComposer, text);
				const {state} = reduceComposer({...end, caret: at % (text.length + 1)}, keyToken('right'), {columns});
				const rows = rowsOf(state, columns);
				const drawn = layoutComposer(state, columns, height);
				expect(drawn.hiddenAbove + drawn.rows.length + drawn.hiddenBelow - rows.length).toBeLessThanOrEqual(1);
				const shown = layoutComposer(state, columns, 1_000_000);
				expect(drawn.rows).toEqual(shown.rows.slice(drawn.hiddenAbove, drawn.hiddenAbove + drawn.rows.length));
				expect(drawn.caret.row + drawn.hiddenAbove).toBe(shown.caret.row);
			},
		),
		{numRuns: 50},
	);
});
