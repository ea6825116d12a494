import {groupBy} from '../group-by.ts';
import type {Attachment} from './attached.ts';
import type {Block} from './block.ts';
import type {Message} from './message.ts';

type UserMessage = Extract<Message, {role: 'user'}>;

/** Returns what the model reads of a message: its text, then what the user attached to it. */
export function userMessage(text: string, attachments: readonly Attachment[]): UserMessage {
	return {role: 'user', text: [text, ...attachments.map(attachment => attachment.text)].filter(Boolean).join('\n\n')};
}

/** Returns what the model reads of each message of the user, by its id. */
export function userMessages(blocks: readonly Block[]): ReadonlyMap<string, UserMessage> {
	const attachments = blocks.flatMap(block => (block.kind === 'attachment' ? [block] : []));
	const attached = groupBy(attachments, ({message}) => message);
	return new Map(
		blocks.flatMap(block =>
			block.kind === 'user' ? [[block.id, userMessage(block.text, attached.get(block.id) ?? [])] as const] : [],
		),
	);
}
