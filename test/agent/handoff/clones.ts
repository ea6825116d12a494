import {execFileSync} from 'node:child_process';
import {lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {folderWith} from '../../e2e/program.ts';

/** Runs git as a user without settings of their own. */
export function git(folder: string, ...args: readonly string[]): string {
	const env = {
		PATH: process.env['PATH'],
		HOME: '/nonexistent',
		GIT_CONFIG_NOSYSTEM: '1',
		GIT_AUTHOR_NAME: 'a',
		GIT_AUTHOR_EMAIL: 'a@example.com',
		GIT_COMMITTER_NAME: 'a',
		GIT_COMMITTER_EMAIL: 'a@example.com',
	};
	return execFileSync('git', ['-C', folder, ...args], {env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe']});
}

/** Two clones of a repository with these files. */
export function twoClones(files: Readonly<Record<string, string>>): {readonly one: string; readonly other: string} {
	const one = folderWith();
	for (const [path, content] of Object.entries(files)) {
		mkdirSync(dirname(join(one, path)), {recursive: true});
		writeFileSync(join(one, path), content);
	}

	git(one, 'init', '--quiet', '--initial-branch=main');
	git(one, 'add', '--all');
	git(one, 'commit', '--quiet', '--message=first');
	const other = join(folderWith(), 'clone');
	git(one, 'clone', '--quiet', one, other);
	git(one, 'remote', 'add', 'origin', 'git@Example.com:team/app.git');
	git(other, 'remote', 'set-url', 'origin', 'https://ann:secret@example.com/team/app');
	return {one, other};
}

/** Returns each file below a folder, apart from git's own: its permissions, and its content or its target. */
export function treeOf(folder: string, below = ''): Readonly<Record<string, string>> {
	const tree: Record<string, string> = {};
	for (const {name} of readdirSync(join(folder, below), {withFileTypes: true})) {
		const path = below ? `${below}/${name}` : name;
		const stats = lstatSync(join(folder, path));
		if (stats.isDirectory()) {
			Object.assign(tree, name === '.git' ? {} : treeOf(folder, path));
		} else {
			tree[path] = stats.isSymbolicLink()
				? `-> ${readlinkSync(join(folder, path))}`
				: `${(stats.mode & 0o777).toString(8)} ${readFileSync(join(folder, path)).toString('base64')}`;
		}
	}

	return tree;
}
