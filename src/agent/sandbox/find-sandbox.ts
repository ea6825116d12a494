import {existsSync} from 'node:fs';
import {join} from 'node:path';
import type {Bubblewrap} from '../../containment/bubblewrap.ts';
import {findBubblewrap} from '../../containment/find-bubblewrap.ts';
import {foldersOutside} from '../tools/child/find-program.ts';
import {removeEmpty} from './left-behind.ts';
import {type SandboxLayout, sandboxArguments} from './sandbox-arguments.ts';
import {type LayoutOptions, sandboxLayout} from './sandbox-layout.ts';

/** A bubblewrap that works here, or why commands aren't contained: one line that says what to do, where that helps. */
export type Sandbox =
	| {readonly kind: 'bubblewrap'; readonly bubblewrap: Bubblewrap}
	| {readonly kind: 'none'; readonly why: string};

/** Looks for bubblewrap in PATH, and tries it: a kernel or container may forbid what an installed one needs. */
export async function findSandbox(layout: LayoutOptions, platform = process.platform): Promise<Sandbox> {
	if (platform !== 'linux') {
		return {kind: 'none', why: 'bubblewrap needs Linux.'};
	}

	const programs = foldersOutside(layout.workspace, {PATH: layout.path})
		.map(folder => join(folder, 'bwrap'))
		.filter(existsSync);
	if (programs.length === 0) {
		return {kind: 'none', why: "bubblewrap isn't installed (apt install bubblewrap)."};
	}

	const seen = await sandboxLayout(layout);
	if (!seen) {
		return {kind: 'none', why: 'the working folder contains your home folder.'};
	}

	const argumentsFor = (candidate: Bubblewrap) => [
		...sandboxArguments(candidate, seen),
		'--',
		'/bin/sh',
		'-c',
		'exit 0',
	];
	const found = await findBubblewrap({programs, mayLackFilter: true, argumentsFor}).finally(() => removeCreated(seen));
	return 'why' in found
		? {kind: 'none', why: `bubblewrap doesn't work here: ${found.why}`}
		: {kind: 'bubblewrap', bubblewrap: found};
}

/** Removes the empty folders that a sandbox left. */
export async function removeCreated({created}: Pick<SandboxLayout, 'created'>): Promise<void> {
	await removeEmpty(created);
}
