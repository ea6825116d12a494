import {execFileSync} from 'node:child_process';
import {closeSync, openSync, rmSync, writeSync} from 'node:fs';
import {join} from 'node:path';
import {onTestFinished} from 'vitest';
import {temporaryFolder} from './server/sandboxes/sandbox.ts';

export const canMount = process.platform === 'linux' && process.getuid?.() === 0;
/** What the title of a test says where it is skipped. */
export const notRoot = canMount ? '' : ' (skipped: needs root)';

/** Mounts a small disk, and returns functions that fill it to the last byte and free it. */
export async function smallDisk(megabytes = 2) {
	const root = await temporaryFolder();
	execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'none', root]);
	onTestFinished(() => void execFileSync('umount', ['-l', root]));
	const path = join(root, 'filler');
	return {
		root,
		fill() {
			const file = openSync(path, 'a');
			for (const bytes of [65_536, 4096, 1]) {
				try {
					for (;;) {
						writeSync(file, Buffer.alloc(bytes));
					}
				} catch {
					// Full, but for smaller pieces.
				}
			}

			closeSync(file);
		},
		free: () => rmSync(path, {force: true}),
	};
}
