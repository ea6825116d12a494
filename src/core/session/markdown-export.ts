import {codeFence} from '../code-fence.ts';
import type {Block} from './block.ts';
import {blocksOf, type Transcript} from './transcript.ts';

/** Returns the conversation as Markdown for other readers: messages and calls with their results, without costs. */
export function toMarkdown(transcript: Transcript): string {
	const title = transcript.title.replace(/\s+/g, ' ').trim() || `Session ${transcript.session.slice(0, 8)}`;
	return `${[`# ${title}`, ...blocksOf(transcript).map(toSection)].filter(Boolean).join('\n\n')}\n`;
}

function toSection(block: Block): string {
	switch (block.kind) {
		case 'user':
			return `## You\n\n${block.text}`;
		case 'text':
			return block.text.trim() && `## ${block.model || 'Agent'}\n\n${block.text.trim()}`;
		case 'reasoning':
			return block.text.trim() ? `> ${block.text.trim().replaceAll('\n', '\n> ')}` : '';
		case 'tool':
			return [
				`### ${block.name} (${block.status})`,
				codeFence(JSON.stringify(block.arguments, undefined, 2), 'json'),
				...(block.output ? [codeFence(block.output)] : []),
			].join('\n\n');
		case 'notice':
		case 'end':
			return `*${block.text}*`;
		case 'compaction':
			return `## Summary so far\n\n${block.summary}`;
		default:
			return block satisfies never;
	}
}
