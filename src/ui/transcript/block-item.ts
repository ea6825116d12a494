import type {MarkdownStream} from '../../terminal/markdown/markdown-stream.ts';
import {answerMark} from '../../terminal/text/signs.ts';
import type {Palette} from '../../terminal/text/style.ts';
import type {Item} from '../screen/written.ts';
import type {blockLines} from './block-lines.ts';
import type {draftLines} from './draft-lines.ts';
import type {Shown} from './read-group.ts';
import type {ToolStyle} from './tool-lines.ts';

type Style = {readonly width: number; readonly palette: Palette; readonly softWraps?: boolean; readonly mark?: string};

/** What the painter loads after the first frame: the drawing of blocks, and of their Markdown. */
export type BlockTools = {
	readonly blockLines: typeof blockLines;
	readonly draftLines: typeof draftLines;
	readonly renderMarkdown: (source: string, style: Style) => readonly string[];
	/** Returns the same lines, block by block. */
	readonly renderMarkdownParts: (source: string, style: Style) => readonly (readonly string[])[];
	readonly createMarkdownStream: (options: Style & {readonly maxLive: number}) => MarkdownStream;
};

export type DrawingTools = {
	readonly palette: Palette;
	readonly tools: BlockTools;
	/** True if the terminal may break long lines of code and commands. */
	readonly softWraps?: boolean;
};

/** Returns the line that says who speaks, before an answer that is heard. */
export function speaker({spoken}: Palette): readonly string[] {
	return spoken ? ['Answer:'] : [];
}

/** What lets a running call move, and says what a key does with it. */
export type CallMotion = Pick<ToolStyle, 'now' | 'hint'>;

/** Returns a block as an item of the screen. */
export function blockItem(
	block: Shown,
	{palette, tools, softWraps = false}: DrawingTools,
	motion: CallMotion = {},
): Item {
	if (block.kind !== 'text') {
		return {
			kind: block.kind === 'reads' ? 'tool' : block.kind,
			draw: width => tools.blockLines(block, {width, palette, softWraps, ...motion}),
		};
	}

	const style = {palette, softWraps, mark: answerMark(palette)};
	return {
		kind: 'text',
		draw: width => [...speaker(palette), ...tools.renderMarkdown(block.text, {...style, width})],
		parts: width => [speaker(palette), ...tools.renderMarkdownParts(block.text, {...style, width})],
	};
}
