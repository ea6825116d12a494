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
		case 'presence':
			return {...event, who: hide(event.who)};
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
		case 'tool-call-update': {
			const {arguments: args, words} = event;
			return {
				...event,
				...(args && {arguments: maskArguments(args, hide)}),
				...(words && {words: {verb: words.verb, subject: redactPositions(hide(words.subject))}}),
			};
		}
		case 'plan':
			return {...event, items: event.items.map(item => ({...item, text: hide(item.text)}))};
		case 'agent':
			return {...event, ...(event.command && {command: event.command.map(word => hide(word))})};
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

type Delta = Extract<RunEvent, {type: 'text-delta' | 'reasoning-delta'}>;

/** The possible beginning of a secret: what is shown of it already, and what is held back. */
type Held = {readonly lead: string; readonly delta: Delta};

/** A shorter word could be part of any text. */
const minLength = 8;

export type Masking = {
	/** Masks a text as it is kept. */
	readonly hide: (text: string) => string;
	/** Returns the credentials of the program itself, such as the key of the model's host. */
	readonly ownSecrets?: (() => readonly string[]) | undefined;
};

type StreamMask = {
	/** Returns an event with what is shown before it, or nothing if it is held back. */
	readonly mask: (event: AgentEvent) => readonly AgentEvent[];
	/** Returns what is held back of the text of the agent, which has probably ended. */
	readonly endText: () => readonly AgentEvent[];
};

/**
 * Creates what masks, in what the model writes, the credentials that messages of the user had as they are, and those of the
 * program, which a host may repeat (SAFETY 8), even if one is split over several deltas. Holds back only a possible
 * beginning of one, up to the next event of the same agent, or the end of the run or of the sub-agent's call.
 */
export function createStreamMask({hide, ownSecrets}: Masking): StreamMask {
	/** The longest first: one may be part of another. */
	let known: ReadonlySet<string> = new Set();
	/** The messages for which the credentials of the program were read last, by the id of the sub-agent. */
	const begun = new Map<string, string>();
	/** What is held back, by the id of the sub-agent; '' is the agent. */
	const held = new Map<string, Held>();

	const learn = (secrets: readonly string[] = []) => {
		if (secrets.some(secret => !known.has(secret))) {
			known = new Set([...known, ...secrets.flatMap(writtenForms)].sort((one, other) => other.length - one.length));
		}
	};

	const masked = (event: RunEvent, agent: string): readonly RunEvent[] => {
		if (event.type === 'user-message') {
			learn(credentialsIn(event.text, hide));
		} else if (isDelta(event) && begun.get(agent) !== event.messageId) {
			begun.set(agent, event.messageId);
			learn(ownSecrets?.());
		}

		if (known.size === 0) {
			return [event];
		}

		if (!isDelta(event)) {
			return [...release(held, agent), event];
		}

		const before = held.get(agent);
		const isSame = before !== undefined && continues(before.delta, event);
		const earlier = isSame ? [] : release(held, agent);
		held.delete(agent);
		const {text, shown} = maskedText(isSame ? before : undefined, event.text, known);
		// A signature belongs to the whole text before it.
		const end = event.opaque ? text.length : beginningAtEnd(text, known);
		if (end < text.length) {
			const from = Math.max(end, shown);
			held.set(agent, {lead: text.slice(end, from), delta: {...event, text: text.slice(from)}});
		}

		return end > shown || event.opaque ? [...earlier, {...event, text: text.slice(shown, end)}] : earlier;
	};

	return {
		mask: event =>
			event.type === 'task'
				? masked(event.event, event.id).map(inner => ({...event, event: inner}))
				: [...releaseEnded(held, event), ...masked(event, '')],
		endText: () => releaseText(held),
	};
}

/** Returns a secret as it is, in a string of JSON, and in a URL. */
function writtenForms(secret: string): readonly string[] {
	const inUrl = /\p{Cs}/u.test(secret) ? [] : [encodeURIComponent(secret)];
	return [secret, JSON.stringify(secret).slice(1, -1), ...inUrl];
}

/** Returns what is held back of an agent, and forgets it. */
function release(held: Map<string, Held>, agent: string): readonly Delta[] {
	const {delta} = held.get(agent) ?? {};
	held.delete(agent);
	return delta?.text ? [delta] : [];
}

/** Returns what is held back of the agent. If its text goes on after all, the rest of a secret is still masked. */
function releaseText(held: Map<string, Held>): readonly Delta[] {
	const {lead, delta} = held.get('') ?? {};
	if (!delta?.text) {
		return [];
	}

	held.set('', {lead: lead + delta.text, delta: {...delta, text: ''}});
	return [delta];
}

/** Returns what is held back of sub-agents that were cut off before this event. */
function releaseEnded(held: Map<string, Held>, event: RunEvent): readonly AgentEvent[] {
	const ended = event.type === 'run-end' ? [...held.keys()] : event.type === 'tool-result' ? [event.id] : [];
	return ended
		.filter(id => id !== '')
		.flatMap(id => release(held, id).map(inner => ({type: 'task', id, event: inner}) as const));
}

function continues(before: Delta, {type, id, messageId}: Delta): boolean {
	return before.type === type && before.id === id && before.messageId === messageId;
}

/**
 * Returns what was held back and a piece behind it without secrets, and how many characters of it are shown already. Of a
 * secret whose beginning is shown, the rest is masked.
 */
function maskedText(before: Held | undefined, piece: string, secrets: Iterable<string>) {
	const lead = before?.lead ?? '';
	let text = lead + (before?.delta.text ?? '') + piece;
	let shown = lead.length;
	for (const secret of secrets) {
		const at = text.indexOf(secret);
		if (at !== -1 && at < shown) {
			text = mask + text.slice(at + secret.length);
			shown = 0;
		}

		text = text.replaceAll(secret, mask);
	}

	return {text, shown};
}

function isDelta(event: RunEvent): event is Delta {
	return event.type === 'text-delta' || event.type === 'reasoning-delta';
}

/** Returns the words of a text, or their parts, that are masked in it. */
function credentialsIn(text: string, hide: (text: string) => string): readonly string[] {
	const hidden = hide(text);
	if (hidden === text) {
		return [];
	}

	return text
		.split(/\s+/)
		.filter(word => !hidden.includes(word))
		.map(word => {
			const shown = hide(word);
			const at = shown.indexOf(mask);
			return at === -1 ? word : word.slice(at, word.length - (shown.length - shown.lastIndexOf(mask) - mask.length));
		})
		.filter(({length}) => length >= minLength);
}

/** Returns where the longest end of `text` starts that is the beginning of a secret; its length if there is none. */
function beginningAtEnd(text: string, secrets: Iterable<string>): number {
	let start = text.length;
	for (const secret of secrets) {
		for (let length = Math.min(secret.length - 1, text.length); length > text.length - start; length--) {
			if (text[text.length - length] === secret[0] && text.endsWith(secret.slice(0, length))) {
				start = text.length - length;
			}
		}
	}

	return start;
}
