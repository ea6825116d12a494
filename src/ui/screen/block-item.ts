import type {Block} from '../../core/session/block.ts';
import type {FileChange} from '../../core/session/event.ts';
import type {MarkdownStream} from '../../terminal/markdown/markdown-stream.ts';
import type {Palette} from '../../terminal/text/style.ts';
import {blockLines} from '../transcript/block-lines.ts';
import type {Item} from './written.ts';

type Style = {readonly width: number; readonly palette: Palette};

/** What the painter loads after the first frame: Markdown, and the lines of changed files. */
export type MarkdownTools = {
	readonly renderMarkdown: (source: string, style: Style) => readonly string[];
	/** Returns the same lines, block by block. */
	readonly renderMarkdownParts: (source: string, style: Style) => readonly (readonly string[])[];
	readonly changedLines: (change: FileChange, style: Style) => readonly string[];
	readonly createMarkdownStream: (options: Style & {readonly maxLive: number}) => MarkdownStream;
};

export type BlockStyle = {readonly palette: Palette; readonly markdown: MarkdownTools};

/** Returns a block as an item of the screen. */
export function blockItem(block: Block, {palette, markdown}: BlockStyle): Item {
	const {kind} = block;
	if (kind !== 'text') {
		return {kind, draw: width => blockLines(block, {width, palette, changedLines: markdown.changedLines})};
	}

	return {
		kind,
		draw: width => markdown.renderMarkdown(block.text, {width, palette}),
		parts: width => markdown.renderMarkdownParts(block.text, {width, palette}),
	};
}
