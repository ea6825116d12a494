import {codeFence} from '../../core/code-fence.ts';
import {cutText} from '../../core/cut-text.ts';
import {formatCount, formatUsd} from '../../core/format.ts';
import {wellFormedJson} from '../../core/json.ts';
import {plainRecord} from '../../core/output/recorded-output.ts';
import {redactKnown} from '../../core/secrets/redact.ts';
import type {Block} from '../../core/session/block.ts';
import {callText} from '../../core/session/call-words.ts';
import {restoreText} from '../../core/session/changes.ts';
import type {Recorded} from '../../core/session/event.ts';
import {sessionUsage} from '../../core/session/session-usage.ts';
import {todoItems} from '../../core/session/todo.ts';
import {blocksOf, type Transcript} from '../../core/session/transcript.ts';
import type {PriceOf} from '../../core/session/usage.ts';
import type {ExportFormat} from './export-formats.ts';

type Exported = {
	readonly transcript: Transcript;
	readonly records: readonly Recorded[];
	readonly priceOf: PriceOf;
	/** When the session changed last, as ISO 8601. */
	readonly updatedAt: string;
};

/** Returns a session as text in a format. Known credentials are hidden, but for its events, which are as recorded, without styles. */
export async function exportText(format: ExportFormat, exported: Exported): Promise<string> {
	const {transcript, records, priceOf, updatedAt} = exported;
	switch (format) {
		case 'markdown':
			return redactKnown(toMarkdown(transcript));
		case 'events':
			return records.map(record => `${JSON.stringify(plainRecord(record))}\n`).join('');
		case 'json': {
			const {toJson} = await import('./json-export.ts');
			return `${wellFormedJson(toJson(transcript, {...sessionUsage(transcript, priceOf)}), 2)}\n`;
		}
		case 'html': {
			const {toHtml} = await import('./html-export.ts');
			return toHtml(transcript, factsOf(transcript, priceOf, updatedAt));
		}
		default:
			return format satisfies never;
	}
}

function factsOf(transcript: Transcript, priceOf: PriceOf, updatedAt: string) {
	const usage = sessionUsage(transcript, priceOf);
	const models = [...new Set([...transcript.usage.values()].map(({model}) => model))];
	const read = usage.total_cache_read_input_tokens;
	const tokens = `${formatCount(usage.total_input_tokens + read + usage.total_cache_creation_input_tokens)} in, ${formatCount(usage.total_output_tokens)} out`;
	return [
		['updated', updatedAt.slice(0, 16).replace('T', ' ')],
		...(models.length > 0 ? [['model', models.join(', ')] as const] : []),
		['messages', String(usage.total_message_count)],
		['tool calls', String(usage.total_tool_call_count)],
		['tokens', tokens],
		['cost', formatUsd(usage.total_cost_usd)],
	] as const;
}

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
