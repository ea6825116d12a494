import {createHash} from 'node:crypto';
import {lstat, readdir, readFile, readlink} from 'node:fs/promises';
import {join, relative, sep} from 'node:path';
import {AppError, messageOf} from '../../core/error.ts';

/** Most files of a skill of a project, and most bytes of all of them. */
const maxFiles = 200;
const maxBytes = 8 * 1024 * 1024;

/**
 * Returns a hash of all files of a skill but its `SKILL.md`: their paths and contents; undefined if there are none. A link counts
 * with its target's name. Throws AppError("failed") if there are too many files or bytes, or one can't be read.
 */
export async function hashSkillFiles(folder: string): Promise<string | undefined> {
	const entries = await readdir(folder, {recursive: true, withFileTypes: true}).catch(() => []);
	const files = entries
		.filter(entry => !entry.isDirectory())
		.map(entry => join(entry.parentPath, entry.name))
		.filter(path => relative(folder, path) !== 'SKILL.md')
		.sort();
	if (files.length > maxFiles) {
		throw new AppError('failed', `its skill has more than ${maxFiles} files`);
	}

	const hash = createHash('sha256');
	let left = maxBytes;
	for (const path of files) {
		const stats = await lstat(path);
		left -= stats.isFile() ? stats.size : 0;
		if (left < 0) {
			throw new AppError('failed', `the files of its skill are larger than ${maxBytes / 1024 / 1024} MB`);
		}

		const name = relative(folder, path).split(sep).join('/');
		const content = stats.isFile() ? await readFile(path) : stats.isSymbolicLink() ? await readlink(path) : '';
		hash.update(JSON.stringify([name, stats.isFile() ? 'file' : 'other', stats.mode & 0o111]));
		hash.update(createHash('sha256').update(content).digest());
	}

	return files.length > 0 ? hash.digest('hex') : undefined;
}

/**
 * Lets the hashes of the skills of `folder`, which is at `place`, cover the files beside them. A skill with too many of them
 * becomes a fault.
 */
export async function withSkillFiles<
	File extends {readonly kind: string; readonly path: string; readonly hash: string},
>(
	{files, faults}: {readonly files: File[]; readonly faults: {readonly path: string; readonly reason: string}[]},
	folder: string,
	place: string,
): Promise<void> {
	for (const skill of files.filter(({kind, path}) => kind === 'skill' && path.startsWith(`${folder}/`))) {
		const name = skill.path.slice(folder.length + 1).split('/', 1)[0] ?? '';
		const index = files.indexOf(skill);
		try {
			const filesHash = await hashSkillFiles(join(place, name));
			const hash = createHash('sha256').update(`${skill.hash} ${filesHash}`).digest('hex');
			files[index] = filesHash ? {...skill, filesHash, hash} : skill;
		} catch (error) {
			files.splice(index, 1);
			faults.push({path: skill.path, reason: messageOf(error).replace(/\.$/, '')});
		}
	}
}
