let find = () => 'service';
let found: string | undefined;

/** Sets how the name is found; it is looked up at its first use. */
export function setProgramName(how: () => string): void {
	find = how;
	found = undefined;
}

/** How the program is called in the user's shell: what stands in front of its arguments there. */
export function programName(): string {
	found ??= find();
	return found;
}

/** A line for the user's shell: the program with these words, or alone. */
export function shellLine(words: string): string {
	return words ? `${programName()} ${words}` : programName().replace(/ --$/, '');
}
