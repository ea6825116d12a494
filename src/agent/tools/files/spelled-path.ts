import {lstat, readdir} from 'node:fs/promises';
import {basename, dirname, join} from 'node:path';
import {foldName} from './eye-fold.ts';

/** An absolute path as the file system spells it. */
export type Spelled = {
	readonly path: string;
	/** Names that look like the one that is missing, if there are several. */
	readonly lookAlikes: readonly string[];
};

/** No other name looks the same. */
const plainName = /^[!#-&(-~]*$/;

/**
 * Finds a path whose names may be spelled in another form: composed or decomposed accents, spaces of another width, curly quotes,
 * as macOS names files and models don't repeat. A name that exists exactly is meant; else the only one that looks the same.
 */
export async function spellPath(path: string): Promise<Spelled> {
	const parent = dirname(path);
	if (parent === path || (await exists(path))) {
		return {path, lookAlikes: []};
	}

	const folder = await spellPath(parent);
	const name = basename(path);
	const exact = {...folder, path: join(folder.path, name)};
	if (plainName.test(name) || folder.lookAlikes.length > 0 || (folder.path !== parent && (await exists(exact.path)))) {
		return exact;
	}

	const wanted = foldName(name);
	const names = (await readdir(folder.path).catch(() => [])).filter(each => foldName(each) === wanted);
	const [only = name, ...others] = names;
	return others.length === 0 ? {path: join(folder.path, only), lookAlikes: []} : {...exact, lookAlikes: names};
}

async function exists(path: string): Promise<boolean> {
	return lstat(path).then(
		() => true,
		() => false,
	);
}
