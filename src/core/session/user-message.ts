import {codeFence} from '../code-fence.ts';
import {groupBy} from '../group-by.ts';
import type {Block, Command} from './block.ts';
import type {Message} from './message.ts';
import type {Attachment} from './user-events.ts';

type UserMessage = Extract<Message, {role: 'user'}>;

/** Returns what the model reads of a message: the commands that the user ran before, the text, and what is attached. */
export function userMessage(
	text: string,
	attachments: readonly Attachment[],
	commands: readonly Command[] = [],
): UserMessage {
	const parts = [...commands.map(commandText), text, ...attachments.map(attachment => attachment.text)];
	const images = attachments.flatMap(attachment => attachment.images ?? []);
	return {role: 'user', text: parts.filter(Boolean).join('\n\n'), ...(images.length > 0 && {images})};
}

function commandText({command, output, end}: Command): string {
	const how = end || 'it was interrupted';
	return `[The user ran this command in their shell (${how}):]\n\n${codeFence(`$ ${command}\n${output}`)}`;
}

/** Returns the commands of the user that no message has carried to the model yet. */
export function pendingCommands(blocks: readonly Block[]): readonly Command[] {
	const carried = new Set(blocks.flatMap(block => (block.kind === 'user' ? (block.commands ?? []) : [])));
	return commandsOf(blocks).filter(({id, open}) => !open && !carried.has(id));
}

function commandsOf(blocks: readonly Block[]): readonly Command[] {
	return blocks.flatMap(block => (block.kind === 'command' ? [block] : []));
}

/** Returns what the model reads of each message of the user, by its id. */
export function userMessages(blocks: readonly Block[]): ReadonlyMap<string, UserMessage> {
	const attachments = blocks.flatMap(block => (block.kind === 'attachment' ? [block] : []));
	const attached = groupBy(attachments, ({message}) => message);
	const commands = new Map(commandsOf(blocks).map(command => [command.id, command]));
	return new Map(
		blocks.flatMap(block => {
			if (block.kind !== 'user') {
				return [];
			}

			const carried = (block.commands ?? []).flatMap(id => commands.get(id) ?? []);
			return [[block.id, userMessage(block.text, attached.get(block.id) ?? [], carried)] as const];
		}),
	);
}
