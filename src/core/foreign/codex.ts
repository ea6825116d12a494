import {type ConversationWriter, createConversationWriter} from './conversation-writer.ts';
import {type ForeignLine, type ForeignSession, listOf, member, textOf} from './foreign-session.ts';
import {parsedArguments} from './known-calls.ts';

/** Kinds of lines around what was said, of versions with an envelope. */
const envelopes: ReadonlySet<string> = new Set([
	'session_meta',
	'response_item',
	'event_msg',
	'turn_context',
	'compacted',
	'world_state',
]);

/** True for a line as Codex writes it, in `~/.codex/sessions/<year>/<month>/<day>/rollout-….jsonl`, now and in 2025. */
export function isCodex(value: unknown): boolean {
	const type = textOf(member(value, 'type'));
	const isHeader =
		type === '' && typeof member(value, 'id') === 'string' && member(value, 'instructions') !== undefined;
	const isBare = items.has(type) && (Array.isArray(member(value, 'content')) || member(value, 'call_id') !== undefined);
	return (envelopes.has(type) && member(value, 'payload') !== undefined) || isHeader || isBare || isState(value);
}

const isState = (value: unknown) => member(value, 'record_type') !== undefined;
const items: ReadonlySet<string> = new Set(['message', 'function_call', 'function_call_output']);

/** What the reading of a transcript has found so far. */
type Reading = {
	readonly writer: ConversationWriter;
	id: string;
	folder: string;
	version: string;
	title: string;
	provider: string;
	/** Parts of one answer: between two results or messages. */
	answer: number;
	/** True if the events are all that tells what was said. */
	readonly isByEvents: boolean;
};

/** Reads a transcript of Codex, of any version. `name` is the id in the name of its file. */
export function readCodex(lines: readonly ForeignLine[], name: string): ForeignSession {
	const says = ({role}: {readonly role: unknown}) => role === 'user' || role === 'assistant';
	const isByEvents = !lines.some(line => 'value' in line && says({role: member(itemOf(line.value), 'role')}));
	const writer = createConversationWriter();
	const reading: Reading = {
		writer,
		id: '',
		folder: '',
		version: '',
		title: '',
		provider: 'openai',
		answer: 0,
		isByEvents,
	};
	for (const line of lines) {
		if ('fault' in line) {
			writer.leaveOut(line.fault);
		} else {
			writer.setTime(member(line.value, 'timestamp'));
			readLine(line.value, reading);
		}
	}

	const {id, version, folder, title} = reading;
	return {client: 'Codex', version, id: name || id, folder, title, ...writer.end()};
}

/** Returns what a line carries: its payload, or the line itself in versions without an envelope. */
function itemOf(value: unknown): unknown {
	return envelopes.has(textOf(member(value, 'type'))) ? member(value, 'payload') : value;
}

function readLine(value: unknown, reading: Reading): void {
	const {writer} = reading;
	const type = textOf(member(value, 'type'));
	const item = itemOf(value);
	switch (type) {
		case 'session_meta':
			readMeta(item, reading);
			break;
		case 'turn_context':
			readContext(item, reading);
			break;
		case 'event_msg':
			readEvent(item, reading);
			break;
		case 'compacted':
			writer.compaction(textOf(member(item, 'message')) || historyText(item), {cause: 'automatic'});
			reading.answer++;
			break;
		case 'world_state':
			writer.leaveOut('bookkeeping');
			break;
		case '':
			if (isState(value)) {
				writer.leaveOut('bookkeeping');
			} else if (typeof member(value, 'id') === 'string') {
				readMeta(value, reading);
			} else {
				writer.unknown('line without a type', value);
			}

			break;
		default:
			readItem(item, reading);
	}
}

function readMeta(meta: unknown, reading: Reading): void {
	// That of a fork is followed by that of its origin.
	if (reading.id) {
		reading.writer.leaveOut('bookkeeping');
		return;
	}

	reading.id = textOf(member(meta, 'id'));
	reading.folder ||= textOf(member(meta, 'cwd'));
	reading.version = textOf(member(meta, 'cli_version'));
	reading.provider = textOf(member(meta, 'model_provider')) || reading.provider;
	const model = textOf(member(meta, 'model'));
	if (model) {
		reading.writer.setModel(`${reading.provider}/${model}`);
	}
}

function readContext(context: unknown, reading: Reading): void {
	reading.folder ||= textOf(member(context, 'cwd'));
	const model = textOf(member(context, 'model'));
	if (model) {
		reading.writer.setModel(`${reading.provider}/${model}`);
	}
}

/** Returns the texts of what a compaction kept. */
function historyText(compacted: unknown): string {
	return listOf(member(compacted, 'replacement_history'))
		.map(item => contentText(member(item, 'content')))
		.filter(Boolean)
		.join('\n\n');
}

function readEvent(event: unknown, {writer, isByEvents, ...reading}: Reading): void {
	const type = textOf(member(event, 'type'));
	const message = textOf(member(event, 'message'));
	if (type === 'turn_aborted') {
		writer.interrupt();
	} else if (type === 'thread_rolled_back') {
		writer.takeBack(Math.max(0, Math.trunc(Number(member(event, 'num_turns')) || 0)));
	} else if (type === 'error') {
		writer.unknown('error', message);
	} else if (isByEvents && type === 'user_message') {
		writer.user(message);
	} else if (isByEvents && type === 'agent_message') {
		writer.text(`answer-${reading.answer}`, message);
	} else if (isByEvents && type === 'agent_reasoning') {
		writer.reasoning(`answer-${reading.answer}`, textOf(member(event, 'text')));
	} else {
		// The other lines of the turn say the same.
		writer.leaveOut('bookkeeping');
	}
}

/** What the client tells the model in the name of the user. */
const ofClient =
	/^\s*(?:<(?:environment_context|user_instructions|turn_aborted|permissions instructions|collaboration_mode|skills_instructions|plugins_instructions|recommended_plugins|apps_instructions|app-context|INSTRUCTIONS|model_switch|personality_spec|subagent_notification)\b|# AGENTS\.md instructions)/;

function readItem(item: unknown, reading: Reading): void {
	const {writer} = reading;
	const type = textOf(member(item, 'type'));
	const messageId = `answer-${reading.answer}`;
	const call = (name: string, input: unknown) =>
		writer.call({id: textOf(member(item, 'call_id')) || textOf(member(item, 'id')), name, input, messageId});
	switch (type) {
		case 'message':
			readMessage(item, reading);
			break;
		case 'reasoning': {
			const texts = [...listOf(member(item, 'summary')), ...listOf(member(item, 'content'))];
			writer.reasoning(messageId, texts.map(part => textOf(member(part, 'text'))).join('\n\n'));
			break;
		}
		case 'function_call':
			call(textOf(member(item, 'name')), parsedArguments(member(item, 'arguments')));
			break;
		case 'custom_tool_call':
			call(textOf(member(item, 'name')), parsedArguments(member(item, 'input')));
			break;
		case 'local_shell_call':
			call('local_shell', member(item, 'action'));
			break;
		case 'web_search_call': {
			const id = textOf(member(item, 'id')) || `search-${reading.answer}`;
			writer.call({id, name: 'web_search', input: member(item, 'action'), messageId});
			writer.result({id, output: '[Codex kept no result of this search]', failed: false});
			break;
		}
		case 'function_call_output':
		case 'custom_tool_call_output':
			writer.result({id: textOf(member(item, 'call_id')), ...resultOf(member(item, 'output'))});
			reading.answer++;
			break;
		case 'ghost_snapshot':
		case 'session_state':
			writer.leaveOut('bookkeeping');
			break;
		default:
			writer.unknown(type ? `item ${type.slice(0, 40)}` : 'item without a type', item, {messageId});
	}
}

function readMessage(item: unknown, reading: Reading): void {
	const {writer} = reading;
	const role = textOf(member(item, 'role'));
	const content = member(item, 'content');
	const images = listOf(content).filter(part => /image/.test(textOf(member(part, 'type')))).length;
	writer.leaveOut('image', images);
	if (role === 'assistant') {
		writer.text(`answer-${reading.answer}`, contentText(content));
	} else if (role === 'user') {
		const texts = typeof content === 'string' ? [content] : listOf(content).map(partText);
		for (const text of texts.filter(each => ofClient.test(each))) {
			reading.folder ||= /<cwd>([^<]*)<\/cwd>/.exec(text)?.[1]?.trim() ?? '';
			writer.leaveOut('instructions');
		}

		writer.user(texts.filter(each => !ofClient.test(each)).join('\n\n'));
		reading.answer++;
	} else if (role === 'developer' || role === 'system') {
		writer.leaveOut('instructions');
	} else {
		writer.unknown('message of an unknown role', item);
	}
}

function contentText(content: unknown): string {
	return typeof content === 'string' ? content : listOf(content).map(partText).filter(Boolean).join('\n\n');
}

/** Returns the text of a part; of one that isn't understood its JSON. Images are counted. */
function partText(part: unknown): string {
	const text = member(part, 'text');
	const type = textOf(member(part, 'type'));
	return typeof text === 'string' ? text : /image/.test(type) ? '' : (JSON.stringify(part) ?? '');
}

/** Returns the output of a call, and whether it failed. Versions before 2026 keep both in JSON text. */
function resultOf(output: unknown): {readonly output: string; readonly failed: boolean} {
	const whole = typeof output === 'string' ? parsedArguments(output) : output;
	const inner = member(whole, 'output') ?? member(whole, 'content');
	const status = member(member(whole, 'metadata'), 'exit_code') ?? exitIn(textOf(output));
	const text = typeof output === 'string' && inner === undefined ? output : contentText(inner ?? output);
	const isFailed = member(whole, 'success') === false || (typeof status === 'number' && status !== 0);
	return {output: text || (typeof output === 'string' ? output : ''), failed: isFailed};
}

function exitIn(text: string): number | undefined {
	const [, status] = /^(?:Exit code: |Process exited with code )(-?\d{1,9})$/m.exec(text.slice(0, 1000)) ?? [];
	return status === undefined ? undefined : Number(status);
}
