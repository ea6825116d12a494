import type {Json, JsonObject} from '../../core/json.ts';
import {redactKnown} from '../../core/secrets/redact.ts';
import type {Block} from '../../core/session/block.ts';
import {restoreText} from '../../core/session/changes.ts';
import {blocksOf, type Transcript} from '../../core/session/transcript.ts';

/** Returns the conversation as one object: its messages, calls and results in order, without credentials. */
export function toJson({session, title, ...transcript}: Transcript, usage: JsonObject): JsonObject {
	return {version: 1, session, title: redactKnown(title), usage, blocks: blocksOf(transcript).map(blockJson)};
}

function blockJson(block: Block): JsonObject {
	return hidden(fieldsOf(block)) as JsonObject;
}

function fieldsOf(block: Block): JsonObject {
	const {kind} = block;
	switch (kind) {
		case 'user':
			return {type: 'user', text: block.text};
		case 'text':
		case 'reasoning':
			return {type: kind, model: block.model, at: block.at, text: block.text};
		case 'tool': {
			const {name, arguments: args, status, output, at, milliseconds = null, change, task} = block;
			return {
				type: 'tool',
				name,
				arguments: args,
				status,
				at,
				milliseconds,
				output,
				...(change && {change: {...change}}),
				...(task && {blocks: [...task.settled, ...task.open].map(fieldsOf)}),
			};
		}
		case 'command': {
			const {command, status, end, output, at, milliseconds = null} = block;
			return {type: 'command', command, status, end, at, milliseconds, output};
		}
		case 'attachment':
			return {type: 'attachment', name: block.name, text: block.text};
		case 'notice':
			return {type: 'notice', level: block.level, text: block.text};
		case 'end':
			return {type: 'end', reason: block.reason, text: block.text};
		case 'restore':
			return {type: 'restore', text: restoreText(block)};
		case 'compaction':
			return {type: 'compaction', summary: block.summary};
		default:
			return block satisfies never;
	}
}

/** Returns a value without the known credentials in its texts. */
function hidden(value: Json): Json {
	if (typeof value === 'string') {
		return redactKnown(value);
	}

	if (Array.isArray(value)) {
		return value.map(hidden);
	}

	return typeof value === 'object' && value !== null
		? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, hidden(inner)]))
		: value;
}
