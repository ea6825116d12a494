import {safeText} from '../text/safe-text.ts';
import {beginOf, isContinued, renderBlocks} from './markdown-blocks.ts';
import {lexBlocks} from './markdown-lexer.ts';
import {type MarkdownOptions, noReferences} from './markdown-options.ts';

/**
 * Draws untrusted Markdown as lines of at most `options.width` cells, styled with our own sequences, blocks one blank
 * line apart. Never throws. Import this module lazily: it loads the Markdown lexer.
 */
export function renderMarkdown(source: string, options: MarkdownOptions): readonly string[] {
	return renderMarkdownParts(source, options).flat();
}

/**
 * Returns the same lines by block: the same number of blocks at any width. A blank line belongs to the block below it.
 */
export function renderMarkdownParts(source: string, options: MarkdownOptions): readonly (readonly string[])[] {
	const style = {...options, references: noReferences()};
	const tokens = lexBlocks(safeText(source));
	let begun = false;
	return tokens.map((token, index) => {
		const lines = renderBlocks(
			[token],
			style,
			begun,
			begun ? (isContinued(tokens[index - 1], token) ? {kind: 'below'} : undefined) : beginOf(options),
		);
		begun ||= lines.length > 0;
		return lines;
	});
}
