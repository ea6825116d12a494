import {existsSync} from 'node:fs';
import {lstat, readFile, realpath, stat} from 'node:fs/promises';
import {basename, join, relative, sep} from 'node:path';
import {isWithin} from '../paths/existing.ts';
import {chosenOnce, type FolderSearch, listFolder, searchFolder} from '../paths/search-folder.ts';
import {deniedBy} from './bounds.ts';
import {matchesPath} from './rules/judge-path.ts';
import {type FileRules, fileRuleTools, namesSecrets, type Rule} from './rules/rule.ts';
import {isSecretByFolder, isSecretFile} from './secret-files.ts';

/** Files of a working folder that a sandboxed command can't open as it likes. All paths are absolute and real. */
export type WithheldFiles = {
	/** Secret files that no rule allows to be read. */
	readonly secrets: readonly string[];
	/** What rules deny to be read: files, and folders with everything in them. */
	readonly denied: readonly Withheld[];
	/** What rules deny to be changed. */
	readonly fixed: readonly Withheld[];
	/** Files and folders that are withheld because of where they are: no folder on their way may be renamed. */
	readonly placed: readonly string[];
	/** False if there may be more of them than could be found or can be withheld. */
	readonly isComplete: boolean;
};

type Withheld = {readonly path: string; readonly isFolder: boolean};

const editTools: ReadonlyArray<Rule['tool']> = fileRuleTools.edit;

/** More of them would slow every command down. */
const maxWithheld = 500;
const maxReadLength = 64 * 1024;

/** Folders of packages that others published. */
const published = /(?:^|\/)(?:node_modules|bower_components|site-packages|dist-packages|Pods|\.yarn|\.pnpm-store)\//;
/** The same for names that mean it only beside one of these files. */
const publishedBeside: Readonly<Record<string, readonly string[]>> = {
	vendor: ['go.mod', 'composer.json', 'Gemfile', 'Cargo.toml'],
	target: ['Cargo.toml', 'pom.xml', 'build.sbt'],
	deps: ['mix.exs', 'rebar.config'],
};

/** Settings of package managers, which those read with each command: secret only if they hold a credential. */
const packageSettings = /^\.(?:npmrc|yarnrc)$/i;
/** A login with its value, unless that is a variable, and a password in a URL. */
const credential =
	/^[^#;\n]*(?:auth|password|token|secret|\bkey\b|\bcert\b)[^=\s]*[ \t]*[= ][ \t]*"?(?!\$\{)[^\s"]|:\/\/[^\s/:@]*:[^\s/@]+@/im;

/** What may stand in a file of certificates and public keys, and nothing else. */
const publicBlocks =
	/^(?:\s*-----BEGIN ((?:[A-Z0-9]+ )*(?:CERTIFICATE|PUBLIC KEY|X509 CRL|CERTIFICATE REQUEST|DH PARAMETERS))-----[\w+/=\s]+-----END \1-----)+\s*$/;

/** True if rules may deny files that nothing else looks for, such as those of packages. */
export function hasDenials(rules: FileRules | undefined): boolean {
	return rules?.entries.some(({effect}) => effect === 'deny') ?? false;
}

/**
 * Returns the files of a folder that commands can't read or change. `revealed` are secret files that the user allowed for
 * these commands.
 */
export async function withheldFiles(
	folder: string,
	rules: FileRules = {folder, entries: []},
	{
		listing,
		revealed = new Set(),
	}: {readonly listing?: FolderSearch | undefined; readonly revealed?: ReadonlySet<string>} = {},
): Promise<WithheldFiles> {
	const list = listing ?? (await listFolder(folder, hasDenials(rules)));
	const {paths, isComplete} = list;
	const [denied, fixed, secrets] = await Promise.all([
		deniedIn(folder, paths, rules, 'read'),
		rules.entries.some(({tool, effect}) => effect === 'deny' && editTools.includes(tool))
			? deniedIn(folder, paths, rules, 'edit')
			: {found: [], isComplete: true},
		secretsIn(folder, namedSecret(list, folder), rules),
	]);
	const isDenied = (path: string) => denied.found.some(place => isWithin(path, place.path));
	const kept = [...new Set(await withHardLinks(folder, secrets))].filter(
		path => !revealed.has(path) && !isDenied(path),
	);
	const unchanged = fixed.found.filter(({path}) => !isDenied(path));
	const all = [...denied.found, ...unchanged];
	return {
		secrets: kept.slice(0, maxWithheld),
		denied: denied.found.slice(0, maxWithheld),
		fixed: unchanged.slice(0, maxWithheld),
		placed: [
			...all.map(({path}) => path),
			...kept.filter(path => isSecretByFolder(relative(folder, path).replaceAll(sep, '/'))),
		],
		isComplete:
			[isComplete, denied.isComplete, fixed.isComplete].every(Boolean) &&
			kept.length + all.length <= maxWithheld &&
			// Such a name isn't valid, and can't be passed on.
			![...kept, ...all.map(({path}) => path)].some(path => path.includes('\ufffd')),
	};
}

/** What was found in repositories that working folders are a part of, and when. */
const outerListings = new Map<string, {readonly at: number; readonly files: Promise<readonly string[]>}>();
const maxOuterAgeMs = 5000;

/**
 * Returns the secret files of the repository that a working folder is a part of. Commands can't change them, and it may be
 * large, so what was found counts for a few seconds.
 */
export async function outerSecrets(
	outer: string,
	folder: string,
	revealed: ReadonlySet<string> = new Set(),
): Promise<readonly string[]> {
	const known = outerListings.get(outer);
	const isFresh = known && performance.now() - known.at < maxOuterAgeMs;
	const files = isFresh
		? known.files
		: listFolder(outer).then(list => secretsIn(outer, namedSecret(list, outer), {folder: outer, entries: []}));
	outerListings.set(outer, isFresh ? known : {at: performance.now(), files});
	const found = (await files).filter(path => !isWithin(path, folder) && !revealed.has(path));
	return found.slice(0, maxWithheld);
}

/** Returns the outermost files and folders that rules deny, also where links in the folder lead. */
async function deniedIn(folder: string, paths: readonly string[], rules: FileRules, use: 'read' | 'edit') {
	const denied = await deniedBy(rules, use);
	if (!denied) {
		return {found: [], isComplete: true};
	}

	// Git's own data isn't listed, but a rule may name a file of it.
	const literal = rules.entries.flatMap(({pattern}) => (pattern === undefined ? [] : [join(rules.folder, pattern)]));
	const found = new Map<string, Withheld>();
	let outer: string | undefined;
	for (const path of [folder, ...paths, ...literal].sort(byPath)) {
		if ((outer !== undefined && isWithin(path, outer)) || !denied.by(path)) {
			continue;
		}

		const real = await realpath(path).catch(() => undefined);
		const stats = real === undefined ? undefined : await stat(real).catch(() => undefined);
		if (real === undefined || !stats) {
			continue;
		}

		outer = stats.isDirectory() ? path : undefined;
		found.set(real, {path: real, isFolder: stats.isDirectory()});
	}

	const files = [...found.values()].filter(({isFolder}) => !isFolder).map(({path}) => path);
	for (const path of await withHardLinks(folder, files)) {
		found.set(path, {path, isFolder: false});
	}

	return {found: [...found.values()], isComplete: denied.isComplete};
}

/** Orders folders before what is in them, and that before their neighbours. */
function byPath(one: string, other: string): number {
	const [left, right] = [one, other].map(path => path.replaceAll('/', '\0'));
	return left === right ? 0 : (left ?? '') < (right ?? '') ? -1 : 1;
}

/** Returns the paths whose names suggest secrets. */
const namedSecret = chosenOnce((paths, folder) =>
	paths.filter(path => isSecretFile(path.slice(folder.length + 1).replaceAll(sep, '/'))),
);

/** Returns the secret files among these that no rule allows, and those to which such names link. */
async function secretsIn(folder: string, paths: readonly string[], {entries}: FileRules): Promise<readonly string[]> {
	const allowing = entries.filter(rule => rule.effect === 'allow' && rule.tool === 'read_file' && namesSecrets(rule));
	const isAllowed = (shown: string) => allowing.some(rule => matchesPath(rule, shown));
	const found = await Promise.all(
		paths.map(async path => {
			const shown = relative(folder, path).replaceAll(sep, '/');
			if (isAllowed(shown)) {
				return undefined;
			}

			const real = await realpath(path).catch(() => undefined);
			const stats = real === undefined ? undefined : await lstat(real).catch(() => undefined);
			const target = real === undefined ? '' : relative(folder, real).replaceAll(sep, '/');
			return real !== undefined && stats?.isFile() && !isAllowed(target) && (await holdsSecrets(real, folder))
				? real
				: undefined;
		}),
	);
	return found.filter(path => path !== undefined);
}

/** True for a file in a folder of packages, such as the certificates that they come with. */
function isPublished(folder: string, shown: string): boolean {
	if (published.test(shown)) {
		return true;
	}

	const parts = shown.split('/');
	return parts.slice(0, -1).some((name, index) => {
		const beside = Object.hasOwn(publishedBeside, name) ? publishedBeside[name] : undefined;
		return beside?.some(file => existsSync(join(folder, ...parts.slice(0, index), file)));
	});
}

/**
 * True for a file with a secret name unless packages come with it, or it holds no secret: certificates alone, or settings of
 * a package manager without a login. Tests and builds read those all the time.
 */
export async function holdsSecrets(path: string, folder: string): Promise<boolean> {
	if (isPublished(folder, relative(folder, path).replaceAll(sep, '/'))) {
		return false;
	}

	const name = basename(path);
	const isSettings = packageSettings.test(name);
	if (!isSettings && !/\.pem$/i.test(name)) {
		return true;
	}

	// What can't be read may hold anything.
	const text = await readFile(path, 'utf8').catch(() => undefined);
	return (
		text === undefined || text.length > maxReadLength || (isSettings ? credential.test(text) : !publicBlocks.test(text))
	);
}

/** Returns files with the other names in the folder that hard links give them. */
async function withHardLinks(folder: string, files: readonly string[]): Promise<readonly string[]> {
	const stats = await Promise.all(files.map(path => lstat(path).catch(() => undefined)));
	const inodes = [...new Set(stats.flatMap(each => (each && each.nlink > 1 ? [each.ino] : [])))].slice(0, maxWithheld);
	if (inodes.length === 0) {
		return files;
	}

	const tests = inodes.flatMap(inode => ['-o', '-inum', String(inode)]).slice(1);
	const others = await searchFolder(folder, ['(', ...tests, ')', '-print0'], ({ino}) => inodes.includes(ino));
	return [...new Set([...files, ...others.paths])];
}
