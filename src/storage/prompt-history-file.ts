import {setTimeout as sleep} from 'node:timers/promises';
import {isJsonObject, parseJson} from '../core/json.ts';
import type {Home} from './home.ts';
import {readSmallFile, updateSmallFile} from './small-file.ts';

const maxEntries = 1000;
const maxCharacters = 1024 * 1024;
/** A longer prompt is not kept: most of it is a pasted log. */
const maxPromptLength = 16 * 1024;
const settleTimeoutMs = 500;

/** Returns the prompts of all sessions, oldest first, without unreadable lines. Throws AppError("failed"). */
export function loadPromptHistory(home: Home): readonly string[] {
	return linesOf(readSmallFile(home.promptHistoryFile)).flatMap(line => {
		const entry = parseJson(line);
		return isJsonObject(entry) && typeof entry['text'] === 'string' ? [entry['text']] : [];
	});
}

/**
 * Appends a prompt and keeps the newest 1,000; a repeated prompt is kept once. Safe with other processes. The caller removes
 * secrets (SAFETY 11). Throws AppError("failed") and AppError("conflict").
 */
export async function appendPrompt(home: Home, text: string): Promise<void> {
	if (!text.trim() || text.length > maxPromptLength) {
		return;
	}

	const line = JSON.stringify({text});
	await updateSmallFile(home.promptHistoryFile, before => {
		const lines = linesOf(before);
		return lines.at(-1) === line ? undefined : `${newest([...lines, line]).join('\n')}\n`;
	});
}

/** Appends prompts in their order, in the background. One that can't be kept for later is no reason to stop. */
export function createPromptKeeper(home: Home) {
	let writing: Promise<void> = Promise.resolve();
	return {
		remember(prompt: string) {
			writing = writing.then(() => appendPrompt(home, prompt)).catch(() => undefined);
		},
		/** Resolves once everything is written, or after half a second, for a process about to exit. */
		settle: () => Promise.race([writing, sleep(settleTimeoutMs, undefined, {ref: false})]),
	};
}

function newest(lines: readonly string[]): readonly string[] {
	let characters = 0;
	const cut = lines.findLastIndex(line => {
		characters += line.length + 1;
		return characters > maxCharacters;
	});
	return lines.slice(Math.max(cut + 1, lines.length - maxEntries));
}

function linesOf(text: string | undefined): readonly string[] {
	return (text ?? '').split('\n').filter(Boolean);
}
