import {cutText} from '../../core/cut-text.ts';
import type {Block} from '../../core/session/block.ts';
import {callText} from '../../core/session/call-words.ts';
import {blocksOf, type Transcript} from '../../core/session/transcript.ts';

/** Most text of a conversation that another agent gets: its end. */
const maxHandOver = 60_000;
/** Most text of the result of one call in it. */
const maxResult = 1000;

/** Returns the conversation so far as text, for an agent that doesn't know it; '' if there is none. */
export function handOverText(transcript: Transcript): string {
	const parts = blocksOf(transcript).flatMap(partOf);
	if (parts.length === 0) {
		return '';
	}

	const text = parts.join('\n\n');
	const cut = text.length > maxHandOver;
	const end = cut ? text.slice(-maxHandOver) : text;
	return [
		'[Note from the program: the user had this conversation with another agent, and continues it with you. Their next message follows.]',
		cut ? `[The beginning is left out.]\n…${end}` : end,
		'[End of the conversation so far.]',
	].join('\n\n');
}

/** Returns how many messages would be handed over. */
export function countHandedOver(transcript: Transcript): number {
	return blocksOf(transcript).filter(({kind}) => kind === 'user' || kind === 'text').length;
}

function partOf(block: Block): readonly string[] {
	switch (block.kind) {
		case 'user':
			return [`User: ${block.text}`];
		case 'text':
			return block.text.trim() ? [`Agent: ${block.text}`] : [];
		case 'tool': {
			const {name, arguments: args, words, output} = block;
			const result = output.trim() ? `\n${cutText(output.trim(), maxResult)}` : '';
			return [`[Tool: ${callText(name, args, words)}]${result}`];
		}
		case 'compaction':
			return [`[Summary: ${block.summary}]`];
		default:
			return [];
	}
}
