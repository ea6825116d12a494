/** How many destinations are named in the log of a sandbox. */
const maxNamed = 100;

/** Bytes of a line. */
const maxLength = 300;

/** Notes a destination that was refused, and why. */
export type NoteRefusal = (destination: string, why: string) => void;

/**
 * Creates what writes a line for each refused destination: once, and for no more than a hundred of them, because a program
 * tries again and again.
 */
export function createRefusalNotes(write: (line: string) => void): NoteRefusal {
	const named = new Set<string>();
	return (destination, why) => {
		const shown = destination.replace(/[^!-~…]/g, '?').slice(0, maxLength);
		if (named.has(shown) || named.size > maxNamed) {
			return;
		}

		named.add(shown);
		write(
			named.size > maxNamed
				? `[network] refused: more than ${maxNamed} destinations; others aren’t listed`
				: `[network] refused: ${shown} (${why})`,
		);
	};
}
