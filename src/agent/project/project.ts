import {isAbsolute, resolve} from 'node:path';
import type {McpServer} from '../../config/mcp/mcp-file.ts';
import type {Hashes, TrustStore} from '../../config/project/trust-store.ts';
import {deniedBy} from '../policy/bounds.ts';
import type {Places} from '../policy/protected-places.ts';
import {parseRule, type Rule, ruleText} from '../policy/rules/rule.ts';
import {projectRoot} from '../tools/child/find-program.ts';
import {
	type Fault,
	type FoundFiles,
	findNested,
	type ProjectFile,
	projectSettings,
	readNestedInstructions,
	readOwnFiles,
	readProjectFiles,
} from './project-files.ts';

/**
 * Whether a file is used: those of the `user` always, those of a project only while they are `trusted`, byte for byte. A
 * `new` or `changed` one waits for an answer.
 */
export type Standing = 'user' | 'trusted' | 'refused' | 'new' | 'changed';

export type JudgedFile = ProjectFile & {readonly standing: Standing};

/** The files that say how the agent works in a folder, as they were read last. */
export type ProjectState = {
	/** The real path of the project that the folder is in. */
	readonly root: string;
	/** False for a folder that holds far more than a project: nothing is asked about its files. */
	readonly isProject: boolean;
	readonly files: readonly JudgedFile[];
	/** Files that can't be used. */
	readonly faults: readonly Fault[];
	/** Files of the user's own that can't be used. */
	readonly ownFaults: readonly Fault[];
};

export type Project = {
	/** Reads the files again. Throws AppError("failed") if the decisions of the user can't be read. */
	readonly load: () => Promise<ProjectState>;
	/** Does the same with the instructions of all folders below, which takes longer. Throws what `load` throws. */
	readonly loadAll: () => Promise<ProjectState>;
	/** Reads the instructions of folders below, and adds them to what was read. Throws what `load` throws. */
	readonly readNested: (prefixes: readonly string[]) => Promise<readonly JudgedFile[]>;
	/** Returns what was read last; reads the files if that was never or for another folder. Throws what `load` throws. */
	readonly state: () => Promise<ProjectState>;
	/** Keeps the user's answer about files of the state, exactly as they were read. Throws what `TrustStore` throws. */
	readonly decide: (isTrusted: boolean, files: readonly ProjectFile[]) => Promise<void>;
	/** Forgets every answer about this project. Throws what `TrustStore` throws. */
	readonly revoke: () => Promise<void>;
	/** Returns the rules of what the agent may never do, of the files that were read last; of all of them, trusted or not. */
	readonly denied: () => readonly Rule[];
	/** Returns the settings file of the project that could not be read, so that what it denies is unknown. */
	readonly unreadable: () => string | undefined;
	/** Returns files with their standing. */
	readonly judge: (found: readonly ProjectFile[]) => readonly JudgedFile[];
	readonly places: Places;
};

type Dependencies = {
	/** Returns the working folder, a real path. */
	readonly folder: () => string;
	/** The user's home folder, a real path. */
	readonly homeFolder: string;
	readonly stateFolder: string;
	readonly store: TrustStore;
	/** Describes a folder that holds far more than a project. */
	readonly wideFolder: () => string | undefined;
	/** True to trust everything for this run. */
	readonly trustsAll: boolean;
	/** MCP servers that whoever started the program gives it. */
	readonly servers?: readonly McpServer[];
	/** Returns the rules of the moment: the model gets no instructions, prompts and skills that they deny. */
	readonly rules?: () => readonly Rule[];
};

/** Creates the access to the files of a project. Nothing of it counts before the user has agreed to it (SAFETY 12). */
export function createProject(dependencies: Dependencies): Project {
	const {folder, homeFolder, stateFolder, store, wideFolder, trustsAll, servers = [], rules = () => []} = dependencies;
	const places: Places = {stateFolder, homeFolder};
	const rootOf = () => projectRoot(folder(), homeFolder);
	let loaded: {readonly folder: string; readonly found: FoundFiles; readonly own: FoundFiles} | undefined;

	const judge = (found: readonly ProjectFile[]) => {
		const {trusted, refused} = store.recall(rootOf());
		const known: Hashes = {...refused, ...trusted};
		return found.map((file): JudgedFile => {
			const {path, hash} = file;
			if (trustsAll || trusted[path] === hash) {
				return {...file, standing: 'trusted'};
			}

			const standing = refused[path] === hash ? 'refused' : Object.hasOwn(known, path) ? 'changed' : 'new';
			return {...file, standing};
		});
	};

	/** The folders below whose instructions were read, relative to the root. */
	let nested: ReadonlySet<string> = new Set();

	const readBelow = async (prefixes: Iterable<string>) => {
		const found = await Promise.all([...prefixes].map(prefix => readNestedInstructions(rootOf(), prefix, places)));
		return {files: found.flatMap(({files}) => files), faults: found.flatMap(({faults}) => faults)};
	};

	const read = async () => {
		const path = folder();
		const root = rootOf();
		const [found, below, own] = await Promise.all([
			readProjectFiles(root, path, places),
			readBelow(nested),
			readOwnFiles(stateFolder, root),
		]);
		loaded = {folder: path, found: joined(found, below), own};
		return loaded;
	};

	/** The servers that no file names. */
	const given: readonly JudgedFile[] =
		servers.length === 0
			? []
			: [
					{
						path: 'the editor',
						kind: 'MCP servers',
						standing: 'user',
						mcp: {servers, faults: []},
						real: '',
						text: '',
						hash: '',
						sizeBytes: 0,
						isCut: false,
					},
				];
	const stateOf = ({found, own}: {readonly found: FoundFiles; readonly own: FoundFiles}): ProjectState => ({
		root: rootOf(),
		isProject: wideFolder() === undefined,
		files: [...given, ...own.files.map(file => ({...file, standing: 'user' as const})), ...judge(found.files)],
		faults: found.faults,
		ownFaults: own.faults,
	});

	/** Returns files of the project without those that rules deny to be read, which become faults. */
	const readable = async ({files, faults}: FoundFiles): Promise<FoundFiles> => {
		const denied = await deniedBy({folder: folder(), entries: rules()}, 'read');
		if (!denied) {
			return {files, faults};
		}

		const root = rootOf();
		const denying = (file: ProjectFile) =>
			shownKinds.has(file.kind) ? (denied.by(resolve(root, file.path)) ?? denied.by(file.real)) : undefined;
		const refused = files.flatMap(file => {
			const rule = denying(file);
			return rule ? [{path: file.path, reason: `the rule “${ruleText(rule)}” denies reading it`}] : [];
		});
		return {files: files.filter(file => !denying(file)), faults: [...faults, ...refused]};
	};
	const shown = async ({found, own}: {readonly found: FoundFiles; readonly own: FoundFiles}) =>
		stateOf({own, found: await readable(found)});

	return {
		load: async () => shown(await read()),
		async loadAll() {
			nested = new Set([...nested, ...(await findNested(rootOf(), folder()))]);
			return shown(await read());
		},
		async readNested(prefixes) {
			const below = await readBelow(prefixes);
			const withFiles = prefixes.filter(prefix => below.files.some(({path}) => path.startsWith(prefix)));
			nested = new Set([...nested, ...withFiles]);
			loaded = loaded && {...loaded, found: joined(loaded.found, below)};
			return judge((await readable(below)).files);
		},
		state: async () => shown(loaded?.folder === folder() ? loaded : await read()),
		async decide(isTrusted, files) {
			const hashes = Object.fromEntries(files.map(({path, hash}) => [path, hash]));
			await store.remember(rootOf(), isTrusted, hashes);
		},
		revoke: () => store.forget(rootOf()),
		denied: () => [...(loaded?.own.files ?? []), ...(loaded?.found.files ?? [])].flatMap(denyRulesOf),
		unreadable: () => loaded?.found.faults.find(({path}) => path.endsWith(projectSettings))?.path,
		judge,
		places,
	};
}

/** The kinds of files whose text the model reads. */
const shownKinds: ReadonlySet<ProjectFile['kind']> = new Set(['instructions', 'import', 'prompt', 'skill']);

/** Returns what was found, with what was found below: its newer content, but nothing that counts everywhere already. */
function joined(found: FoundFiles, below: FoundFiles): FoundFiles {
	const everywhere = found.files.filter(({isNested}) => !isNested);
	const isIn = (files: readonly ProjectFile[]) => (file: ProjectFile) => files.some(({path}) => path === file.path);
	const older = found.files.filter(file => file.isNested && !isIn(below.files)(file));
	const newer = below.files.filter(file => !isIn(everywhere)(file));
	return {files: [...everywhere, ...older, ...newer], faults: [...found.faults, ...below.faults]};
}

/** Returns what a settings file denies; `readProjectFiles` has checked its rules. */
function denyRulesOf({settings}: ProjectFile): readonly Rule[] {
	return (settings?.deny ?? []).map(rule => parseRule(rule, 'deny'));
}

/** Returns the sentence about a file that can't be used. */
export function faultText({path, reason}: Fault): string {
	const text = `${path} is not used: ${reason}.`;
	// The settings of the user's own stop the agent instead.
	const isProjects = path.endsWith(projectSettings) && !isAbsolute(path);
	return isProjects ? `${text} Until its deny rules can be read, every action needs your approval.` : text;
}

/** Returns the files that the user has to decide about. */
export function undecided({isProject, files}: ProjectState): readonly JudgedFile[] {
	return isProject ? files.filter(({standing}) => standing === 'new' || standing === 'changed') : [];
}

/** Returns the files of the project that are not used. */
export function leftOut({files}: ProjectState): readonly JudgedFile[] {
	return files.filter(({standing}) => standing !== 'user' && standing !== 'trusted');
}

/** Returns the files that are used. */
export function inEffect({files}: ProjectState): readonly JudgedFile[] {
	return files.filter(({standing}) => standing === 'user' || standing === 'trusted');
}

/** Returns where a file is. */
export function locationOf({path}: ProjectFile, {root}: Pick<ProjectState, 'root'>): string {
	return resolve(root, path);
}
