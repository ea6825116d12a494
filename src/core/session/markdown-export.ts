import {codeFence} from '../code-fence.ts';
import {cutText} from '../cut-text.ts';
import type {Block} from './block.ts';
import {callText} from './call-words.ts';
import {restoreText} from './changes.ts';
import {todoItems} from './todo.ts';
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
			return [`### ${titleOf(block)} (${block.status})`, ...toolParts(block)].join('\n\n');
		case 'command':
			return `### ! ${cutText(block.command.replace(/\s+/g, ' '), maxTitle)} (${block.end || block.status})\n\n${codeFence(block.output)}`;
		case 'attachment':
			return `*Attached: ${block.name}*\n\n${block.text}`;
		case 'notice':
		case 'end':
			return `*${block.text}*`;
		case 'restore':
			return `*${restoreText(block)}*`;
		case 'compaction':
			return `## Summary so far\n\n${block.summary}`;
		default:
			return block satisfies never;
	}
}

type Tool = Extract<Block, {kind: 'tool'}>;

/** Most characters of a call in a heading. */
const maxTitle = 100;

function titleOf({name, arguments: args, words}: Tool): string {
	return cutText(callText(name, args, words).replace(/\s+/g, ' '), maxTitle);
}

/** Returns the plan of a todo list, the change of a file, or else the arguments; then the result. */
function toolParts({name, arguments: args, change, output}: Tool): readonly string[] {
	const items = name === 'todo' ? todoItems(args) : undefined;
	if (items) {
		return [
			items.map(({text, state}) => `- [${state === 'done' ? 'x' : ' '}] ${text.replace(/\s+/g, ' ')}`).join('\n'),
		];
	}

	return [
		change ? codeFence(change.diff, 'diff') : codeFence(JSON.stringify(args, undefined, 2), 'json'),
		...(output ? [codeFence(output)] : []),
	];
}
