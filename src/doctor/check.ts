/** What one check found. Its texts may hold what others wrote: names of files, errors, answers of a server. */
export type Check = {
	/** What was checked, in one or two words. */
	readonly name: string;
	/** `fault`: something that the user relies on doesn't work. `note`: it works, with a limit that one should know. */
	readonly state: 'good' | 'note' | 'fault';
	readonly finding: string;
	/** What to do about it: a sentence with a command or a setting. Always there for a fault. */
	readonly fix?: string;
};

export function good(name: string, finding: string): Check {
	return {name, state: 'good', finding};
}

export function note(name: string, finding: string, fix?: string): Check {
	return {name, state: 'note', finding, ...(fix && {fix})};
}

export function fault(name: string, finding: string, fix: string): Check {
	return {name, state: 'fault', finding, fix};
}
