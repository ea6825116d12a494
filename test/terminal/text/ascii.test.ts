import {readFileSync} from 'node:fs';
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {charsetOf} from '../../../src/terminal/abilities.ts';
import {asciiOutput, toAscii} from '../../../src/terminal/text/ascii.ts';
import {safeText} from '../../../src/terminal/text/safe-text.ts';
import {textWidth} from '../../../src/terminal/text/width.ts';
import {anyText} from '../../any-text.ts';
import {sourceFiles} from '../../source-strings.ts';
import {createEmulator} from '../../ui/emulator.ts';

/** Names of characters in HTML, which stand for what a page has; no sign of ours. */
const notDrawn = '©®™';

/** The server, and what compares the texts of files and models with signs that it never draws. */
const drawsNothing =
	/^src\/(?:server\/|(?:core\/mention|agent\/(?:tools\/files\/legacy-encoding|paths\/eye-fold)|agent\/context\/summary|providers\/(?:overflow|chat\/(?:answer-marks|answer-splitter|written-calls)))\.ts$)/;

/** All signs in the code of what a terminal shows, without comments, with the files that have them. */
function signsOfSource(): ReadonlyMap<string, string> {
	const signs = new Map<string, string>();
	for (const file of sourceFiles().filter(path => !drawsNothing.test(path))) {
		const code = readFileSync(file, 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
		for (const [sign] of code.matchAll(/[^\0-\u007F]/gu)) {
			signs.set(sign, file);
		}
	}

	return signs;
}

test('each sign that the program draws has a form in ASCII of the same width', () => {
	const signs = [...signsOfSource()].filter(([sign]) => !notDrawn.includes(sign));
	expect(signs.length).toBeGreaterThan(60);
	for (const [sign, file] of signs) {
		expect(toAscii(sign, {replaces: false}), `${sign} in ${file}`).toMatch(/^[ -~]$/);
		expect(textWidth(sign), sign).toBe(1);
	}
});

test.each([
	[{LC_ALL: 'C', LANG: 'de_DE.UTF-8'}, 'no signs'],
	[{LC_ALL: '', LC_CTYPE: 'POSIX', LANG: 'de_DE.UTF-8'}, 'no signs'],
	[{LC_CTYPE: 'de_DE.utf8', LANG: 'C'}, 'utf-8'],
	[{LC_ALL: 'en_US.UTF-8', LC_CTYPE: 'C', LANG: 'C'}, 'utf-8'],
	[{LANG: 'C.UTF-8'}, 'utf-8'],
	[{LANG: 'de_DE.ISO-8859-1'}, 'ascii'],
	[{LANG: 'de_DE@euro'}, 'ascii'],
	[{LANG: 'ja_JP.eucJP'}, 'ascii'],
	[{}, 'utf-8'],
	[{TERM: 'linux', LANG: 'C.UTF-8'}, 'no signs'],
] as const)('with %j the terminal shows %s', (env, charset) => {
	expect(charsetOf(env, 'linux')).toBe(charset);
});

test.each(['darwin', 'win32'])('a terminal of %s reads UTF-8, whatever the locale is', platform => {
	expect(charsetOf({LC_ALL: 'C'}, platform)).toBe('utf-8');
});

test('signs have forms, and other text stays or is replaced cell by cell', () => {
	const line = '│ ✓ “für” 日本 … └ ␛[2J';
	expect(toAscii(line, {replaces: false})).toBe('| + "für" 日本 ~ + ?[2J');
	expect(toAscii(line, {replaces: true})).toBe('| + "f?r" ???? ~ + ?[2J');
});

test('text of others is as wide in ASCII as before, and has no byte that a terminal of 8 bits obeys [1]', () => {
	fc.assert(
		fc.property(anyText(), text => {
			const shown = toAscii(safeText(text), {replaces: true});
			expect(shown).toMatch(/^[\n\t -~]*$/);
			expect(textWidth(shown)).toBe(textWidth(safeText(text)));
		}),
		{examples: [['\u011b31mred'], ['\u009b2J'], ['e\u0301']]},
	);
});

test('a stream in ASCII is the terminal otherwise: its size, its events, its bytes', async () => {
	const emulator = createEmulator(20, 3);
	const stdout = emulator.stdout as NodeJS.WriteStream;
	const output = asciiOutput(stdout, {replaces: false});
	output.write('✓ done');
	output.write(Buffer.from(' ✓'));
	await emulator.settle(5);
	expect(emulator.lines()[0]?.trimEnd()).toBe('+ done ✓');
	let resized = 0;
	output.on('resize', () => resized++);
	stdout.emit('resize');
	expect([resized, output.columns, output.rows]).toEqual([1, 20, 3]);
});
