import {lstat, readFile, realpath, rename, writeFile} from 'node:fs/promises';
import {basename, dirname, join} from 'node:path';

/** The orders that an unfinished rebase or pick leaves for the user's next `git rebase --continue`: those of each file. */
export type Unfinished = ReadonlyArray<readonly [path: string, orders: readonly string[]]>;

const folders = ['rebase-merge', 'rebase-apply', 'sequencer'];
/** Files with steps, and those whose text names a program: a strategy with a slash is a path. */
const files = ['git-rebase-todo', 'todo', 'strategy', 'opts'];

const maxBytes = 1024 * 1024;

/** Returns the orders in the unfinished operations of these folders of git. */
export async function unfinishedIn(gits: readonly string[]): Promise<Unfinished> {
	const paths = gits.flatMap(git => folders.flatMap(folder => files.map(file => join(git, folder, file))));
	const found = await Promise.all(paths.map(async path => [path, await ordersIn(path)] as const));
	return found.flatMap(([path, orders]) => (orders === 'unclear' ? [[path, []] as const] : [[path, orders] as const]));
}

/**
 * Removes the orders that were not there before: steps that run a program become comments, and what can't be read so is
 * set aside. Returns a line for each file.
 */
export async function removeOrders(before: Unfinished): Promise<readonly string[]> {
	const notes: string[] = [];
	for (const [path, known] of before) {
		const now = await ordersIn(path);
		if (now !== 'unclear' && withoutKnown(now, known).length === 0) {
			continue;
		}

		const aside = `${path}-untrusted-${Date.now()}`;
		const shown = `${basename(dirname(path))}/${basename(path)}`;
		const isReplaced = now !== 'unclear' && isSteps(path);
		const text = isReplaced ? await readFile(path, 'utf8') : '';
		await rename(path, aside);
		if (isReplaced) {
			await writeFile(path, commented(text, known), {flag: 'wx'});
			notes.push(`turned what ${shown} would run into comments: git rebase --continue would run it`);
		} else {
			notes.push(`renamed ${shown} to ${basename(aside)}: git would run what it names`);
		}
	}

	return notes;
}

function isSteps(path: string): boolean {
	return /todo$/.test(path);
}

function isOrder(line: string): boolean {
	return /^[ \t]*(?:exec|x)(?:[ \t]|$)/.test(line);
}

function commented(text: string, known: readonly string[]): string {
	const left = [...known];
	const lines = text.split('\n').map(line => {
		const index = isOrder(line) ? left.indexOf(line.trim()) : -1;
		if (index >= 0) {
			left.splice(index, 1);
		}

		return isOrder(line) && index < 0 ? `# ${line}` : line;
	});
	return lines.join('\n');
}

function withoutKnown(orders: readonly string[], known: readonly string[]): readonly string[] {
	const left = [...known];
	return orders.filter(order => {
		const index = left.indexOf(order);
		if (index >= 0) {
			left.splice(index, 1);
		}

		return index < 0;
	});
}

/** Returns the orders in a file; `unclear` for one that isn't a plain file where it seems to be. */
async function ordersIn(path: string): Promise<readonly string[] | 'unclear'> {
	const stats = await lstat(path).catch(() => undefined);
	if (!stats) {
		return [];
	}

	const folder = dirname(path);
	if (!stats.isFile() || stats.size > maxBytes || (await realpath(folder).catch(() => '')) !== folder) {
		return 'unclear';
	}

	const lines = (await readFile(path, 'utf8').catch(() => '')).split('\n').map(line => line.trim());
	if (isSteps(path)) {
		return lines.filter(isOrder);
	}

	return lines.filter(line => (basename(path) === 'strategy' ? line.includes('/') : /^strategy\b.*\//.test(line)));
}
