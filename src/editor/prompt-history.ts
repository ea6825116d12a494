/**
 * Adds a prompt to the history, the latest last, and gives the new list. Blank prompts and the same one twice in a row are
 * not added; at most `max` are kept. The caller keeps secrets out (SAFETY 11).
 */
export function addToHistory(entries: readonly string[], text: string, max = 1000): readonly string[] {
	const entry = text.trim();
	if (entry === '' || entry === entries.at(-1)) {
		return entries;
	}

	return [...entries, entry].slice(-max);
}
