import {codeFence} from '../core/code-fence.ts';
import {cutText} from '../core/cut-text.ts';
import {redactLines} from '../core/secrets/redact.ts';
import {parseSgr} from '../terminal/text/sgr.ts';
import {lastState} from './line-state.ts';
import {type Mark, markText} from './log-entry.ts';

/** A line with its number, or a mark. */
export type Quotable = {readonly seq: number; readonly text: string} | {readonly mark: Mark};

/** The most that a quotation contains; `characters` is counted in UTF-16 units. */
type Limits = {readonly lines: number; readonly characters: number};

/** Longer lines are cut, in UTF-16 units. */
const longestLine = 2000;

/**
 * Quotes lines of a log for a model: in a fence that they cannot close, each as its number, a tab and its last state, without
 * colours, with invisible characters made visible, and without what looks like a credential (SAFETY 1, 8). Of too many
 * lines it quotes the first and the last ones, with a note of how many are left out.
 */
export function quoteLog(entries: readonly Quotable[], {lines, characters}: Limits): string {
	const head = rowsOf(entries.slice(0, Math.ceil(lines / 2)), characters / 2);
	const rest = entries.slice(head.length);
	const tail = rowsOf(rest.slice(Math.max(0, rest.length - Math.floor(lines / 2))), characters / 2, 'from the end');
	const leftOut = rest.length - tail.length;
	const note = leftOut > 0 ? [`[… ${leftOut} ${leftOut === 1 ? 'line' : 'lines'} left out …]`] : [];
	return codeFence([...head, ...note, ...tail].join('\n'), 'log');
}

/** Returns a line of a log as plain text, cut to so many characters. */
export function quoteLine(text: string, characters: number): string {
	const [plain = ''] = beginnings([lastState(text)]);
	return plain.length > characters ? `${cutText(plain, characters)}…` : plain;
}

/** Returns whole lines as a quotation would show them: a model searches only what it may read (SAFETY 8). */
export function quotedTexts(texts: readonly string[]): readonly string[] {
	return redactLines(texts.map(text => plainText(lastState(text))));
}

/** Does the same for the beginnings of lines: a secret that is cut there is not shown either. */
function beginnings(texts: readonly string[]): readonly string[] {
	return redactLines(texts.map(text => plainText(text.slice(0, 4 * longestLine))));
}

function rowsOf(entries: readonly Quotable[], characters: number, from?: 'from the end'): readonly string[] {
	const whole = entries.map(entry => ('mark' in entry ? '' : lastState(entry.text)));
	const texts = beginnings(whole);
	const rows = entries.map((entry, index) =>
		'mark' in entry ? markText[entry.mark] : row(entry.seq, texts[index] ?? '', whole[index]?.length ?? 0),
	);
	const ordered = from ? rows.toReversed() : rows;
	let left = characters;
	const end = ordered.findIndex(text => {
		left -= text.length + 1;
		return left < 0;
	});
	const taken = end === -1 ? ordered : ordered.slice(0, end);
	return from ? taken.toReversed() : taken;
}

function row(seq: number, plain: string, length: number): string {
	const cut = cutText(plain, longestLine);
	const isCut = plain.length > longestLine || length > 4 * longestLine;
	return `${seq}\t${cut}${isCut ? `… [cut, of ${length} characters]` : ''}`;
}

function plainText(text: string): string {
	const spans = parseSgr(text);
	return spans.map(span => span.text.replaceAll('\n', '\u240A')).join('');
}
