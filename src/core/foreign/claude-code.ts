import type {FileChange} from '../session/event.ts';
import {type ConversationWriter, createConversationWriter} from './conversation-writer.ts';
import {type ForeignLine, type ForeignSession, listOf, member, textOf} from './foreign-session.ts';

/** A line that is an object, and the one above it that belongs to no sub-agent. */
type Entry = {readonly value: unknown; readonly above: Entry | undefined};

const isAside = ({value}: Entry) => member(value, 'isSidechain') === true;
const typeOf = ({value}: Entry) => textOf(member(value, 'type'));

/** Lines of these kinds are the conversation; those of other kinds with an id only hold it together. */
const spoken: ReadonlySet<string> = new Set(['user', 'assistant', 'system', 'attachment']);

/** Lines of these kinds are known to say nothing that the model or the user said. */
const silent: ReadonlySet<string> = new Set([
	'agent-color',
	'agent-name',
	'agent-setting',
	'attribution-snapshot',
	'file-history-snapshot',
	'last-prompt',
	'mode',
	'permission-mode',
	'pr-link',
	'progress',
	'queue-operation',
	'tag',
	'worktree-state',
]);

/** True for a line as Claude Code writes it, in `~/.claude/projects/<folder>/<session>.jsonl`. */
export function isClaudeCode(value: unknown): boolean {
	const type = textOf(member(value, 'type'));
	const speaks = (type === 'user' || type === 'assistant') && member(value, 'message') !== undefined;
	return (
		(speaks && (member(value, 'uuid') !== undefined || member(value, 'sessionId') !== undefined)) ||
		(type === 'summary' && member(value, 'leafUuid') !== undefined) ||
		(silent.has(type) && (member(value, 'sessionId') ?? member(value, 'messageId')) !== undefined)
	);
}

/**
 * Reads a transcript of Claude Code. Its lines are a tree, of which the conversation is the way to the last message; what
 * the user took back is left out. `name` is the file's, which is the id of the session.
 */
export function readClaudeCode(lines: readonly ForeignLine[], name: string): ForeignSession {
	const writer = createConversationWriter();
	const entries: Entry[] = [];
	for (const line of lines) {
		if ('fault' in line) {
			writer.leaveOut(line.fault);
		} else {
			const last = entries.at(-1);
			entries.push({value: line.value, above: last && isAside(last) ? last.above : last});
		}
	}

	const kept = conversationOf(entries, writer);
	let [title, version, folder, id] = ['', '', '', name];
	const uuids = new Set(entries.map(({value}) => textOf(member(value, 'uuid'))));
	for (const entry of entries) {
		const {value} = entry;
		const type = textOf(member(value, 'type'));
		version = textOf(member(value, 'version')) || version;
		folder ||= textOf(member(value, 'cwd'));
		id ||= textOf(member(value, 'sessionId'));
		writer.setTime(member(value, 'timestamp'));
		if (type === 'custom-title' || type === 'ai-title') {
			title = textOf(member(value, type === 'ai-title' ? 'aiTitle' : 'customTitle')) || title;
		} else if (type === 'summary') {
			// Older versions wrote those of other sessions of the folder, too.
			title = uuids.has(textOf(member(value, 'leafUuid'))) ? textOf(member(value, 'summary')) || title : title;
		} else if (kept.has(entry)) {
			writeLine(type, value, writer);
		} else if (!spoken.has(type)) {
			writeOther(type, value, writer);
		}
	}

	return {client: 'Claude Code', version, id, folder, title, ...writer.end()};
}

/** Returns the lines of the conversation, and counts those beside it. */
function conversationOf(entries: readonly Entry[], writer: ConversationWriter): ReadonlySet<Entry> {
	const byId = new Map(entries.map(entry => [textOf(member(entry.value, 'uuid')), entry]));
	byId.delete('');
	const main = entries.filter(entry => spoken.has(typeOf(entry)) && !isAside(entry));
	const way = new Set<Entry>();
	let next = main.findLast(entry => typeOf(entry) === 'user' || typeOf(entry) === 'assistant');
	while (next && !way.has(next)) {
		way.add(next);
		next = parentOf(next, byId, way);
	}

	// Calls that were made at the same time are branches of one message, each with its result.
	const messages = new Set([...way].map(({value}) => messageIdOf(value)).filter(Boolean));
	const kept = new Set(main.filter(entry => way.has(entry) || messages.has(messageIdOf(entry.value))));
	const calls = new Set([...kept].flatMap(({value}) => partsOf(value).map(part => textOf(member(part, 'id')))));
	for (const entry of main) {
		const parts = partsOf(entry.value);
		const isResult = (part: unknown) => calls.has(textOf(member(part, 'tool_use_id')) || '-');
		if (typeOf(entry) === 'user' && parts.length > 0 && parts.every(isResult)) {
			kept.add(entry);
		}
	}

	const isMessage = (entry: Entry) => typeOf(entry) === 'user' || typeOf(entry) === 'assistant';
	writer.leaveOut('branch', main.filter(entry => !kept.has(entry) && isMessage(entry)).length);
	writer.leaveOut('bookkeeping', main.filter(entry => !kept.has(entry) && !isMessage(entry)).length);
	writer.leaveOut('agents', entries.filter(entry => spoken.has(typeOf(entry)) && isAside(entry)).length);
	return kept;
}

/** Returns the line before another one in its conversation. Where that is missing, it is the one above it in the file. */
function parentOf({value, above}: Entry, byId: ReadonlyMap<string, Entry>, way: ReadonlySet<Entry>): Entry | undefined {
	const parent = member(value, 'parentUuid') ?? member(value, 'logicalParentUuid');
	const isSummary = member(value, 'isCompactSummary') === true || member(value, 'subtype') === 'compact_boundary';
	// A message without a parent begins the conversation, unless it sums up what came before, or nothing has one.
	if (parent === null || parent === undefined) {
		return isSummary || !Object.hasOwn(Object(value), 'parentUuid') ? above : undefined;
	}

	const found = byId.get(textOf(parent));
	return found && !way.has(found) ? found : above;
}

function messageIdOf(value: unknown): string {
	return textOf(member(value, 'type')) === 'assistant' ? textOf(member(member(value, 'message'), 'id')) : '';
}

function partsOf(value: unknown): readonly unknown[] {
	return listOf(member(member(value, 'message'), 'content'));
}

function writeLine(type: string, value: unknown, writer: ConversationWriter): void {
	const message = member(value, 'message');
	const content = member(message, 'content');
	switch (type) {
		case 'user':
			writeUser(value, typeof content === 'string' ? [{type: 'text', text: content}] : listOf(content), writer);
			break;
		case 'assistant': {
			const model = textOf(member(message, 'model'));
			// What the client itself said in the name of the model, such as an error.
			if (model && model !== '<synthetic>') {
				writer.setModel(`anthropic/${model}`);
			}

			const messageId = textOf(member(message, 'id')) || textOf(member(value, 'uuid')) || 'message';
			for (const part of typeof content === 'string' ? [{type: 'text', text: content}] : listOf(content)) {
				writePart(part, messageId, writer);
			}

			break;
		}
		case 'system':
			writeSystem(value, writer);
			break;
		default:
			writeAttachment(member(value, 'attachment'), writer);
	}
}

function writePart(part: unknown, messageId: string, writer: ConversationWriter): void {
	const type = textOf(member(part, 'type'));
	switch (type) {
		case 'text':
			writer.text(messageId, textOf(member(part, 'text')));
			break;
		case 'thinking':
			writer.reasoning(messageId, textOf(member(part, 'thinking')));
			break;
		case 'redacted_thinking':
			writer.leaveOut('encrypted');
			break;
		case 'tool_use':
			writer.call({
				id: textOf(member(part, 'id')),
				name: textOf(member(part, 'name')),
				input: member(part, 'input'),
				messageId,
			});
			break;
		default:
			writer.unknown(type || 'part without a type', part, {messageId});
	}
}

/** What the client wrote into a message in the name of the user. */
const ofClient =
	/^<(?:bash-std(?:out|err)|local-command-(?:stdout|stderr|caveat)|system-reminder|task-notification|ide_\w+)>|^Caveat: The messages below/;

function writeUser(value: unknown, parts: readonly unknown[], writer: ConversationWriter): void {
	for (const part of parts) {
		const type = textOf(member(part, 'type'));
		if (type === 'tool_result') {
			writer.result({
				id: textOf(member(part, 'tool_use_id')),
				output: outputOf(member(part, 'content'), writer),
				failed: member(part, 'is_error') === true,
				change: changeOf(member(value, 'toolUseResult')),
			});
		} else if (type === 'text') {
			writeUserText(value, textOf(member(part, 'text')), writer);
		} else if (type === 'document' && textOf(member(member(part, 'source'), 'type')) === 'text') {
			writer.note(textOf(member(part, 'title')) || 'document', textOf(member(member(part, 'source'), 'data')));
		} else if (type === 'image' || type === 'document') {
			writer.leaveOut(type);
		} else {
			writer.unknown(type || 'part without a type', part, {messageId: undefined});
		}
	}
}

function writeUserText(value: unknown, text: string, writer: ConversationWriter): void {
	if (member(value, 'isCompactSummary') === true) {
		writer.compaction(text, {cause: 'automatic'});
	} else if (text.startsWith('[Request interrupted by user')) {
		writer.interrupt();
	} else if (member(value, 'isMeta') === true || ofClient.test(text)) {
		writer.note('note of Claude Code', text);
	} else {
		writer.user(commandIn(text) ?? text);
	}
}

/** Returns a slash command as it was typed. */
function commandIn(text: string): string | undefined {
	const name = /<command-name>([^<]*)<\/command-name>/.exec(text)?.[1];
	const args = /<command-args>([^<]*)<\/command-args>/.exec(text)?.[1];
	return /^<command-/.test(text) && name ? [name, args].filter(Boolean).join(' ').trim() : undefined;
}

/** Returns the text of a result. What isn't text in it is counted, and named in its place. */
function outputOf(content: unknown, writer: ConversationWriter): string {
	if (!Array.isArray(content)) {
		return typeof content === 'string' ? content : (JSON.stringify(content) ?? '');
	}

	return content
		.map(part => {
			const type = textOf(member(part, 'type'));
			if (type === 'text') {
				return textOf(member(part, 'text'));
			}

			if (type === 'image') {
				writer.leaveOut('image');
				return '[An image, which was not imported]';
			}

			return typeof part === 'string' ? part : (JSON.stringify(part) ?? '');
		})
		.join('\n');
}

/** Returns the change of a file that a result tells of. */
function changeOf(result: unknown): FileChange | undefined {
	const path = textOf(member(result, 'filePath'));
	const hunks = listOf(member(result, 'structuredPatch')).map(hunk => {
		const number = (name: string) => Number(member(hunk, name)) || 0;
		const lines = listOf(member(hunk, 'lines')).map(textOf);
		const head = `@@ -${number('oldStart')},${number('oldLines')} +${number('newStart')},${number('newLines')} @@`;
		return {head, lines};
	});
	const lines = hunks.flatMap(hunk => hunk.lines);
	const starting = (sign: string) => lines.filter(line => line.startsWith(sign)).length;
	return path && lines.length > 0
		? {
				path,
				added: starting('+'),
				removed: starting('-'),
				diff: hunks.flatMap(({head, lines: own}) => [head, ...own]).join('\n'),
			}
		: undefined;
}

function writeSystem(value: unknown, writer: ConversationWriter): void {
	const subtype = textOf(member(value, 'subtype'));
	const content = textOf(member(value, 'content'));
	if (subtype === 'local_command') {
		writer.note('command of Claude Code', content);
	} else {
		writer.leaveOut('bookkeeping');
	}
}

function writeAttachment(attachment: unknown, writer: ConversationWriter): void {
	const type = textOf(member(attachment, 'type'));
	const prompt = member(attachment, 'prompt');
	if (type === 'queued_command' && typeof prompt === 'string') {
		writer.user(prompt);
	} else if (type === 'file' || type === 'edited_text_file' || type === 'selected_lines_in_ide') {
		writer.note(textOf(member(attachment, 'filename')) || type, JSON.stringify(attachment) ?? '');
	} else {
		writer.leaveOut('bookkeeping');
	}
}

function writeOther(type: string, value: unknown, writer: ConversationWriter): void {
	if (silent.has(type)) {
		writer.leaveOut('bookkeeping');
	} else {
		writer.unknown(type ? `line of type ${type.slice(0, 40)}` : 'line without a type', value);
	}
}
