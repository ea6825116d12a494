import {spawn} from 'node:child_process';
import {fileURLToPath} from 'node:url';
import {withoutInherited} from '../../storage/inherited-descriptors.ts';

/**
 * The cleaner is beside the bundle that contains this module, and one level above a shared chunk. Sources use the last
 * build.
 */
const folder = import.meta.url.endsWith('.ts') ? '../../../dist' : import.meta.url.includes('/chunks/') ? '..' : '.';
const builtCleaner = new URL(`${folder}/clean-planted.mjs`, import.meta.url);

/** Waits, as a shell that needs no memory to speak of, for a word that all is well. If there is none, it cleans up. */
const waiter = 'read -r word <&3; [ "$word" = done ] || exec "$@" 3<&-';

/** Starts what cleans up after sandboxed commands if this program is killed. Returns what ends it when all have ended. */
export function startCleaner(notes: string): () => void {
	const args = ['-c', waiter, 'sh', process.execPath, fileURLToPath(builtCleaner), notes];
	const child = withoutInherited(['ignore', 'ignore', 'ignore', 'pipe'], stdio =>
		spawn('/bin/sh', args, {cwd: '/', env: {PATH: process.env['PATH']}, stdio, detached: true}),
	);
	// Without it, the next start cleans up.
	child.on('error', () => undefined);
	child.unref();
	const line = child.stdio[3];
	if (!line || !('write' in line)) {
		return () => undefined;
	}

	line.on('error', () => undefined);
	if ('unref' in line && typeof line.unref === 'function') {
		line.unref();
	}

	return () => void line.end('done\n');
}
