import {saveNewFile} from '../storage/new-file.ts';
import {type LogEntry, markText} from './log-entry.ts';

const chunkCharacters = 64 * 1024;

/**
 * Saves entries as text: lines whole and as they came, marks on lines of their own. The file is for the user alone
 * (0600). Throws `conflict` for one that exists, `failed` for one that cannot be written; then nothing is left of it.
 */
export async function saveLog(path: string, entries: Iterable<LogEntry>): Promise<string> {
	return saveNewFile(path, bytesOf(entries));
}

async function* bytesOf(entries: Iterable<LogEntry>): AsyncGenerator<Uint8Array> {
	const encoder = new TextEncoder();
	let text = '';
	for (const entry of entries) {
		text += `${entry.kind === 'line' ? entry.text : markText[entry.mark]}\n`;
		if (text.length > chunkCharacters) {
			yield encoder.encode(text);
			text = '';
		}
	}

	yield encoder.encode(text);
}
