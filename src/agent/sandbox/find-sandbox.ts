import {execFile} from 'node:child_process';
import {existsSync} from 'node:fs';
import {rmdir} from 'node:fs/promises';
import {join} from 'node:path';
import {promisify} from 'node:util';
import {searchFolders} from '../../core/search-path.ts';
import {isWithin} from './existing.ts';
import {type SandboxLayout, sandboxArguments} from './sandbox-arguments.ts';
import {type LayoutOptions, sandboxLayout} from './sandbox-layout.ts';

/** A bubblewrap that works here, or why commands aren't contained: one line that says what to do, where that helps. */
export type Sandbox =
	| {readonly kind: 'bubblewrap'; readonly program: string; readonly options: readonly string[]}
	| {readonly kind: 'none'; readonly why: string};

const probeTimeoutMs = 10_000;

/** Looks for bubblewrap in PATH, and tries it: a kernel or container may forbid what an installed one needs. */
export async function findSandbox(layout: LayoutOptions, platform = process.platform): Promise<Sandbox> {
	if (platform !== 'linux') {
		return {kind: 'none', why: 'bubblewrap needs Linux.'};
	}

	const program = searchFolders(layout.path)
		.filter(folder => !isWithin(folder, layout.workspace))
		.map(folder => join(folder, 'bwrap'))
		.find(existsSync);
	if (program === undefined) {
		return {kind: 'none', why: "bubblewrap isn't installed (apt install bubblewrap)."};
	}

	const seen = await sandboxLayout(layout);
	if (!seen) {
		return {kind: 'none', why: 'the working folder contains your home folder.'};
	}

	try {
		return await tried(program, seen);
	} finally {
		await removeCreated(seen);
	}
}

async function tried(program: string, layout: SandboxLayout): Promise<Sandbox> {
	let why = '';
	for (const options of [[], ['--unshare-user']]) {
		const args = [...options, ...sandboxArguments(layout), '--', '/bin/sh', '-c', 'exit 0'];
		const failure = await promisify(execFile)(program, args, {env: {}, timeout: probeTimeoutMs}).then(
			() => undefined,
			(error: Error & {readonly stderr?: string}) => error.stderr?.trim().split('\n').at(-1) ?? error.message,
		);
		if (failure === undefined) {
			return {kind: 'bubblewrap', program, options};
		}

		why ||= failure.replace(/^bwrap: /, '').slice(0, 200);
	}

	return {kind: 'none', why: `bubblewrap doesn't work here: ${why}`};
}

/** Removes the empty folders that a sandbox left. */
export async function removeCreated({created}: Pick<SandboxLayout, 'created'>): Promise<void> {
	await Promise.all(created.map(folder => rmdir(folder).catch(() => undefined)));
}
