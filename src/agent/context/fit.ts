import {headAndTail} from '../../core/cut-text.ts';
import type {Message} from '../../core/session/message.ts';
import {type PartLimits, shorten} from '../../core/session/shorten.ts';
import {tokensOf, tokensOfMessages} from '../request-usage.ts';

/** A conversation made to fit: without its first `from` messages, and with no part longer than the limits. */
export type Cut = PartLimits & {readonly from: number};

/** What the user wrote in the messages that are left out, and those that stay. */
export type Fitted = {readonly cut: Cut; readonly leftOut: string; readonly messages: readonly Message[]};

const partLimits = [32_000, 16_000, 8000, 4000, 2000];
const smallPartLimits = [1000, 500, 200];
const userLimits = [64_000, 32_000, 16_000, 8000, 4000, 2000, 1000, 500, 250];

/**
 * Cuts a conversation to about `targetTokens`, as gently as that allows: long parts first, then the oldest exchanges, then
 * the parts of the last one, and what the user wrote last of all. What the user wrote in the messages that are left out
 * stays as text. A conversation that can't be made that small is as small as it gets.
 */
export function fitInto(messages: readonly Message[], targetTokens: number): Fitted {
	const fits = ({messages: rest, leftOut}: Fitted) => tokensOfMessages(rest) + tokensOf(leftOut) <= targetTokens;
	const last = startOfLast(messages);
	const smallest = partLimits.at(-1) ?? 0;
	const cuts: Cut[] = [
		...partLimits.map(part => ({from: 0, part})),
		...startsIn(messages, last).map(from => ({from, part: smallest})),
		...smallPartLimits.map(part => ({from: last, part})),
		...userLimits.map(user => ({from: last, part: smallPartLimits.at(-1) ?? 0, user})),
	];
	// Each is smaller than the one before it, so that the first that fits is found by halves.
	let [low, high] = [0, cuts.length - 1];
	while (low < high) {
		const middle = Math.floor((low + high) / 2);
		const cut = cuts[middle];
		if (cut && fits(applyCut(messages, cut))) {
			high = middle;
		} else {
			low = middle + 1;
		}
	}

	return applyCut(messages, cuts[low] ?? {from: 0, part: smallest});
}

/** Returns where the last exchange begins: with the user's last messages, or the model's last one and its results. */
function startOfLast(messages: readonly Message[]): number {
	const answer = messages.findLastIndex(({role}) => role === 'assistant');
	const isAnswered = messages.slice(answer + 1).some(({role}) => role === 'user');
	return isAnswered ? messages.findIndex(({role}, index) => index > answer && role === 'user') : Math.max(0, answer);
}

/** Returns where a conversation may begin up to `last`: no result loses its call. At most some fifty of these places. */
function startsIn(messages: readonly Message[], last: number): readonly number[] {
	const starts = messages.flatMap(({role}, index) => (index > 0 && index <= last && role !== 'tool' ? [index] : []));
	const step = Math.ceil(starts.length / 50);
	return starts.filter((start, index) => index % step === 0 || start === last);
}

/** Most characters of a message of the user that is left out. */
const maxLeftOut = 2000;

export function applyCut(messages: readonly Message[], cut: Cut): Fitted {
	const words = messages.slice(0, cut.from).flatMap(message => (message.role === 'user' ? [message.text] : []));
	const each = Math.min(cut.user ?? maxLeftOut, Math.ceil(20_000 / (words.length || 1)), maxLeftOut);
	const leftOut = words.map(text => headAndTail(text, each)).join('\n\n');
	return {
		cut,
		leftOut: cut.user === undefined ? leftOut : headAndTail(leftOut, 2 * cut.user),
		messages: shorten(messages.slice(cut.from), cut),
	};
}

/** Returns a conversation as text, for a model that reads about it instead of taking part in it. */
export function asText(messages: readonly Message[]): string {
	return messages.map(textOf).filter(Boolean).join('\n\n');
}

function textOf(message: Message): string {
	switch (message.role) {
		case 'user':
			return `## User\n${message.text}${message.images ? '\n[with an image]' : ''}`;
		case 'tool':
			return `## Result of ${message.name}${message.failed ? ' (failed)' : ''}\n${message.output}`;
		case 'assistant': {
			const parts = message.parts.map(part =>
				part.type === 'text'
					? part.text
					: part.type === 'tool-call'
						? `Tool ${part.name}: ${JSON.stringify(part.arguments)}`
						: '',
			);
			const text = parts.filter(part => part.trim()).join('\n');
			return text && `## Assistant\n${text}`;
		}
		default:
			return message satisfies never;
	}
}
