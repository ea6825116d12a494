import {codeFence} from '../code-fence.ts';
import {groupBy} from '../group-by.ts';
import type {Block, CommandBlock} from './block.ts';
import type {Message} from './message.ts';
import type {Attachment} from './user-events.ts';

export type UserMessage = Extract<Message, {role: 'user'}>;

/** What a message of the user carries to the model beside its text. */
type Carried = {
	readonly attachments: readonly Attachment[];
	/** The commands that the user ran before. */
	readonly commands: readonly CommandBlock[];
	/** The date, if the model knows another one. */
	readonly date?: string | undefined;
};

/** Returns what the model reads of a message: the commands that the user ran before, the text, and what is attached. */
export function userMessage(text: string, {attachments, commands, date}: Carried): UserMessage {
	const note = date === undefined ? '' : `${dateNote}${date}.]`;
	const parts = [note, ...commands.map(commandText), text, ...attachments.map(attachment => attachment.text)];
	const images = attachments.flatMap(attachment => attachment.images ?? []);
	return {role: 'user', text: parts.filter(Boolean).join('\n\n'), ...(images.length > 0 && {images})};
}

const dateNote = '[Note from the program, not from the user. Today is ';

/** Returns the last date that messages of the user bring; undefined if none does. */
export function dateIn(messages: readonly Message[]): string | undefined {
	const last = messages.findLast(message => message.role === 'user' && message.text.startsWith(dateNote));
	return last?.role === 'user' ? last.text.slice(dateNote.length, dateNote.length + 'YYYY-MM-DD'.length) : undefined;
}

function commandText({command, output, end}: CommandBlock): string {
	const how = end || 'it was interrupted';
	return `[The user ran this command in their shell (${how}):]\n\n${codeFence(`$ ${command}\n${output}`)}`;
}

/** Returns the commands of the user that no message has carried to the model yet. */
export function pendingCommands(blocks: readonly Block[]): readonly CommandBlock[] {
	const commands = commandsOf(blocks);
	if (commands.length === 0) {
		return commands;
	}

	const carried = new Set(blocks.flatMap(block => (block.kind === 'user' ? (block.commands ?? []) : [])));
	return commands.filter(({id, open}) => !open && !carried.has(id));
}

function commandsOf(blocks: readonly Block[]): readonly CommandBlock[] {
	return blocks.filter(block => block.kind === 'command');
}

/**
 * Returns what the model reads of each message of the user from the block `from` on, by its id; `isDated` with the dates
 * that they brought.
 */
export function userMessages(
	blocks: readonly Block[],
	{isDated = true, from = 0}: {readonly isDated?: boolean; readonly from?: number} = {},
): ReadonlyMap<string, UserMessage> {
	const later = from === 0 ? blocks : blocks.slice(from);
	const attachments = later.flatMap(block => (block.kind === 'attachment' ? [block] : []));
	const attached = groupBy(attachments, ({message}) => message);
	const carries = later.some(block => block.kind === 'user' && block.commands);
	const commands = new Map((carries ? commandsOf(blocks) : []).map(command => [command.id, command]));
	return new Map(
		later.flatMap(block => {
			if (block.kind !== 'user') {
				return [];
			}

			const carried = {
				attachments: attached.get(block.id) ?? [],
				commands: (block.commands ?? []).flatMap(id => commands.get(id) ?? []),
				date: isDated ? block.date : undefined,
			};
			return [[block.id, userMessage(block.text, carried)] as const];
		}),
	);
}
