import {lstat, readdir} from 'node:fs/promises';
import {basename, dirname, join} from 'node:path';
import {unseenCharacters} from '../../core/json.ts';
import {foldName} from './eye-fold.ts';

/**
 * Returns a path for the model, on one line: as a JSON string if it has line ends or invisible characters, so that a
 * file name can't look like several, and the model can repeat it exactly.
 */
export function pathText(path: string): string {
	return invisible.test(path)
		? JSON.stringify(path).replace(new RegExp(invisible, 'gu'), character => character.split('').map(escaped).join(''))
		: path;
}

/** Returns the first paths, each as `pathText` has it, and how many more there are. */
export function pathsText(paths: readonly string[], most: number): string {
	const more = paths.length > most ? ` and ${paths.length - most} more` : '';
	return paths.slice(0, most).map(pathText).join(', ') + more;
}

/** Returns a text as a JSON string of ASCII characters alone. */
export function asciiJson(text: string): string {
	return JSON.stringify(text).replace(/[^\0-\x7F]/g, escaped);
}

const invisible = new RegExp(`[${unseenCharacters}]`, 'u');

function escaped(unit: string): string {
	return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/**
 * Folds what file systems ignore in names and what people can't see in them: case, the form of accents and of letters,
 * the kind of a space, a quote or a dash, spaces at the ends, and invisible characters. Paths that look the same are the same.
 */
export function foldedPath(path: string): string {
	return foldName(path)
		.normalize('NFKC')
		.replace(/[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, '')
		.replace(/\p{Zs}/gu, ' ')
		.replace(/[\p{Pd}\u2212]/gu, '-')
		.replace(/(?: *\/|^) *| +$/g, ends => ends.trim())
		.toUpperCase()
		.toLowerCase()
		.normalize('NFC');
}

/** An absolute path as the file system spells it. */
type Spelled = {
	readonly path: string;
	/** Names that look like the one that is missing, if there are several. */
	readonly lookAlikes: readonly string[];
};

/** No file system of Linux or macOS has longer paths, and looking for each part of one would take seconds. */
const maxPathLength = 4096;
/** No other name looks the same. */
const plainName = /^[!#-&(-~]*$/;

/**
 * Finds a path whose names may be spelled in another form: composed or decomposed accents, spaces of another width, curly quotes,
 * as macOS names files and models don't repeat. A name that exists exactly is meant; else the only one that looks the same.
 */
export async function spellPath(path: string): Promise<Spelled> {
	const parent = dirname(path);
	const isTooLong = path.length > maxPathLength && path.normalize('NFC').length > maxPathLength;
	if (parent === path || isTooLong || (await exists(path))) {
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
