import xterm from '@xterm/headless';
import {expect, onTestFinished, test} from 'vitest';
import {createTokenizer} from '../../../src/terminal/input/tokenizer.ts';
import {createWidthMeasure} from '../../../src/terminal/measure-widths.ts';
import {cellWidths, defaultCellWidths, setCellWidths} from '../../../src/terminal/text/cell-widths.ts';
import {safeLine} from '../../../src/terminal/text/safe-text.ts';
import {textWidth} from '../../../src/terminal/text/width.ts';

const codes = Array.from({length: 0x20000}, (_, code) => code);
const having = (pattern: RegExp, step = 1) =>
	codes.map(code => String.fromCodePoint(code)).filter((text, code) => code % step === 0 && pattern.test(text));

const tones = ['', ...['\u{1f3fb}', '\u{1f3fc}', '\u{1f3fd}', '\u{1f3fe}', '\u{1f3ff}']];
const roles = ['⚕️', '⚖️', '✈️', '🌾', '🍳', '🎓', '🎤', '🏫', '🏭', '💻', '💼', '🔧', '🔬', '🚀', '🚒', '🦯', '🦼', '🦽'];
const regions = Array.from({length: 26}, (_, index) => String.fromCodePoint(0x1f1e6 + index));
/** What Unicode recommends for general interchange (UTS 51), of all that could be joined. */
const recommended = new RegExp('^\\p{RGI_Emoji}$', ['v'].join(''));

/** Emoji as Unicode tests them: alone, with a tone, joined, keycaps and flags. */
const emoji = [
	...having(/^\p{Emoji_Presentation}$/u),
	...having(/^\p{Emoji}$/u).map(text => `${text}\uFE0F`),
	...having(/^\p{Emoji_Modifier_Base}$/u).flatMap(text => tones.slice(1).map(tone => text + tone)),
	...['👨', '👩', '🧑'].flatMap(person => tones.flatMap(tone => roles.map(role => `${person}${tone}\u200D${role}`))),
	...['👨‍👩‍👧‍👦', '👩‍👩‍👧', '👨‍👦', '🏳️‍🌈', '🏴‍☠️', '🐕‍🦺', '❤️‍🔥', '👁️‍🗨️', '🧑‍🤝‍🧑'],
	...[...'0123456789#*'].map(key => `${key}\uFE0F\u20E3`),
	...regions.flatMap(first => regions.map(second => first + second)),
].filter(text => recommended.test(text));

const corpus: Readonly<Record<string, readonly string[]>> = {
	emoji,
	'CJK and Kana': having(/^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Bopomofo}]$/u, 7),
	Hangul: ['한글', '각', ...having(/^\p{Script=Hangul}$/u, 11).filter(text => text > '\uAC00')],
	'full and half width': having(/^[\uFF01-\uFF9F\uFFE0-\uFFEE]$/u),
	'Latin, Greek, Cyrillic and signs': having(/^[\u00A1-\u052F\u1E00-\u20BF\u2100-\u2BFF]$/u).filter(
		text => !/\p{C}|\p{Z}|\p{M}|\p{Emoji}/u.test(text),
	),
	'letters with marks': having(/^[\u0300-\u036F]$/u).flatMap(mark => [`e${mark}`, `x${mark}\u0301y`]),
	'right to left': [
		...['שָׁלוֹם', 'عَرَبِيّ', 'مرحبا بالعالم', 'میٰ', 'ܫܠܡܐ', 'ދިވެހި', 'אב123גד', 'السلام عليكم'],
		...having(/^[\p{Script=Hebrew}\p{Script=Arabic}]$/u).filter(text => /\p{L}/u.test(text)),
	],
	'Indic, Thai and Khmer': ['का', 'क्ष', 'नमस्ते', 'বাংলা', 'தமிழ்', 'ไทย', 'ສະບາຍດີ', 'ខ្មែរ', 'မြန်မာ', 'සිංහල', 'తెలుగు'],
	sentences: ['日本語 and 한국어 mixed', 'Ünïcödé ✓ “quotes” — dash…', 'a → b ⇒ c ≤ d', '┌─┐│└┘ █▓▒░', '½ ¼ ¾ № ™ ©'],
	'halves of surrogate pairs': ['a\ud83db', '\udc00', 'x\ud83d', '\ud83d\ud83d\ude00'],
};

/** Writes each text at the start of a row, and returns the columns where the cursor stood after each: the terminal reports them. */
async function columnsIn(terminal: xterm.Terminal, texts: readonly string[]): Promise<readonly number[]> {
	const columns: number[] = [];
	const listening = terminal.onData(data => {
		for (const [, column] of data.matchAll(/\u001b\[\d+;(\d+)R/g)) {
			columns.push(Number(column) - 1);
		}
	});
	await new Promise<void>(resolve =>
		terminal.write(texts.map(text => `\r\u001b[2K${text}\u001b[6n`).join(''), resolve),
	);
	listening.dispose();
	expect(columns).toHaveLength(texts.length);
	return columns;
}

test('texts take as many cells as in the emulator, once it was measured, for 99.5 % of a corpus', async () => {
	onTestFinished(() => setCellWidths(defaultCellWidths));
	const terminal = new xterm.Terminal({cols: 200, rows: 5, allowProposedApi: true});
	onTestFinished(() => terminal.dispose());
	const tokenizer = createTokenizer(() => true);
	await new Promise<void>(resolve => {
		const measure = createWidthMeasure({
			write: text => terminal.write(text),
			columns: 200,
			onMeasured(widths) {
				setCellWidths(widths);
				resolve();
			},
		});
		terminal.onData(data => {
			for (const token of tokenizer.push(Buffer.from(data))) {
				measure.take(token);
			}
		});
		measure.begin();
	});
	expect(cellWidths()).not.toEqual(defaultCellWidths);

	let [alike, all] = [0, 0];
	const rows: string[] = [];
	for (const [name, texts] of Object.entries(corpus)) {
		const shown = texts.map(safeLine);
		const columns = await columnsIn(terminal, shown);
		const other = texts.filter((_, index) => textWidth(shown[index] ?? '') !== columns[index]);
		alike += texts.length - other.length;
		all += texts.length;
		rows.push(`${name.padEnd(34)} ${texts.length - other.length}/${texts.length} ${other.slice(0, 12).join(' ')}`);
	}

	console.log([...rows, `alike: ${((100 * alike) / all).toFixed(2)} %`].join('\n'));
	expect(all).toBeGreaterThan(6000);
	expect(alike / all).toBeGreaterThanOrEqual(0.995);
});
