import type {StdioOptions} from 'node:child_process';
import {closeSync, openSync, readdirSync, readFileSync} from 'node:fs';

/** `O_CLOEXEC` as `/proc/<pid>/fdinfo` shows it: such a descriptor never reaches a child. */
const closeOnExec = 0o2000000;

/** The number of a descriptor passes that on. */
type Standard = readonly ('pipe' | 'ignore' | number)[];

/**
 * Calls `start` with the `stdio` for `spawn` that replaces each descriptor that this program inherited by `/dev/null`
 * (SAFETY 15): Node passes on those that it didn't open itself.
 */
export function withoutInherited<Child>(standard: Standard, start: (stdio: StdioOptions) => Child): Child {
	const inherited = inheritedDescriptors();
	if (inherited.length === 0) {
		return start([...standard]);
	}

	const nothing = openSync('/dev/null', 'r');
	try {
		return start([...standard, ...covered(inherited, standard.length).map(isOpen => (isOpen ? nothing : 'ignore'))]);
	} finally {
		closeSync(nothing);
	}
}

/** Does the same for a child that is Node, which closes consecutive descriptors by itself. */
export function withoutGaps<Child>(standard: Standard, start: (stdio: StdioOptions) => Child): Child {
	const last = inheritedDescriptors().at(-1) ?? 0;
	const nothing = openSync('/dev/null', 'r');
	try {
		return start([...standard, ...Array.from({length: Math.max(0, last - standard.length + 1)}, () => nothing)]);
	} finally {
		closeSync(nothing);
	}
}

function covered(inherited: readonly number[], from: number): readonly boolean[] {
	const known = new Set(inherited);
	return Array.from({length: (inherited.at(-1) ?? 0) - from + 1}, (_, index) => known.has(from + index));
}

/**
 * Returns the descriptors beyond the standard streams that a child would inherit, in ascending order. Only Linux lists them;
 * other systems close them.
 */
function inheritedDescriptors(): readonly number[] {
	try {
		return readdirSync('/proc/self/fd')
			.map(Number)
			.filter(descriptor => descriptor > 2 && isInherited(descriptor))
			.sort((one, other) => one - other);
	} catch {
		return [];
	}
}

function isInherited(descriptor: number): boolean {
	try {
		const [, flags = '0'] = /^flags:\s*(\d+)$/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8')) ?? [];
		return (Number.parseInt(flags, 8) & closeOnExec) === 0;
	} catch {
		// It was the descriptor of the folder listing.
		return false;
	}
}
