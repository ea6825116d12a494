import {createPainter, type Painter, type PainterParts} from './painter.ts';

/** Creates the painter, with what draws blocks: the first frame does without it. */
export async function loadPainter(parts: PainterParts): Promise<Painter> {
	const [{renderMarkdown, renderMarkdownParts}, {createMarkdownStream}, {blockLines}, {draftLines}] = await Promise.all(
		[
			import('../../terminal/markdown/markdown.ts'),
			import('../../terminal/markdown/markdown-stream.ts'),
			import('../transcript/block-lines.ts'),
			import('../transcript/draft-lines.ts'),
		],
	);
	const tools = {blockLines, draftLines, renderMarkdown, renderMarkdownParts, createMarkdownStream};
	return createPainter(parts, tools);
}
