import {mask} from '../core/secrets/secret.ts';
import type {AgentEvent, RunEvent} from '../core/session/event.ts';

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

export type StreamMask = {
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
			known = new Set([...known, ...secrets].sort((one, other) => other.length - one.length));
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
