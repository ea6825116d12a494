/** Most lines that are kept, and most characters of each. */
const maxLines = 500;
const maxLength = 2000;

/** Creates the log of a server, which keeps its last lines. */
export function createServerLog() {
	let lines: string[] = [];
	return {
		add(line: string): void {
			lines.push(line.slice(0, maxLength));
			if (lines.length >= 2 * maxLines) {
				lines = lines.slice(-maxLines);
			}
		},
		lines: (): readonly string[] => lines.slice(-maxLines),
	};
}
