let find = () => 'service';
let found: string | undefined;

/** Sets the function that finds the name; it runs when the name is first needed. */
export function setProgramName(how: () => string): void {
	find = how;
	found = undefined;
}

/** Returns the words that run the program in the user's shell, before its arguments. */
export function programName(): string {
	found ??= find();
	return found;
}

/** Returns a line for the user's shell: the program, with these words if any. */
export function shellLine(words: string): string {
	return words ? `${programName()} ${words}` : programName().replace(/ --$/, '');
}
