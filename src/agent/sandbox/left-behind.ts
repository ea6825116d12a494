import {readdir, readFile, rmdir, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import * as z from 'zod/mini';
import {parseJson} from '../../core/json.ts';
import {type GitSnapshot, removePlanted, removeUnfinished} from './planted.ts';

/** Names of the files that say what a running command may leave behind. */
const fileName = /^git-\d+\.json$/;

const stored = z.object({
	workspace: z.string(),
	repositories: z.array(z.tuple([z.string(), z.string()])),
	absent: z.array(z.string()),
	awaited: z.array(z.string()),
	links: z.array(z.tuple([z.string(), z.string()])),
	unfinished: z.array(z.tuple([z.string(), z.array(z.string())])),
	created: z.array(z.string()),
});

/** Notes in a private folder what a command may leave if this program is killed. Returns the path of the note. */
export async function noteRunning(
	folder: string,
	number: number,
	{repositories, ...snapshot}: GitSnapshot,
	created: readonly string[],
): Promise<string> {
	const path = join(folder, `git-${number}.json`);
	const text = JSON.stringify({...snapshot, repositories: [...repositories], created});
	await writeFile(path, text, {mode: 0o600, flag: 'wx'});
	return path;
}

/** Removes the empty folders that a sandbox left, those in others first. */
export async function removeEmpty(folders: readonly string[]): Promise<void> {
	for (const folder of folders.toSorted((a, b) => b.length - a.length)) {
		await rmdir(folder).catch(() => undefined);
	}
}

/** Removes what the commands of a killed program left for git, and the empty folders of their sandboxes. Never throws. */
export async function cleanLeftBehind(folder: string): Promise<void> {
	const names = (await readdir(folder).catch(() => [])).filter(name => fileName.test(name));
	for (const name of names) {
		const {data} = stored.safeParse(parseJson(await readFile(join(folder, name), 'utf8').catch(() => '')));
		if (data) {
			const {created, repositories, ...snapshot} = data;
			await removeEmpty(created);
			const before = {...snapshot, repositories: new Map(repositories)};
			await removePlanted(before).catch(() => undefined);
			await removeUnfinished(before).catch(() => undefined);
		}
	}
}
