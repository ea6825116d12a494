import {renderBlocks} from './markdown-blocks.ts';
import {lexBlocks} from './markdown-lexer.ts';
import type {MarkdownOptions} from './markdown-options.ts';
import {safeText} from './safe-text.ts';

/**
 * Draws Markdown as finished lines of at most `options.width` cells, styled with our own sequences, blocks one blank
 * line apart. The source is untrusted. Total. Import this module lazily: it brings the Markdown lexer.
 */
export function renderMarkdown(source: string, options: MarkdownOptions): readonly string[] {
	return renderBlocks(lexBlocks(safeText(source)), options);
}
