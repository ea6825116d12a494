import {isSecretFile} from '../agent/policy/secret-files.ts';
import type {Json, JsonObject} from '../core/json.ts';
import {hideRecorded} from '../core/output/recorded-output.ts';
import {redact} from '../core/secrets/redact.ts';
import {isSecretName, redactPositions} from '../core/secrets/redact-positions.ts';
import {mask} from '../core/secrets/secret.ts';
import type {AgentEvent, FileChange, RunEvent} from '../core/session/event.ts';

type Hide = (text: string) => string;

/**
 * Returns an event as it is kept, shown, exported and streamed: without credentials that the user sent as they are or that
 * the model wrote into a call (SAFETY 8). The run itself goes on with the exact texts: what the user approved is what
 * runs. A later run, or a session that is resumed, sends the masked texts to the model, because no others are kept.
 */
export function maskEvent(event: RunEvent, hide: Hide): RunEvent;
export function maskEvent(event: AgentEvent, hide: Hide): AgentEvent;
export function maskEvent(event: AgentEvent, hide: Hide): AgentEvent {
	switch (event.type) {
		case 'user-message':
			return {...event, text: hide(event.text)};
		case 'attachment':
			return {...event, name: hide(event.name), text: hide(event.text)};
		case 'user-command':
			return {...event, command: redactPositions(hide(event.command))};
		case 'user-command-end':
			return {...event, ...hideRecorded(event, hide), end: hide(event.end)};
		case 'compaction':
			return {...event, summary: hide(event.summary)};
		case 'rename':
			return {...event, title: hide(event.title)};
		case 'tool-call': {
			const {malformed, words} = event;
			const args = maskArguments(event.arguments, hide);
			// Broken JSON may hold a command too.
			return {
				...event,
				arguments: args,
				...(malformed !== undefined && {malformed: redactPositions(hide(malformed))}),
				...(words && {words: {verb: words.verb, subject: redactPositions(hide(words.subject))}}),
			};
		}
		case 'approval-request':
			return {...event, summary: redactPositions(hide(event.summary)), ...maskedChange(event.change, hide)};
		case 'approval-answer': {
			// Both may quote a rule, whose words are those of a command.
			const {by, flags} = event;
			return {...event, ...(by !== undefined && {by: hide(by)}), ...(flags !== undefined && {flags: hide(flags)})};
		}
		case 'tool-output': {
			const {shown} = event;
			const {output, styles} = hideRecorded({output: shown ?? event.text, styles: event.styles}, hide);
			return {...event, styles, ...(shown === undefined ? {text: output} : {text: hide(event.text), shown: output})};
		}
		case 'tool-result':
			return {
				...event,
				...hideRecorded(event, hide),
				...maskedChange(event.change, hide),
				...(event.facts?.end !== undefined && {facts: {...event.facts, end: hide(event.facts.end)}}),
			};
		case 'notice':
			return {...event, text: hide(event.text), ...(event.hint !== undefined && {hint: hide(event.hint)})};
		case 'run-end': {
			const {error} = event;
			return {...event, ...(error && {error: {...error, message: hide(error.message)}})};
		}
		case 'task':
			return {...event, event: maskEvent(event.event, hide)};
		default:
			return event;
	}
}

function maskedChange(change: FileChange | undefined, hide: Hide) {
	return change && {change: {...change, path: hide(change.path), diff: hide(change.diff)}};
}

/** Arguments that are command lines or lines of a request: a credential is known by its place in them too. */
const lines: ReadonlySet<string> = new Set(['command', 'url', 'headers']);

/** Arguments with the content of a file, in which any value may be a credential if the name of the file suggests it. */
const contents: ReadonlySet<string> = new Set(['content', 'old_text', 'new_text']);

/**
 * Returns the arguments of a call as they are kept and shown: without credentials that the model wrote (SAFETY 8). The
 * call itself runs with what the user approved. `hide` masks the credentials that are known here.
 */
export function maskArguments(args: JsonObject, hide: (text: string) => string): JsonObject {
	const {path} = args;
	const isSecret = typeof path === 'string' && isSecretFile(path.replaceAll('\\', '/'));
	const masked = (value: Json, key: string, parent: string): Json => {
		if (typeof value === 'string') {
			return textOf(value, key, parent);
		}

		if (Array.isArray(value)) {
			return value.map(item => masked(item, key, parent));
		}

		return typeof value === 'object' && value !== null ? all(value as JsonObject, key) : value;
	};
	const textOf = (text: string, key: string, parent: string) => {
		if (isSecretName(key)) {
			return text && mask;
		}

		const known = hide(text);
		if (key === 'body' || (isSecret && contents.has(key))) {
			return redact(known);
		}

		return lines.has(key) || lines.has(parent) ? redactPositions(known) : known;
	};
	const all = (object: JsonObject, parent: string): JsonObject =>
		Object.fromEntries(Object.entries(object).map(([key, value]) => [hide(key), masked(value, key, parent)]));
	return all(args, '');
}
