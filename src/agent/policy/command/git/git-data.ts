import {readdir, readFile, realpath} from 'node:fs/promises';
import {join} from 'node:path';
import {linkedGit} from '../../../sandbox/git-places.ts';
import {isInside} from '../paths.ts';

/** Where git says that it keeps the data of a repository, as absolute paths. */
type GitData = {
	/** That of the working tree. */
	readonly git: string;
	/** That which working trees share. */
	readonly common: string;
	readonly objects: string;
};

const elsewhere = 'reads a repository that is not in the working folder';

/**
 * Returns why git may not read its data unasked, as a clause: a file or a link may lead to another repository. The data may
 * be outside of the working folder only for a worktree or a submodule that the repository knows.
 */
export async function whyNotData(data: GitData, top: string, workspace: string): Promise<string | undefined> {
	const [git, common, objects] = await Promise.all([data.git, data.common, data.objects].map(realPathOf));
	if (git === undefined || common === undefined || objects === undefined) {
		return elsewhere;
	}

	const isIn = [git, common].every(path => isInside(path, workspace));
	const linked = isIn ? undefined : await linkedGit(join(top, '.git'));
	const isKnown = isIn || (linked !== undefined && linked.git === git && linked.common === common);
	return isKnown && objects === join(common, 'objects') && !(await leadsAway(objects)) ? undefined : elsewhere;
}

/** True if objects are elsewhere, too. */
async function leadsAway(objects: string): Promise<boolean> {
	const alternates = await readFile(join(objects, 'info', 'alternates'), 'utf8').catch(
		(error: NodeJS.ErrnoException) => (error.code === 'ENOENT' ? '' : '?'),
	);
	const entries = await Promise.all(
		[objects, join(objects, 'pack'), join(objects, 'info')].map(folder =>
			readdir(folder, {withFileTypes: true}).catch(() => []),
		),
	);
	return alternates.trim() !== '' || entries.flat().some(entry => entry.isSymbolicLink());
}

async function realPathOf(path: string): Promise<string | undefined> {
	return realpath(path).catch(() => undefined);
}
