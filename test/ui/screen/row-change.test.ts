import fc from 'fast-check';
import {expect, onTestFinished, test} from 'vitest';
import {hyperlink} from '../../../src/terminal/text/ansi.ts';
import {createPalette} from '../../../src/terminal/text/style.ts';
import {rowChange} from '../../../src/ui/screen/live-region.ts';
import {createEmulator} from '../emulator.ts';

const {strong, danger, mark} = createPalette({color: true});

test.each([
	['text at the end', 'some wor', 'some words', '\u001b[9Gds'],
	['less text', 'some words', 'some', '\u001b[5G\u001b[K'],
	['other text', 'some words', 'some more', '\u001b[6G\u001b[Kmore'],
	['text in a style that goes on', danger('abc'), danger('abcd'), '\u001b[4G\u001b[31md\u001b[0m'],
	['text after a style that has ended', `${strong('a')} b`, `${strong('a')} bc`, '\u001b[4Gc'],
	['a mark on the last character', 'abe', 'abe\u0301', '\u001b[3G\u001b[Ke\u0301'],
	['a character without its mark', 'abe\u0301', 'abe', '\u001b[3G\u001b[Ke'],
	['text after a wide character', '日本 a', '日本 ab', '\r\u001b[2K日本 ab'],
	['text after one that some terminals draw wide', '· a', '· ab', '\r\u001b[2K· ab'],
	[
		'a link',
		'see ',
		`see ${hyperlink('it', 'https://example.com')}`,
		`\u001b[5G${hyperlink('it', 'https://example.com')}`,
	],
	['an empty row', '', 'all of it', '\rall of it'],
])('%s', (_, shown, row, written) => {
	expect(rowChange(shown, row)).toBe(written);
});

const part = fc.constantFrom(
	'some ',
	'words',
	'e',
	'e\u0301',
	'日',
	'❯ ',
	'─',
	'👍🏽',
	strong('bold'),
	danger('red'),
	mark('on'),
	hyperlink('link', 'https://example.com'),
	'  ',
);
const row = fc.array(part, {maxLength: 4}).map(parts => parts.join(''));
/** Two rows that often begin alike. */
const rows = fc.tuple(row, row, row).map(([start, one, other]) => [start + one, start + other] as const);

test('a terminal shows the same as if the whole row were written, with its styles', async () => {
	const emulator = createEmulator(60, 2);
	onTestFinished(emulator.dispose);
	await fc.assert(
		fc.asyncProperty(rows, async ([shown, next]) => {
			const changed = await cellsAfter(emulator, `${shown}\u001b[0m${rowChange(shown, next)}`);
			expect(changed).toEqual(await cellsAfter(emulator, next));
		}),
		{numRuns: 200},
	);
});

/**
 * Returns the cells of the first row of a terminal that is new again: characters with their widths and styles. A cell that
 * was never written is a space.
 */
async function cellsAfter({stdout, terminal, settle}: ReturnType<typeof createEmulator>, data: string) {
	stdout.write(`\u001bc${data}`);
	await settle(0);
	const line = terminal.buffer.active.getLine(0);
	return Array.from({length: 60}, (_, column) => {
		const cell = line?.getCell(column);
		const [bold, inverse] = [cell?.isBold(), cell?.isInverse()];
		return [cell?.getChars() || ' ', cell?.getWidth(), bold, cell?.getFgColor(), cell?.getBgColor(), inverse].join();
	});
}
