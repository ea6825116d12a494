import {saveNewFile} from '../storage/new-file.ts';
import {type LogEntry, markText} from './log-entry.ts';

const chunkCharacters = 64 * 1024;

/**
 * Saves entries as text: lines whole and unchanged, marks on lines of their own. Only the user can read the file (0600).
 * Throws `AppError("conflict")` if it exists, and `AppError("failed")` if it cannot be written; then no file is left.
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
