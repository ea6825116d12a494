/**
 * Adds a prompt to the history, the latest last, and returns the new list. Skips blank prompts and a repeated one;
 * keeps at most `max`. The caller removes secrets (SAFETY 11).
 */
export function addToHistory(entries: readonly string[], text: string, max = 1000): readonly string[] {
	// A space before it tells a message from a command.
	const entry = `${/^\s+[/!]/.test(text) ? ' ' : ''}${text.trim()}`;
	if (entry === '' || entry === entries.at(-1)) {
		return entries;
	}

	return [...entries, entry].slice(-max);
}
