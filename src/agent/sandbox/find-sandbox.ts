import {type ChildProcess, spawn} from 'node:child_process';
import {existsSync} from 'node:fs';
import {join} from 'node:path';
import {systemCallFilter} from '../../containment/system-call-filter.ts';
import {withoutInherited} from '../../storage/inherited-descriptors.ts';
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
			/** What it reads on descriptor 4; undefined if the kernel takes no filter. */
			readonly filter?: Buffer;
	  }
	| {readonly kind: 'none'; readonly why: string};

const probeTimeoutMs = 10_000;

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

/** With these, bubblewrap reads a filter of system calls. */
export const filterOptions = ['--seccomp', '4'] as const;

async function tried(program: string, layout: SandboxLayout): Promise<Sandbox> {
	const compiled = systemCallFilter();
	let why = '';
	for (const filter of compiled ? [compiled, undefined] : [undefined]) {
		for (const options of [[], ['--unshare-user']]) {
			const args = [...options, ...(filter ? filterOptions : []), ...sandboxArguments(layout)];
			const failure = await failureOf(program, [...args, '--', '/bin/sh', '-c', 'exit 0'], filter);
			if (failure === undefined) {
				return {kind: 'bubblewrap', program, options, ...(filter && {filter})};
			}

			why ||= failure.replace(/^bwrap: /, '').slice(0, 200);
		}
	}

	return {kind: 'none', why: `bubblewrap doesn't work here: ${why}`};
}

/** Runs a program. Returns what it says if it fails; undefined if it succeeds. */
function failureOf(program: string, args: readonly string[], filter: Buffer | undefined): Promise<string | undefined> {
	const standard = ['ignore', 'ignore', 'pipe', 'ignore', ...(filter ? ['pipe' as const] : [])] as const;
	const child = withoutInherited(standard, stdio =>
		spawn(program, args, {env: {}, stdio, timeout: probeTimeoutMs, killSignal: 'SIGKILL'}),
	);
	giveFilter(child, filter);
	let said = '';
	child.stderr?.on('data', chunk => {
		said = `${said}${chunk}`.slice(-2000);
	});
	return new Promise(resolve => {
		child.once('error', error => resolve(error.message));
		child.once('close', status =>
			resolve(status === 0 ? undefined : (said.trim().split('\n').at(-1) ?? '') || `exit status ${status}`),
		);
	});
}

/** Writes the filter to the program that was started with it. */
export function giveFilter({stdio: {4: channel}}: ChildProcess, filter: Buffer | undefined): void {
	if (filter && channel && 'end' in channel) {
		channel.on('error', () => undefined);
		channel.end(filter);
	}
}

/** Removes the empty folders that a sandbox left. */
export async function removeCreated({created}: Pick<SandboxLayout, 'created'>): Promise<void> {
	await removeEmpty(created);
}
