import * as z from 'zod/mini';
import {command, noun} from '../src/command/command.ts';
import {answerLabel, messageLabel} from '../src/command/picker/message-label.ts';
import {unchanged} from '../src/command/result.ts';
import {AppError} from '../src/core/error.ts';
import type {Choice} from '../src/core/question.ts';
import {blocksOf, type Transcript} from '../src/core/session/transcript.ts';
import type {Interaction} from '../src/platform/interaction.ts';

const add = command({
	name: 'add',
	summary: 'Pin a message, so that compactions keep it word for word',
	args: z.object({words: z.optional(z.string())}),
	positional: ['words'],
	rest: true,
	describe: {words: 'words of the message; asks which one by default'},
	examples: ['pin', 'pin never touch the migrations'],
	where: 'app',
	whileRunning: true,

	async run({words}, {ui: {live, interact}, program}) {
		const {transcript} = program.store.getState();
		const choices = await pinChoices(transcript, false);
		if (choices.length === 0) {
			return {kind: 'text', text: 'No messages to pin.'};
		}

		const chosen = await choosePin(choices, words, interact.choose);
		if (!chosen) {
			return unchanged;
		}

		live?.pin(chosen.id, true);
		return {kind: 'text', text: `Pinned: ${chosen.label}`, hint: 'List: /pin list · Unpin: /pin remove'};
	},
});

const list = command({
	name: 'list',
	summary: 'List the pinned messages',
	args: z.object({}),
	where: 'app',
	whileRunning: true,

	async run(_, {program}) {
		const pinned = (await pinChoices(program.store.getState().transcript, true)).toReversed();
		return pinned.length === 0
			? {kind: 'text', text: 'No pinned messages.', hint: 'Pin one: /pin', data: []}
			: {kind: 'lines', lines: pinned.map(({label}) => label), data: pinned.map(({id, label}) => ({id, label}))};
	},
});

const remove = command({
	name: 'remove',
	aliases: ['rm'],
	summary: 'Unpin a message',
	args: z.object({words: z.optional(z.string())}),
	positional: ['words'],
	rest: true,
	describe: {words: 'words of the message; asks which one by default'},
	examples: ['pin remove', 'pin remove migrations'],
	where: 'app',
	whileRunning: true,

	async run({words}, {ui: {live, interact}, program}) {
		const choices = await pinChoices(program.store.getState().transcript, true);
		if (choices.length === 0) {
			return {kind: 'text', text: 'No pinned messages.'};
		}

		const chosen = await choosePin(choices, words, interact.choose);
		if (!chosen) {
			return unchanged;
		}

		live?.pin(chosen.id, false);
		return {kind: 'text', text: `No longer pinned: ${chosen.label}`};
	},
});

export default noun({
	name: 'pin',
	summary: 'Messages that compactions keep word for word',
	verbs: [add, list, remove],
	fallback: 'add',
});

/**
 * Returns the pinned messages, or those that are not: messages of the user, and answers by their `messageId`. The newest
 * comes first.
 */
export async function pinChoices(transcript: Transcript, pinned: boolean): Promise<readonly Choice[]> {
	const pins = new Set(transcript.pins);
	const choices = new Map<string, Choice>();
	for (const block of blocksOf(transcript)) {
		const message =
			block.kind === 'user'
				? {id: block.id, detail: 'yours'}
				: block.kind === 'text' && block.text.trim()
					? {id: block.messageId, detail: 'answer'}
					: undefined;
		if (message && pins.has(message.id) === pinned && !choices.has(message.id) && 'text' in block) {
			const label = block.kind === 'text' ? await answerLabel(block.text) : messageLabel(block.text);
			choices.set(message.id, {...message, label});
		}
	}

	return [...choices.values()].toReversed();
}

/**
 * Returns the message whose beginning has these words, or asks which one; undefined if the user cancels. Throws
 * AppError("not-found") if none has them.
 */
export async function choosePin(
	choices: readonly Choice[],
	words: string | undefined,
	choose: Interaction['choose'],
): Promise<Choice | undefined> {
	if (words !== undefined) {
		const found = choices.find(({label}) => label.toLowerCase().includes(words.toLowerCase()));
		if (!found) {
			throw new AppError('not-found', `No message with “${words}”.`, {hint: 'Choose one from a list: /pin'});
		}

		return found;
	}

	const id = await choose({title: 'Which message?', choices});
	return choices.find(choice => choice.id === id);
}
