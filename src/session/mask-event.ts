import {maskArguments} from '../agent/mask-call.ts';
import {hideRecorded} from '../core/output/recorded-output.ts';
import {redactPositions} from '../core/secrets/redact-positions.ts';
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
