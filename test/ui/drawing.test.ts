import fc from 'fast-check';
import {expect, test} from 'vitest';
import {setComposerText} from '../../src/editor/editor.ts';
import {renderMarkdown} from '../../src/terminal/markdown/markdown.ts';
import {longMarkdownSource} from '../terminal/markdown-source.ts';
import {end, palette, say, start} from './canvas.ts';
import {conversation} from './drawing.ts';

/** Without joined emoji, which the emulator gives the cells of their parts: it would cut the end of a full row. */
const drawableSource = longMarkdownSource.map(source => source.replaceAll('\u200D', ''));

const sizes = fc.constantFrom([20, 5], [20, 8], [40, 10], [80, 24], [120, 40]);

test('a streamed answer looks like one that is drawn at once', async () => {
	await fc.assert(
		fc.asyncProperty(
			drawableSource,
			sizes,
			fc.integer({min: 1, max: 60}),
			async (source, [columns = 80, rows = 24], pieces) => {
				const step = Math.max(1, Math.ceil(source.length / pieces));
				const {feed, settle, text, dispose} = conversation(columns, rows);
				await feed(start);
				for (let at = 0; at < source.length; at += step) {
					await feed(say(source.slice(at, at + step)));
				}

				await feed(end);
				await settle(1);
				const whole = renderMarkdown(source, {width: columns, palette, mark: '● '}).map(line => line.trimEnd());
				expect(text()).toEqual(whole.slice(0, whole.findLastIndex(line => line !== '') + 1));
				dispose();
			},
		),
		{numRuns: 25},
	);
});

const paragraphs = Array.from({length: 40}, (_, index) => `Paragraph ${index}. ${'and so on '.repeat(9)}`);
const countOf = (text: string, index: number) => text.split(new RegExp(`Paragraph ${index}\\.`)).length - 1;

/** Streams the paragraphs while the window changes its size, and counts each of them on the screen and above. */
async function streamThrough(sizes: readonly (readonly [columns: number, rows: number])[], pause: number) {
	const {feed, resize, settle, lines, store} = conversation(80, 30);
	// A short prompt: xterm counts what it breaks in the row of the cursor as rows above it.
	store.getState().setComposer(setComposerText(store.getState().composer, 'hi'));
	await feed(start);
	for (const [index, paragraph] of paragraphs.entries()) {
		await feed(say(`${paragraph}\n\n`));
		const size = sizes[index];
		if (size) {
			// What is on its way is drawn before the window changes.
			await settle(1);
			resize(...size);
			await settle(pause);
		}
	}

	await feed(end);
	await settle(300);
	const text = lines().join('\n');
	return {counts: paragraphs.map((_, index) => countOf(text, index)), lines: lines()};
}

const once = paragraphs.map(() => 1);

test('large changes of the height lose no paragraph and repeat none', async () => {
	const jumps = Array.from({length: 10}, (_, index) => [80, index % 2 === 0 ? 10 : 30] as const);
	expect((await streamThrough(jumps, 100)).counts).toEqual(once);
});

test('fast changes of the height lose no paragraph and repeat none', async () => {
	const jumps = Array.from({length: 40}, (_, index) => [80, index % 2 === 0 ? 10 : 30] as const);
	expect((await streamThrough(jumps, 20)).counts).toEqual(once);
});

test('small changes of the width lose no paragraph, repeat none, and leave one prompt', async () => {
	const widths = [70, 60, 50, 40, 30, 45, 60, 75, 90, 110, 60, 33, 80];
	const {counts, lines} = await streamThrough(
		widths.map(width => [width, 30] as const),
		80,
	);
	expect(counts).toEqual(once);
	expect(lines.filter(line => line.startsWith('❯ hi'))).toHaveLength(1);
	expect(lines.filter(line => /^─+$/.test(line))).toHaveLength(1);
});

test('sizes that change faster than frames are drawn leave one prompt and cut no line', async () => {
	const {feed, resize, settle, lines, store} = conversation(80, 30);
	store.getState().setComposer(setComposerText(store.getState().composer, 'hi'));
	await feed(start, say(`${paragraphs.slice(0, 20).join('\n\n')}\n\n`));
	await settle(1);
	for (const width of [60, 50, 40, 45]) {
		resize(width, 30);
		await feed(say(`${paragraphs[width / 5 + 12]}\n\n`));
		// The timer that fits the window has run, the turn that writes has not.
		await new Promise(resolve => setTimeout(resolve, 61));
	}

	await feed(end);
	await settle(300);
	expect(lines().filter(line => line.startsWith('❯ hi'))).toHaveLength(1);
	expect(lines().filter(line => /^─+$/.test(line))).toHaveLength(1);
	const words = lines().join(' ').split('Paragraph 20.')[1] ?? '';
	expect(words.match(/and so on/g)?.length).toBeGreaterThanOrEqual(9);
});

test.each([
	[1, 1],
	[10, 3],
])('a window of %i x %i for a moment leaves one prompt and its status', async (columns, rows) => {
	for (const pause of [30, 100]) {
		const {lines, counts} = await streamThrough(
			[
				[columns, rows],
				[80, 30],
			],
			pause,
		);
		expect(counts).toEqual(once);
		expect(lines.filter(line => line.startsWith('❯ hi'))).toHaveLength(1);
		expect(lines.at(-1)).toContain('idle');
	}
});
