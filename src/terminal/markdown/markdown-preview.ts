import {formatNumber} from '../../core/format.ts';
import {truncate} from '../text/width.ts';
import {renderBlocks} from './markdown-blocks.ts';
import {lexBlocks} from './markdown-lexer.ts';
import type {MarkdownOptions} from './markdown-options.ts';

/** UTF-16 units at the end of a long source that are drawn while it grows. */
const tailLength = 1000;

/** The last lines of a block that is not finished, below a line that counts those above; all of them where they fit. */
export function lastLines(
	lines: readonly string[],
	above: number,
	{width, palette, maxLive}: MarkdownOptions & {readonly maxLive: number},
): readonly string[] {
	const hidden = above + Math.max(0, lines.length - maxLive);
	if (hidden === 0) {
		return lines;
	}

	const shown = lines.slice(Math.max(0, lines.length - maxLive + 1));
	const count = above + lines.length - shown.length;
	const word = count === 1 ? 'line' : 'lines';
	return [palette.dim(truncate(`… ${formatNumber(count)} ${word} above`, width)), ...shown];
}

/**
 * Draws the end of a source that is too long to be drawn again with every word, and counts the lines of the source above
 * it. A table keeps its header.
 */
export function renderEnd(
	source: string,
	lines: number,
	options: MarkdownOptions,
): {readonly drawn: readonly string[]; readonly above: number} {
	const head = tableHead(source);
	const from = Math.max(head.length, source.length - tailLength);
	const start = from === head.length ? from : source.indexOf('\n', from) + 1 || from;
	const tail = source.slice(start).replace(/^[\uDC00-\uDFFF]/, '');
	return {
		drawn: renderBlocks(lexBlocks(head + tail), options),
		above: Math.max(0, lines - tail.split('\n').length + 1),
	};
}

/** The first two lines of a source that begins with a table, '' for any other. */
function tableHead(source: string): string {
	const [head = ''] = /^\s*[^\n]+\n[^\n]+\n/.exec(source.slice(0, 2 * tailLength)) ?? [];
	return head && lexBlocks(head).some(({type}) => type === 'table') ? head : '';
}
