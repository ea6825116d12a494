import {formatNumber} from '../../core/format.ts';
import {safeLine} from './safe-text.ts';

/** Characters that look like a space, beside LF. */
const blank = '[^\\S\\n]|[\\u115F\\u1160\\u2800\\u3164\\uFFA0]';

/** Most blanks side by side that are drawn as they are: before a text, where they indent it, and between words. */
const maxBlanks = {before: 40, between: 12};

const kinds: Readonly<Record<string, string>> = {' ': 'spaces', '\t': 'tabs', '\u00A0': 'no-break spaces'};

/**
 * Returns a text with long runs of blanks counted, as in `⟨2,000 spaces⟩`: they would push what stands behind them out of sight,
 * and nobody counts them.
 */
export function countBlanks(text: string, {before, between}: typeof maxBlanks = maxBlanks): string {
	const least = Math.min(before, between);
	return text.replaceAll(
		new RegExp(`(?<=(^|\\n)?)(?:${blank}){${least + 1},}`, 'g'),
		(run, line: string | undefined) => (run.length > (line === undefined ? between : before) ? counted(run) : run),
	);
}

function counted(run: string): string {
	const [first = ''] = run;
	const isOne = run === first.repeat(run.length);
	return `⟨${formatNumber(run.length)} ${(isOne && kinds[first]) || 'blanks'}⟩`;
}

/** Blank lines side by side that are drawn as they are. */
const maxBlankLines = 2;

/** Returns lines with long runs of blank ones counted, in a line of its own. */
export function countBlankLines(lines: readonly string[]): readonly string[] {
	const counted: string[] = [];
	for (let index = 0; index < lines.length; ) {
		const next = lines.findIndex((line, at) => at >= index && line.trim() !== '');
		const count = (next < 0 ? lines.length : next) - index;
		counted.push(
			...(count > maxBlankLines ? [`⟨${formatNumber(count)} blank lines⟩`] : lines.slice(index, index + count)),
			...lines.slice(index + count, index + count + 1),
		);
		index += count + 1;
	}

	return counted;
}

/** Returns untrusted text on one line, safe and with long runs of blanks counted, as what the user agrees to is shown. */
export function exactLine(text: string): string {
	return safeLine(countBlanks(text));
}
