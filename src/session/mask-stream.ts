import {mask} from '../core/secrets/secret.ts';
import type {AgentEvent, RunEvent} from '../core/session/event.ts';

type Delta = Extract<RunEvent, {type: 'text-delta' | 'reasoning-delta'}>;

/** A shorter word could be part of any text. */
const minLength = 8;

export type Masking = {
	/** Masks a text as it is kept. */
	readonly hide: (text: string) => string;
	/** Returns the credentials of the program itself, such as the key of the model's host. */
	readonly ownSecrets?: (() => readonly string[]) | undefined;
};

/**
 * Returns a function that masks, in what the model writes, the credentials that messages of the user had as they are, and
 * those of the program, which a host may repeat (SAFETY 8), even if one is split over several deltas. Holds back only a
 * possible beginning of one, up to the next event of the same agent.
 */
export function createStreamMask({hide, ownSecrets}: Masking): (event: AgentEvent) => readonly AgentEvent[] {
	const known = new Set<string>();
	/** The messages for which the credentials of the program were read last, by the id of the sub-agent. */
	const begun = new Map<string, string>();
	/** What is held back, by the id of the sub-agent; '' is the agent. */
	const held = new Map<string, Delta>();

	const release = (agent: string): readonly Delta[] => {
		const delta = held.get(agent);
		held.delete(agent);
		return delta ? [delta] : [];
	};

	const learn = (secrets: readonly string[] = []) => {
		for (const secret of secrets) {
			known.add(secret);
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
			return [...release(agent), event];
		}

		const before = held.get(agent);
		const isSame = before?.type === event.type && before.id === event.id && before.messageId === event.messageId;
		const earlier = isSame ? [] : release(agent);
		held.delete(agent);
		let text = (isSame ? before.text : '') + event.text;
		for (const secret of known) {
			text = text.replaceAll(secret, mask);
		}

		// A signature belongs to the whole text before it.
		const end = event.opaque ? text.length : beginningAtEnd(text, known);
		if (end < text.length) {
			held.set(agent, {...event, text: text.slice(end)});
		}

		return end > 0 || event.opaque ? [...earlier, {...event, text: text.slice(0, end)}] : earlier;
	};

	return event =>
		event.type === 'task' ? masked(event.event, event.id).map(inner => ({...event, event: inner})) : masked(event, '');
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
