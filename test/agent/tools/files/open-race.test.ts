import {execFileSync} from 'node:child_process';
import {linkSync, renameSync, symlinkSync} from 'node:fs';
import {join} from 'node:path';
import {setImmediate as turn} from 'node:timers/promises';
import {expect, test} from 'vitest';
import {boundsOf, openInside} from '../../../../src/agent/policy/bounds.ts';
import {AppError} from '../../../../src/core/error.ts';
import {makeWorkspace} from '../workspace.ts';

const rounds = 400;

/** Alternates a file and its replacement at one path until it is stopped. Returns how often it did. */
async function swap(workspace: string, make: (path: string) => void, signal: AbortSignal): Promise<number> {
	let swaps = 0;
	for (; !signal.aborted; swaps++) {
		const next = join(workspace, 'next');
		if (swaps % 2 === 0) {
			make(next);
		} else {
			linkSync(join(workspace, 'kept.txt'), next);
		}

		renameSync(next, join(workspace, 'a.txt'));
		await turn();
	}

	return swaps;
}

test.skipIf(process.platform === 'win32').each([
	['a link that leads out', (path: string) => symlinkSync('../outside.txt', path)],
	['a pipe that nobody writes to', (path: string) => linkSync(join(path, '../pipe'), path)],
])('[13] a file swapped for %s while it is opened shows nothing else, without waiting', async (_, make) => {
	const {workspace, stateFolder} = await makeWorkspace({'a.txt': 'inside', 'kept.txt': 'inside'});
	execFileSync('mkfifo', [join(workspace, 'pipe')]);
	const bounds = await boundsOf(workspace, {stateFolder});
	const stop = new AbortController();
	const swapping = swap(workspace, make, stop.signal);
	const seen = new Set<string>();
	try {
		for (let round = 0; round < rounds; round++) {
			try {
				const {handle} = await openInside('a.txt', bounds);
				seen.add(await handle.readFile('utf8').finally(() => handle.close()));
			} catch (error) {
				expect(error).toBeInstanceOf(AppError);
			}
		}
	} finally {
		stop.abort();
		expect(await swapping).toBeGreaterThan(rounds / 4);
	}

	// How often it was the file is random; it was never anything else.
	expect([...seen].filter(text => text !== 'inside')).toEqual([]);
});
