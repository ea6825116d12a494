import {mkdir, open, stat} from 'node:fs/promises';
import {homedir, userInfo} from 'node:os';
import {basename, dirname, join, relative, sep} from 'node:path';
import type {HiddenPlace} from '../../containment/bubblewrap.ts';
import {serviceSockets, socketFolders} from '../../containment/service-sockets.ts';
import {searchFolders} from '../../core/search-path.ts';
import {gitOrders} from '../obeyed/git-orders.ts';
import {gitPlaces, outerRepository, settleIndex} from '../obeyed/git-places.ts';
import {hookOrders} from '../obeyed/hook-orders.ts';
import {obeyedPlaces} from '../obeyed/obeyed-places.ts';
import {type Existing, existing, isWithin} from '../paths/existing.ts';
import {type FolderSearch, listFolder} from '../paths/search-folder.ts';
import {type Places, protectedPlaces, unwritablePlaces} from '../policy/protected-places.ts';
import {hasDenials, outerSecrets, withheldFiles} from '../policy/withheld-files.ts';
import type {SandboxLayout} from './sandbox-arguments.ts';

export type LayoutOptions = {
	/** The real path of the working folder. */
	readonly workspace: string;
	readonly places: Places;
	/** The session's folder for temporary files. */
	readonly temporary: string;
	/** The `PATH` of commands. */
	readonly path: string;
	readonly hasNetwork: boolean;
	/** A private folder for what stands in the place of files that can't be read. */
	readonly masks?: string;
	/** What is in the working folder, if somebody has searched it already. */
	readonly listing?: FolderSearch | undefined;
	/** Secret files of the working folder that the user allowed to be read. */
	readonly revealed?: ReadonlySet<string> | undefined;
};

/** Where homes are, and where services listen whose sockets would lead out of the sandbox. */
const coveredPlaces = ['/home', '/root', ...socketFolders];

/** What the kernel shows of processes; the sandbox has its own. */
const kernelPlaces = ['/proc', '/sys', '/dev'];

/**
 * Returns what a command may see (SAFETY 13, 15): homes are empty but for tools, and secrets can't be read anywhere.
 * Returns undefined if the working folder contains the home folder, because then nothing separates them.
 */
export async function sandboxLayout(options: LayoutOptions): Promise<SandboxLayout | undefined> {
	const {workspace, places, temporary, path, hasNetwork, revealed} = options;
	const {homeFolder = homedir()} = places;
	const homes = (await existing([homeFolder, systemHome() ?? homeFolder])).map(home => home.path);
	if (homes.some(home => isWithin(home, workspace))) {
		return undefined;
	}

	const isOutside = (place: string) => !isWithin(place, workspace);
	const found = await existing([...coveredPlaces, ...homes, places.stateFolder]);
	const covered = found.map(place => place.path).filter(isOutside);
	const isCovered = (place: string) => covered.some(folder => isWithin(place, folder));
	const parent = await outerRepository(workspace);
	const isApart = parent !== undefined && ![...homes, '/tmp'].some(place => isWithin(place, parent));
	const outer = isApart ? parent : undefined;
	const rules = places.rules?.();
	const listing = options.listing ?? (await listFolder(workspace, hasDenials(rules)));
	const [git, inFolder, around] = await Promise.all([
		gitPlaces(workspace, outer, listing),
		withheldFiles(workspace, rules, {listing, ...(revealed && {revealed})}),
		outer === undefined ? [] : outerSecrets(outer, workspace, revealed),
	]);
	const withheld = {...inFolder, secrets: [...inFolder.secrets, ...around]};
	const tools = await readableTools(homeFolder, path, isCovered);
	const readable = [
		...tools,
		...(outer !== undefined && (isCovered(outer) || isWithin(outer, '/tmp')) ? [outer] : []),
		...(hasNetwork ? await existing(['/etc/resolv.conf']) : []).map(place => place.path).filter(isCovered),
	];
	const isShown = (place: string) => !isCovered(place) || [...readable, workspace].some(root => isWithin(place, root));
	const secrets = (await existing(protectedPlaces(places))).filter(
		({path: place}) => isShown(place) && !kernelPlaces.includes(place) && place !== temporary,
	);
	const orders = await gitOrders({workspace, homeFolder, repositories: git.repositories, outer: parent});
	const ofHooks = await hookOrders((await places.hooks?.()) ?? [], {workspace, homeFolder});
	const programs = new Set([...orders.programs, ...ofHooks.programs]);
	const folders = new Set([...orders.folders, ...ofHooks.folders]);
	const obeyed = await obeyedPlaces({...orders, programs, folders}, workspace, git);
	const absent = [...git.absent, ...obeyed.absent];
	const fixed = [...(await existing(await unwritablePlaces(places))).map(({path: place}) => place)].filter(
		place => !isOutside(place) && !secrets.some(secret => isWithin(place, secret.path)),
	);
	const isSeen = (place: string) =>
		!isOutside(place) || (isShown(place) && (!isWithin(place, '/tmp') || isWithin(place, outer ?? workspace)));
	const unreadable = [...withheld.denied, ...withheld.secrets.map(file => ({path: file, isFolder: false}))];
	const masked = unreadable
		.filter(place => isSeen(place.path))
		.map(place => maskedPlace(place, workspace, options.masks));
	const unread = unreadable.map(place => place.path);
	if (unread.length > 0) {
		const tops = [...git.repositories.folders, ...(outer === undefined ? [] : [outer])];
		await Promise.all(tops.map(folder => settleIndex(folder, unread, listing.paths).catch(() => undefined)));
	}

	const sockets = serviceSockets(
		place =>
			isOutside(place) &&
			(readable.some(root => isWithin(place, root)) || !(isCovered(place) || isWithin(place, '/tmp'))) &&
			(outer === undefined || !isWithin(place, outer)),
	);
	const unchanged = withheld.fixed.map(place => place.path).filter(isSeen);
	const placed = withheld.placed.filter(place => !isOutside(place) && place !== workspace);
	return {
		workspace,
		temporary,
		covered,
		readable,
		hasNetwork,
		withheld,
		listing,
		// A folder that could be renamed would let another take its place, with another file of that name.
		writable: [
			...git.writable,
			...[...fixed, ...obeyed.fixed, ...placed].flatMap(place => foldersTo(place, [workspace, ...git.writable])),
		],
		readOnly: [...unchanged, ...git.readOnly, ...fixed, ...obeyed.fixed],
		hidden: [
			...secrets,
			...sockets.map(place => ({path: place, isFolder: false})),
			...absent.map(place => ({path: place, isFolder: true})),
			...(await Promise.all(masked)),
		],
		created: absent,
		git: {
			...git,
			awaited: obeyed.awaited,
			links: obeyed.links,
			orders: {...orders, words: new Set([...orders.words, ...ofHooks.words])},
		},
		...(await ownership(workspace)),
	};
}

/**
 * Returns a place with what a command sees there: a file that it can't open, but of the same size and age, so that git
 * doesn't take it for changed, or a folder that it can't enter.
 */
async function maskedPlace(place: Existing, workspace: string, masks: string | undefined): Promise<HiddenPlace> {
	const {path, isFolder} = place;
	// Nothing could start in a folder that can't be entered.
	if (masks === undefined || path === workspace) {
		return place;
	}

	await mkdir(masks, {recursive: true, mode: 0o700});
	if (isFolder) {
		const mask = join(masks, 'folder');
		await mkdir(mask, {mode: 0o000}).catch(unlessExisting);
		return {...place, mask};
	}

	const {size, atimeMs, mtimeMs} = await stat(path);
	const mask = join(masks, `${size}-${mtimeMs}`);
	const file = await open(mask, 'wx', 0o600).catch(unlessExisting);
	if (file) {
		await file.truncate(size);
		await file.utimes(atimeMs / 1000, mtimeMs / 1000);
		await file.chmod(0o000);
		await file.close();
	}

	return {...place, mask};
}

function unlessExisting(error: NodeJS.ErrnoException): undefined {
	if (error.code !== 'EEXIST') {
		throw error;
	}
}

/** Returns the folders that a place is in, below one of these. */
function foldersTo(place: string, roots: readonly string[]): readonly string[] {
	const folder = dirname(place);
	const isBelow = !roots.includes(folder) && roots.some(root => isWithin(folder, root));
	return isBelow ? [folder, ...foldersTo(folder, roots)] : [];
}

/** Returns the tools of the user in covered folders: known ones, and what `PATH` names. */
async function readableTools(
	homeFolder: string,
	path: string,
	isCovered: (place: string) => boolean,
): Promise<readonly string[]> {
	const [home] = await existing([homeFolder]);
	const programs = [...searchFolders(path), dirname(process.execPath)].map(folder => rootOf(folder, home?.path));
	const found = await Promise.all(
		[...toolPlaces.map(place => join(home?.path ?? homeFolder, place)), ...programs].map(async place =>
			(await existing([place])).length > 0 ? place : undefined,
		),
	);
	return found.filter(place => place !== undefined && isCovered(place)).map(String);
}

/** Returns the folder of a tool to which a folder of programs belongs: `~/.foo` for `~/.foo/versions/1/bin`. */
function rootOf(folder: string, home: string | undefined): string {
	if (home === undefined || folder === home || !isWithin(folder, home)) {
		return folder;
	}

	const [first = ''] = relative(home, folder).split(sep);
	if (first.startsWith('.') && !mixedFolders.includes(first)) {
		return join(home, first);
	}

	const parent = dirname(folder);
	return /^(?:s|\.)?bin$/.test(basename(folder)) && parent !== home && !mixedFolders.includes(relative(home, parent))
		? parent
		: folder;
}

/** Returns the user's home folder as the system knows it; undefined for a user without an entry in its list. */
function systemHome(): string | undefined {
	try {
		return userInfo().homedir;
	} catch {
		return undefined;
	}
}

/** Without capabilities root may only write its own files; a working folder of another user takes more. */
async function ownership(workspace: string): Promise<Pick<SandboxLayout, 'capabilities'>> {
	const isRoot = process.getuid?.() === 0;
	const owner = isRoot ? (await stat(workspace)).uid : 0;
	return owner === 0 ? {} : {capabilities: ['CAP_DAC_OVERRIDE', 'CAP_FOWNER']};
}

/** Folders and files of a home that programs of developers read, and that hold no secrets. Below the home folder. */
const toolPlaces: readonly string[] = [
	'bin',
	'.local/bin',
	'.local/lib',
	'.local/pipx',
	'.local/share/pipx',
	'.local/share/uv',
	'.local/share/virtualenvs',
	'.nvm',
	'.fnm',
	'.local/share/fnm',
	'.local/state/fnm_multishells',
	'.volta',
	'.n',
	'.nodenv',
	'.npm',
	'.npm-global',
	'.yarn',
	'.local/share/pnpm',
	'.local/share/yarn',
	'.bun',
	'.deno',
	'.corepack',
	'.node-gyp',
	'.cargo',
	'.rustup',
	'go',
	'.go',
	'.goenv',
	'.gvm',
	'.pyenv',
	'.conda',
	'.rbenv',
	'.rvm',
	'.gem',
	'.bundle',
	'.m2',
	'.gradle',
	'.sdkman',
	'.jenv',
	'.ivy2',
	'.sbt',
	'.konan',
	'.dotnet',
	'.composer',
	'.local/share/composer',
	'.asdf',
	'.asdfrc',
	'.tool-versions',
	'.local/share/mise',
	'.config/mise',
	'.nix-profile',
	'.nix-defexpr',
	'.local/state/nix',
	'.linuxbrew',
	'.ghcup',
	'.cabal',
	'.stack',
	'.opam',
	'.elan',
	'.julia',
	'.mix',
	'.hex',
	'.pub-cache',
	'flutter',
	'Android/Sdk',
	'.android/sdk',
	'.vcpkg',
	'.conan2',
	'.ccache',
	'.cache',
	'.gitconfig',
	'.config/git',
	'.gitignore',
	'.gitignore_global',
	'.gitattributes',
	'.editorconfig',
];

/** Folders that hold tools beside much else: only what `toolPlaces` names in them is readable. */
const mixedFolders: readonly string[] = ['.local', '.config', 'Library', 'snap', 'AppData', 'Documents'];
