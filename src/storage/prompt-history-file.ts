import {isJsonObject, parseJson} from '../core/json.ts';
import type {Home} from './home.ts';
import {readSmallFile, updateSmallFile} from './small-file.ts';

/** Prompts that are kept, and what they and the longest of them may take, in characters: a pasted log is not worth it. */
const mostEntries = 1000;
const mostCharacters = 1024 * 1024;
const longestPrompt = 16 * 1024;

/** The prompts of all sessions, oldest first. Lines that cannot be read are left out. Throws `AppError` (`failed`). */
export function loadPromptHistory(home: Home): readonly string[] {
	return linesOf(readSmallFile(home.promptHistoryFile)).flatMap(line => {
		const entry = parseJson(line);
		return isJsonObject(entry) && typeof entry['text'] === 'string' ? [entry['text']] : [];
	});
}

/**
 * Adds a prompt at the end, keeping the newest 1,000; the same prompt twice in a row is kept once. Safe while other
 * processes do the same. The caller keeps secrets out (SAFETY 11). Throws `AppError` (`failed`, `conflict`).
 */
export async function appendPrompt(home: Home, text: string): Promise<void> {
	if (!text.trim() || text.length > longestPrompt) {
		return;
	}

	const line = JSON.stringify({text});
	await updateSmallFile(home.promptHistoryFile, before => {
		const lines = linesOf(before);
		return lines.at(-1) === line ? undefined : `${newest([...lines, line]).join('\n')}\n`;
	});
}

function newest(lines: readonly string[]): readonly string[] {
	let characters = 0;
	const cut = lines.findLastIndex(line => {
		characters += line.length + 1;
		return characters > mostCharacters;
	});
	return lines.slice(Math.max(cut + 1, lines.length - mostEntries));
}

function linesOf(text: string | undefined): readonly string[] {
	return (text ?? '').split('\n').filter(Boolean);
}
