import {codeFence} from '../code-fence.ts';
import {groupBy} from '../group-by.ts';
import {createListMemo} from '../list/list-memo.ts';
import type {Block, Command} from './block.ts';
import type {Message} from './message.ts';
import type {Attachment} from './user-events.ts';

type UserMessage = Extract<Message, {role: 'user'}>;

/** What a message of the user carries to the model beside its text. */
type Carried = {
	readonly attachments: readonly Attachment[];
	/** The commands that the user ran before. */
	readonly commands: readonly Command[];
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

/** Returns what the model reads of each message of the user, by its id; `isDated` with the dates that they brought. */
export function userMessages(blocks: readonly Block[], {isDated} = {isDated: true}): ReadonlyMap<string, UserMessage> {
	const attachments = blocks.flatMap(block => (block.kind === 'attachment' ? [block] : []));
	const attached = groupBy(attachments, ({message}) => message);
	const commands = new Map(commandsOf(blocks).map(command => [command.id, command]));
	const messageOf = isDated ? datedMessage : undatedMessage;
	const messages = new Map<string, UserMessage>();
	for (const block of blocks) {
		if (block.kind === 'user') {
			const carried = (block.commands ?? []).flatMap(id => commands.get(id) ?? []);
			messages.set(block.id, messageOf([block, ...(attached.get(block.id) ?? []), ...carried]));
		}
	}

	return messages;
}

const datedMessage = createListMemo((blocks: readonly Block[]) => messageOf(blocks, true));
const undatedMessage = createListMemo((blocks: readonly Block[]) => messageOf(blocks, false));

/** Returns what the model reads of a message, given its block and those of what it carries. */
function messageOf(blocks: readonly Block[], isDated: boolean): UserMessage {
	const [user] = blocks;
	const attachments = blocks.flatMap(block => (block.kind === 'attachment' ? [block] : []));
	const {text = '', date} = user?.kind === 'user' ? user : {};
	return userMessage(text, {attachments, commands: commandsOf(blocks), date: isDated ? date : undefined});
}
