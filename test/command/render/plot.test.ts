import fc from 'fast-check';
import {expect, test} from 'vitest';
import {drawPlot, type Plot, type Point} from '../../../src/command/render/plot.ts';
import {safeLine} from '../../../src/terminal/text/safe-text.ts';
import {lineWidth} from '../../../src/terminal/text/width.ts';
import {anyText} from '../../any-text.ts';

const bars = (...all: readonly (readonly [string, number])[]): Plot => ({shape: 'bars', bars: all});
const curve = (...points: readonly Point[]): Plot => ({shape: 'curve', points});

test('bars are proportional, and any number above 0 is visible', () => {
	expect(drawPlot(bars(['cat', 1], ['a long name of a class indeed', 0.5], ['fish', 0.0001]), 60)).toEqual([
		'cat                         1  █████████████████████████████',
		'a long name of a cl…      0.5  ██████████████▌',
		'fish                  1.00e-4  ▏',
	]);
});

test('[1] labels are drawn safely, and numbers without a bar are still shown', () => {
	const hostile = bars(['\u001B[2J', Number.NaN], ['b', 1e308], ['c', -1], ['d', 0], ['e', Number.POSITIVE_INFINITY]);
	expect(drawPlot(hostile, 30)).toEqual([
		'␛[2J          ?',
		'b     1.00e+308  █████████████',
		'c            -1',
		'd             0',
		'e             ?',
	]);
});

test('bars that do not fit are counted', () => {
	const many = drawPlot(bars(...Array.from({length: 10_000}, (_, index) => [`class ${index}`, index] as const)), 80);
	expect([many.length, many[0], many.at(-1)]).toEqual([21, 'class 0    0', 'and 9980 more']);
});

test('a curve rises from its first point to its last', () => {
	expect(drawPlot(curve([0, 0], [0.1, 0.6], [0.3, 0.85], [1, 1]), 40)).toEqual([
		'1 ┤                   ⣀⣀⣀⣀⣀⠤⠤⠤⠤⠤⠒⠒⠒⠒⠒⠉⠉⠉',
		'  │        ⢀⡠⠔⠒⠒⠒⠉⠉⠉⠉⠉',
		'  │    ⢀⡠⠔⠊⠁',
		'  │   ⡜⠁',
		'  │  ⡰⠁',
		'  │ ⢠⠃',
		'  │⢀⠎',
		'0 ┤⡜',
		'  └─────────────────────────────────────',
		'   0                                   1',
	]);
});

test('the largest numbers do not overflow', () => {
	const lines = drawPlot(curve([-1e308, 1e308], [1e308, -1e308], [Number.NaN, 1]), 40);
	expect([lines[0], lines[7], lines[9]]).toEqual([
		' 1.00e+308 ┤⠑⠢⢄⡀',
		'-1.00e+308 ┤                        ⠈⠑⠢⢄',
		'            -1.00e+308         1.00e+308',
	]);
});

test.each([
	[bars(), 40, ['Nothing to draw.']],
	[curve(), 40, ['Nothing to draw.']],
	[curve([Number.NaN, 0]), 40, ['Nothing to draw.']],
	[curve([0, 0], [1, 1]), 8, ['Too nar…']],
])('%j at %i columns is described in words', (plot, width, lines) => {
	expect(drawPlot(plot, width)).toEqual(lines);
});

test('one point stands in the middle', () => {
	const lines = drawPlot(curve([2, 5]), 20);
	expect(lines.filter(line => /[\u2800-\u28FF]/.test(line))).toEqual(['  │        ⠈']);
});

test('ten thousand points take as much room as ten', () => {
	const wave = Array.from({length: 10_000}, (_, index) => [index, Math.sin(index / 500)] as const);
	const lines = drawPlot(curve(...wave), 200);
	expect([lines.length, Math.max(...lines.map(lineWidth))]).toEqual([10, 64]);
});

const number = fc.oneof(fc.double(), fc.constantFrom(0, 1, -1, 1e308, -1e308, 5e-324, Number.NaN));

test('no plot exceeds its width or height or draws unsafe text', () => {
	const plot = fc.oneof(
		fc.array(fc.tuple(anyText(), number)).map(all => bars(...all)),
		fc.array(fc.tuple(number, number)).map(all => curve(...all)),
	);
	fc.assert(
		fc.property(plot, fc.integer({min: 1, max: 120}), (drawing, width) => {
			const lines = drawPlot(drawing, width);
			expect(lines.length).toBeLessThanOrEqual(21);
			for (const line of lines) {
				expect(lineWidth(line)).toBeLessThanOrEqual(width);
				expect(safeLine(line)).toBe(line);
			}
		}),
		{numRuns: 300},
	);
});
