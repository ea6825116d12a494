import {isJsonObject, parseJson} from '../core/json.ts';
import type {Home} from './home.ts';
import {type ContentChange, openKeptFile} from './kept-file.ts';

const maxEntries = 1000;
const maxCharacters = 1024 * 1024;
/** A longer prompt is not kept: most of it is a pasted log. */
const maxPromptLength = 16 * 1024;

/** The lines of the file, oldest first: a JSON object each. Those of a later version, or broken ones, stay. */
type Lines = readonly string[];

/** Returns the prompts of all sessions, oldest first, without unreadable lines. Throws AppError("failed"). */
export function loadPromptHistory(home: Home): readonly string[] {
	return openFile(home)
		.read()
		.flatMap(line => {
			const entry = parseJson(line);
			return isJsonObject(entry) && typeof entry['text'] === 'string' ? [entry['text']] : [];
		});
}

/**
 * Appends a prompt and keeps the newest 1,000; a repeated prompt is kept once. Safe with other processes. The caller removes
 * secrets (SAFETY 11). Throws AppError("failed") and AppError("conflict").
 */
export async function appendPrompt(home: Home, text: string): Promise<void> {
	await openFile(home).update(withPrompt(text));
}

export type PromptKeeper = {
	readonly remember: (text: string) => void;
};

/** Appends prompts in their order, in the background. One that can't be kept for later is no reason to stop. */
export function createPromptKeeper(home: Home): PromptKeeper {
	const file = openFile(home);
	return {remember: text => file.updateLater(withPrompt(text))};
}

function openFile(home: Home) {
	return openKeptFile<Lines>(home.promptHistoryFile, {
		parse: (text = '') => text.split('\n').filter(Boolean),
		print: lines => `${lines.join('\n')}\n`,
	});
}

function withPrompt(text: string): ContentChange<Lines> {
	const line = JSON.stringify({text});
	const isKept = text.trim() !== '' && text.length <= maxPromptLength;
	return lines => (isKept && lines.at(-1) !== line ? newest([...lines, line]) : lines);
}

function newest(lines: Lines): Lines {
	let characters = 0;
	const cut = lines.findLastIndex(line => {
		characters += line.length + 1;
		return characters > maxCharacters;
	});
	return lines.slice(Math.max(cut + 1, lines.length - maxEntries));
}
