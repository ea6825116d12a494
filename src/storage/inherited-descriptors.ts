import type {StdioOptions} from 'node:child_process';
import {closeSync, openSync, readdirSync, readFileSync} from 'node:fs';

/** `O_CLOEXEC` as `/proc/<pid>/fdinfo` shows it: such a descriptor never reaches a child. */
const closeOnExec = 0o2000000;

type Standard = readonly ('pipe' | 'ignore')[];

/**
 * Calls `start` with what to give `spawn` as `stdio`, so that the child gets none of the descriptors that this program
 * inherited (SAFETY 15): Node hands on those that it did not open itself. `/dev/null` takes the place of each.
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

/** As `withoutInherited`, for a child that is Node: it closes a row of descriptors without a gap by itself. */
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

/** What is open in this program beyond the standard streams and would be open in a child, in ascending order. Linux alone says it; elsewhere the system closes it. */
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
		// It was the one that listed the folder.
		return false;
	}
}
