import {type ChildProcess, spawn} from 'node:child_process';
import process from 'node:process';
import {signalGroup} from '../../../containment/processes.ts';
import {withoutInherited} from '../../../storage/inherited-descriptors.ts';

/** Time for a program to end after its input has, and between SIGTERM and SIGKILL. */
export const endDelayMs = 500;

/**
 * An orphan that ends the group once this program is gone, which closes descriptor 3. Constant: the command is arguments. The
 * command starts after the orphan has let go of its input, so that the program alone decides how long that is open.
 */
const guarded = '( { read -r _ <&3; kill -9 "-$$"; } & ) </dev/null >/dev/null 2>&1; exec 3<&-; exec "$0" "$@"';

type Options = {
	readonly folder: string;
	readonly env: Readonly<Record<string, string>>;
	/** Descriptors from the fifth on, as pipes; none on Windows. */
	readonly extraPipes?: number;
};

/**
 * Starts a program that serves this one over its pipes: in a group of its own that ends with this program, and without what this
 * program has open.
 */
export function spawnServing(words: readonly string[], {folder, env, extraPipes = 0}: Options): ChildProcess {
	const isWindows = process.platform === 'win32';
	const [file = '', ...args] = isWindows ? words : ['/bin/sh', '-c', guarded, ...words];
	const more = Array.from({length: isWindows ? 0 : 1 + extraPipes}, () => 'pipe' as const);
	return withoutInherited(['pipe', 'pipe', 'pipe', ...more], stdio =>
		spawn(file, args, {cwd: folder, stdio, detached: !isWindows, windowsHide: true, env}),
	);
}

/** Closes the input of a program, and ends its group after a moment. Resolves when `ended` does. */
export async function closeServing(
	child: ChildProcess | undefined,
	ended: Promise<unknown> | undefined,
): Promise<void> {
	child?.stdin?.end();
	const timers = [
		setTimeout(() => signalGroup(child?.pid, 'SIGTERM'), endDelayMs),
		setTimeout(() => signalGroup(child?.pid, 'SIGKILL'), 2 * endDelayMs),
	];
	await ended;
	timers.forEach(clearTimeout);
}

/** What a program may send at once, and after that in each second. */
const burstBytes = 64 * 1024 * 1024;
const bytesPerSecond = 4 * 1024 * 1024;

/**
 * Creates what tells a program that has much to say from one that never stops. `now` returns a time in milliseconds.
 */
export function createFloodGuard(now: () => number = performance.now.bind(performance)) {
	let left = burstBytes;
	let at = now();
	return {
		/** Counts bytes. Returns false once there are too many. */
		allows(bytes: number): boolean {
			const time = now();
			left = Math.min(burstBytes, left + ((time - at) / 1000) * bytesPerSecond) - bytes;
			at = time;
			return left >= 0;
		},
	};
}
