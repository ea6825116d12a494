/** Returns text as code of Markdown. */
export const code = (text: string): string => `\`${text}\``;

/** Returns a table of Markdown; a pipe in a cell is escaped. */
export function markdownTable(head: readonly string[], rows: ReadonlyArray<readonly string[]>): string {
	const line = (cells: readonly string[]) => `| ${cells.map(cell => cell.replaceAll('|', '\\|')).join(' | ')} |`;
	return [line(head), `|${' --- |'.repeat(head.length)}`, ...rows.map(line)].join('\n');
}
