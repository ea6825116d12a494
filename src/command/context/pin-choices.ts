import {AppError} from '../../core/error.ts';
import type {Choice} from '../../core/question.ts';
import {blocksOf, type Transcript} from '../../core/session/transcript.ts';
import type {Interaction} from '../../platform/interaction.ts';
import {answerLabel, messageLabel} from '../picker/message-label.ts';

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
	interact: Pick<Interaction, 'choose'>,
): Promise<Choice | undefined> {
	if (words !== undefined) {
		const found = choices.find(({label}) => label.toLowerCase().includes(words.toLowerCase()));
		if (!found) {
			throw new AppError('not-found', `No message with “${words}”.`, {hint: 'Choose one from a list: /pin'});
		}

		return found;
	}

	const id = await interact.choose({title: 'Which message?', choices});
	return choices.find(choice => choice.id === id);
}
