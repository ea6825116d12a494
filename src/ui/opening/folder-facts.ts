import {join} from 'node:path';
import {linkedGit} from '../../agent/obeyed/git-places.ts';
import {isInstruction} from '../../agent/project/instruction-text.ts';
import {readOwn} from '../../agent/project/read-file.ts';
import type {Program} from '../../command/program.ts';
import {namesOf} from '../../command/views/project/trust-view.ts';
import {cutLine} from '../../core/cut-text.ts';
import {formatAge} from '../../core/format.ts';

/** What is known of the working folder when the app opens. Untrusted. */
export type FolderFacts = {
	/** Undefined outside a repository. */
	readonly branch?: string | undefined;
	/** The names of the project's files that the user trusts, in a few words; '' without any. */
	readonly trusted: string;
	/** True if the project tells the agent how to work. */
	readonly hasInstructions: boolean;
	/** The session that `-c` continues. */
	readonly last?: {readonly id: string; readonly title: string; readonly age: string} | undefined;
};

/** Reads what is known of the working folder. Never throws: what can't be read is left out. */
export async function readFolderFacts({project, session}: Program): Promise<FolderFacts> {
	const [state, last] = await Promise.all([
		project.files.state().catch(() => undefined),
		// What is saved here is no session of the host that this terminal is attached to.
		session.hosted ? undefined : session.saved.newest().catch(() => undefined),
	]);
	const files = state?.files.filter(({standing}) => standing !== 'user') ?? [];
	return {
		branch: state?.root ? await readBranch(state.root).catch(() => undefined) : undefined,
		trusted: namesOf(files.filter(({standing}) => standing === 'trusted')),
		hasInstructions: files.some(isInstruction),
		last: last && {
			id: last.id.slice(0, 8),
			title: cutLine(last.title || last.about || '', 40),
			age: formatAge(last.updatedAt),
		},
	};
}

/** Returns the branch of a repository, or the commit of one without; undefined if the folder is none. */
async function readBranch(root: string): Promise<string | undefined> {
	const top = join(root, '.git');
	const git = (await linkedGit(top))?.git ?? top;
	const head = await readOwn(join(git, 'HEAD')).catch(() => undefined);
	const [, branch] = /^ref: refs\/heads\/(\S+)/.exec(head?.text ?? '') ?? [];
	return branch ?? /^[\da-f]{7}/.exec(head?.text ?? '')?.[0];
}
