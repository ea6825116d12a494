/** Most lines that are kept, and most characters of each. */
const maxLines = 500;
const maxLength = 2000;

/** Lines at the end in which the cause of an end is looked for. */
const maxCauseLines = 40;

const complaint =
	/\b\w*(?:error|exception)\b\s*(?:\[\w+\]\s*)?:|\b(?:fatal|panic)\b|cannot find|not found|no such file|permission denied/i;

/** The log of a server, which keeps its last lines. */
export type ServerLog = {
	/** Adds a line about the server. */
	readonly note: (line: string) => void;
	/** Adds a line that the server wrote. */
	readonly add: (line: string) => void;
	/** The server is started again: what it said before is not why it ends. */
	readonly restart: () => void;
	readonly lines: () => readonly string[];
	/** Returns the last line that looks like the cause of an end, or else the last line; undefined without lines. */
	readonly cause: () => string | undefined;
};

export function createServerLog(): ServerLog {
	let lines: string[] = [];
	/** What the server has said since its last start, the latest lines of it. */
	let said: string[] = [];
	const note = (line: string) => {
		lines.push(line.slice(0, maxLength));
		if (lines.length >= 2 * maxLines) {
			lines = lines.slice(-maxLines);
		}
	};
	return {
		note,
		add(line) {
			note(line);
			said.push(line.slice(0, maxLength));
			if (said.length >= 2 * maxLines) {
				said = said.slice(-maxCauseLines);
			}
		},
		restart() {
			said = [];
		},
		lines: () => lines.slice(-maxLines),
		cause() {
			// Runtimes print a stack, and Node its version, below what went wrong.
			return said.slice(-maxCauseLines).findLast(line => complaint.test(line)) ?? said.at(-1);
		},
	};
}

/** Returns why a server ended, as a clause, with the line of its log that names the cause unless that says the same. */
export function reasonWith(reason: string, cause = ''): string {
	const [clause, said] = [reason, cause.slice(0, 200)].map(text => text.trim().replace(/\.$/, ''));
	return said && !said.includes(clause ?? '') ? `${clause} (${said})` : (clause ?? '');
}
