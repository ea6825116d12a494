import fc from 'fast-check';
import {render} from 'ink-testing-library';
import {expect, onTestFinished, test} from 'vitest';
import {hyperlink} from '../../../../src/terminal/text/ansi.ts';
import {parseSgr} from '../../../../src/terminal/text/sgr.ts';
import {createPalette} from '../../../../src/terminal/text/style.ts';
import {Box, Text} from '../../../../src/ui/ink.ts';
import {Lines} from '../../../../src/ui/lines.tsx';
import {createRowOutput} from '../../../../src/ui/screen/ink/row-output.ts';

type Output = ReturnType<typeof createRowOutput>;

/** Ink's own output, which the build replaces. */
const inkOutput = new URL('../../../../node_modules/ink/build/output.js', import.meta.url).href;
const {default: InkOutput}: {default: new (size: {width: number; height: number}) => Output} = await import(inkOutput);

const size = {width: 24, height: 6};
const {strong, danger, dim} = createPalette({color: true});
const text = fc
	.array(
		fc
			.tuple(fc.constantFrom('a', 'some words', 'ü', '─┐'), fc.constantFrom(strong, danger, dim, String))
			.map(([word, style]) => style(word)),
		{minLength: 1, maxLength: 3},
	)
	.map(words => words.join(' '));
const operation = fc.oneof(
	fc.record({
		type: fc.constant('write' as const),
		x: fc.nat(20),
		y: fc.nat(7),
		text: fc.array(text, {minLength: 1, maxLength: 3}).map(lines => lines.join('\n')),
		isUpper: fc.boolean(),
	}),
	fc
		.record({x1: fc.nat(10), y1: fc.nat(3), width: fc.integer({min: 1, max: 12}), height: fc.integer({min: 1, max: 4})})
		.map(({x1, y1, width, height}) => ({type: 'clip' as const, clip: {x1, y1, x2: x1 + width, y2: y1 + height}})),
	fc.constant({type: 'unclip' as const}),
);

function drawOn(output: Output, operations: readonly (typeof operation extends fc.Arbitrary<infer T> ? T : never)[]) {
	for (const each of operations) {
		if (each.type === 'write') {
			const transformers = each.isUpper ? [(line: string) => danger(line)] : [];
			output.write(each.x, each.y, each.text, {transformers});
		} else if (each.type === 'clip') {
			output.clip(each.clip);
		} else {
			output.unclip();
		}
	}

	return output.get();
}

/** Returns each character of each row with its style; a space has none that matters. */
function cellsOf(drawn: string) {
	return drawn.split('\n').map(row =>
		parseSgr(row)
			.flatMap(({text, style}) =>
				[...text].map(
					character =>
						`${character}${
							character === ' '
								? ''
								: JSON.stringify(
										Object.entries(style)
											.filter(([, value]) => value !== undefined)
											.sort(),
									)
						}`,
				),
			)
			.join('')
			.trimEnd(),
	);
}

test('any texts, styles and clips are drawn as Ink draws them', () => {
	fc.assert(
		fc.property(fc.array(operation, {maxLength: 8}), operations => {
			const own = drawOn(new InkOutput(size), operations);
			const ours = drawOn(createRowOutput(size), operations);
			expect(cellsOf(ours.output)).toEqual(cellsOf(own.output));
			expect(ours.height).toBe(own.height);
		}),
		{numRuns: 300},
	);
});

test('a wide character that another text covers in part leaves a space', () => {
	const output = createRowOutput(size);
	output.write(0, 0, '日本', {transformers: []});
	output.write(1, 0, 'x', {transformers: []});
	expect(output.get().output.split('\n')[0]).toBe(' x本');
});

test('a line that has a row for itself is the row, byte by byte', () => {
	const lines = [
		`${strong('one')} ${hyperlink('a link', 'https://example.com')}`,
		'\u001b[1m\u001b[31mboth\u001b[0m',
		'',
		'日本語',
	];
	const {lastFrame, unmount} = render(
		<Box flexDirection="column">
			<Lines lines={lines} />
			<Text>last</Text>
		</Box>,
	);
	onTestFinished(unmount);
	expect(lastFrame()?.split('\n')).toEqual([...lines, 'last']);
});

test('texts beside each other and clips are drawn', () => {
	const {lastFrame, unmount} = render(
		<Box width={10} height={1} overflow="hidden">
			<Box flexShrink={0}>
				<Text>label </Text>
			</Box>
			<Text wrap="truncate">long value</Text>
		</Box>,
	);
	onTestFinished(unmount);
	expect(lastFrame()?.split('\n')).toEqual(['label lon…']);
});
