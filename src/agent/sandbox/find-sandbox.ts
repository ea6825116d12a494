import {existsSync} from 'node:fs';
import {join} from 'node:path';
import {canLimitSizes, filterOptions, helpOf, tryBubblewrap} from '../../containment/bubblewrap.ts';
import {systemCallFilter} from '../../containment/system-call-filter.ts';
import {foldersOutside} from '../tools/child/find-program.ts';
import {removeEmpty} from './left-behind.ts';
import {type SandboxLayout, sandboxArguments} from './sandbox-arguments.ts';
import {type LayoutOptions, sandboxLayout} from './sandbox-layout.ts';

/** A bubblewrap that works here, or why commands aren't contained: one line that says what to do, where that helps. */
export type Sandbox =
	| {
			readonly kind: 'bubblewrap';
			readonly program: string;
			readonly options: readonly string[];
			/** Whether it can limit the size of a tmpfs. */
			readonly hasSizes: boolean;
			/** What it reads on descriptor 4; undefined if the kernel takes no filter. */
			readonly filter?: Buffer;
	  }
	| {readonly kind: 'none'; readonly why: string};

/** Looks for bubblewrap in PATH, and tries it: a kernel or container may forbid what an installed one needs. */
export async function findSandbox(layout: LayoutOptions, platform = process.platform): Promise<Sandbox> {
	if (platform !== 'linux') {
		return {kind: 'none', why: 'bubblewrap needs Linux.'};
	}

	const program = foldersOutside(layout.workspace, {PATH: layout.path})
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
	const hasSizes = canLimitSizes(await helpOf(program));
	const compiled = systemCallFilter();
	let why = '';
	for (const filter of compiled ? [compiled, undefined] : [undefined]) {
		for (const options of [[], ['--unshare-user']]) {
			const args = [...options, ...(filter ? filterOptions : []), ...sandboxArguments(layout, hasSizes)];
			const failure = await tryBubblewrap(program, [...args, '--', '/bin/sh', '-c', 'exit 0'], filter);
			if (failure === undefined) {
				return {kind: 'bubblewrap', program, options, hasSizes, ...(filter && {filter})};
			}

			why ||= failure.replace(/^bwrap: /, '').slice(0, 200);
		}
	}

	return {kind: 'none', why: `bubblewrap doesn't work here: ${why}`};
}

/** Removes the empty folders that a sandbox left. */
export async function removeCreated({created}: Pick<SandboxLayout, 'created'>): Promise<void> {
	await removeEmpty(created);
}
