import {execFile, spawn} from 'node:child_process';
import {existsSync} from 'node:fs';
import {join} from 'node:path';
import {promisify} from 'node:util';
import {searchFolders} from '../core/search-path.ts';
import {withoutInherited} from '../storage/inherited-descriptors.ts';
import {type Bubblewrap, filterOptions, giveFilter, isRoot} from './bubblewrap.ts';
import {hasLostMount, setupTries} from './bubblewrap-report.ts';
import {systemCallFilter} from './system-call-filter.ts';

/** What a policy needs of bubblewrap. */
export type BubblewrapNeeds = {
	/** The paths to try, best first. */
	readonly programs: readonly string[];
	/** The programs that run each sandbox as another user if root starts it; undefined if it stays root. */
	readonly setprivs?: readonly string[];
	/** Whether it can do without the filter of system calls where user namespaces can't be forbidden either. */
	readonly mayLackFilter: boolean;
	/** Returns the arguments with which a bubblewrap is tried: those of the policy, and a program that ends well. */
	readonly argumentsFor: (candidate: Bubblewrap) => readonly string[];
};

/** Returns the first bubblewrap that works, with the best options, or why there is none. Starts each that it tries. */
export async function findBubblewrap(needs: BubblewrapNeeds): Promise<Bubblewrap | {readonly why: string}> {
	let why = '';
	for (const program of needs.programs) {
		const help = await helpOf(program);
		const hasSizes = help.includes('--size') && help.includes('--perms');
		for (const way of waysToStart(help, needs)) {
			for (const filter of filtersFor(way, needs)) {
				const candidate = {program, hasSizes, ...way, takesFilter: filter !== undefined};
				const failure = await tryBubblewrap(candidate, needs, filter);
				if (failure === undefined) {
					return candidate;
				}

				why ||= failure.replace(/^bwrap: /, '').slice(0, 200);
			}
		}
	}

	return {why};
}

type Way = Pick<Bubblewrap, 'userNamespace' | 'setpriv'>;

/** Returns the ways to keep a program from the rights of this user, best first. */
function waysToStart(help: string, {setprivs}: BubblewrapNeeds): readonly Way[] {
	if (isRoot() && setprivs) {
		return setprivs.map(setpriv => ({userNamespace: [], setpriv}));
	}

	const own = '--unshare-user';
	const ways = [
		...(help.includes('--disable-userns') ? [{userNamespace: [own, '--disable-userns']}] : []),
		{userNamespace: [own]},
	];
	// Root needs a namespace only where a container took its capabilities, others do unless bubblewrap is setuid.
	return isRoot() ? [{userNamespace: []}, ...ways] : [...ways, {userNamespace: []}];
}

/**
 * Returns the filters of system calls to try, best first. Where bubblewrap can't forbid user namespaces, the filter must: as
 * root in its own namespace, a program could mount file systems in memory that no limit counts.
 */
function filtersFor({userNamespace}: Way, {mayLackFilter}: BubblewrapNeeds): ReadonlyArray<Buffer | undefined> {
	const filter = systemCallFilter();
	return filter && !mayLackFilter && !userNamespace.includes('--disable-userns') ? [filter] : [filter, undefined];
}

/** Returns where a program is installed, in the order of PATH. */
export function programsOf(path: string, name: string): readonly string[] {
	return searchFolders(path)
		.map(folder => join(folder, name))
		.filter(existsSync);
}

/** Returns what a bubblewrap says about its options; '' if it doesn't start. */
async function helpOf(program: string): Promise<string> {
	const {stdout} = await promisify(execFile)(program, ['--help'], {env: {}, timeout: 5000}).catch(() => ({stdout: ''}));
	return stdout;
}

const probeTimeoutMs = 10_000;

/**
 * Tests a bubblewrap: a kernel or container may forbid what an installed one needs. Returns what it says if it fails; undefined
 * if it succeeds.
 */
async function tryBubblewrap(
	candidate: Bubblewrap,
	needs: BubblewrapNeeds,
	filter: Buffer | undefined,
): Promise<string | undefined> {
	let complaint: string | undefined;
	for (let tries = 0; tries < setupTries; tries += 1) {
		complaint = await startBubblewrap(candidate, needs, filter);
		if (complaint === undefined || !hasLostMount(complaint)) {
			break;
		}
	}

	return complaint;
}

/** Returns the last line of what it says if it fails; undefined if it succeeds. */
function startBubblewrap(
	candidate: Bubblewrap,
	{argumentsFor}: BubblewrapNeeds,
	filter: Buffer | undefined,
): Promise<string | undefined> {
	const standard = ['ignore', 'ignore', 'pipe', 'ignore', ...(filter ? ['pipe' as const] : [])] as const;
	const args = [...(filter ? filterOptions : []), ...argumentsFor(candidate)];
	const child = withoutInherited(standard, stdio =>
		spawn(candidate.program, args, {env: {}, stdio, timeout: probeTimeoutMs, killSignal: 'SIGKILL'}),
	);
	giveFilter(child, filter);
	let complaint = '';
	child.stderr?.on('data', chunk => {
		complaint = `${complaint}${chunk}`.slice(-2000);
	});
	return new Promise(resolve => {
		child.once('error', error => resolve(error.message));
		child.once('close', status =>
			resolve(status === 0 ? undefined : (complaint.trim().split('\n').at(-1) ?? '') || `exit status ${status}`),
		);
	});
}
