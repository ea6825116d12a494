import {readdir} from 'node:fs/promises';
import {homedir} from 'node:os';
import {isAbsolute, join, posix, relative, sep} from 'node:path';
import type {McpFile} from '../../config/mcp/mcp-file.ts';
import {parseSettingsFile, type SettingsFile, type SettingsReading} from '../../config/project/settings-file.ts';
import {messageOf} from '../../core/error.ts';
import {parseJson} from '../../core/json.ts';
import {boundsOf} from '../policy/bounds.ts';
import type {Places} from '../policy/protected-places.ts';
import {parseNewRule} from '../policy/rules/rule.ts';
import {walk} from '../tools/files/walk.ts';
import {envFileIn, localMcpFile, ownMcpFile, projectMcpFile, readServers} from './mcp-files.ts';
import {type FileContent, readInside, readOwn} from './read-file.ts';
import {withSkillFiles} from './skill-files.ts';

type FileKind = 'instructions' | 'import' | 'settings' | 'MCP servers' | 'server variables' | 'prompt' | 'skill';

/** A file that says how the agent works in a folder. */
export type ProjectFile = FileContent & {
	/** Relative to the root of the project, with `/`; absolute for a file of the user's own. */
	readonly path: string;
	readonly kind: FileKind;
	/** True for the instructions of a folder below the working folder: they count for its files only. */
	readonly isNested?: true;
	/** True for a file of the user's own that counts for this project only. */
	readonly isLocal?: true;
	/** What a settings file says. */
	readonly settings?: SettingsFile;
	/** What a file of MCP servers says. */
	readonly mcp?: McpFile;
	/** Of the files beside a skill of a project; `hash` covers them. */
	readonly filesHash?: string;
};

/** A file that can't be used. */
export type Fault = {readonly path: string; readonly reason: string};

export type FoundFiles = {readonly files: readonly ProjectFile[]; readonly faults: readonly Fault[]};

/** The first one that a folder has is in effect there. */
export const instructionNames = ['AGENTS.md', 'CLAUDE.md', 'GEMINI.md'] as const;

export const projectSettings = '.service/settings.json';
const projectPrompts = '.service/prompts';
/** Where projects have skills; other agents look into the second one, too. */
const projectSkills = ['.service/skills', '.claude/skills'] as const;

/** Most folders below the working folder whose instructions are asked about together. */
const maxNested = 50;

/** Most prompt files of a folder. */
const maxPrompts = 100;

/** Most skills of a folder. */
const maxSkills = 100;

/** Reads the files in effect in a folder: its own, and those of its parents up to the root. Never throws. */
export async function readProjectFiles(root: string, folder: string, places: Places): Promise<FoundFiles> {
	const bounds = await boundsOf(root, places);
	const finder = createFinder(path => readInside(path, bounds));
	for (const prefix of prefixesOf(root, folder)) {
		await finder.addInstructions(instructionNames.map(name => prefix + name));
		// Below the home folder, `.service` holds the user's own state.
		if (join(root, prefix, '/') !== join(places.homeFolder ?? homedir(), '/')) {
			await finder.add(prefix + projectSettings, 'settings');
			await finder.addPrompts(prefix + projectPrompts, await promptNames(join(root, prefix, projectPrompts)));
			for (const skills of projectSkills) {
				const place = join(root, prefix, skills);
				await finder.addSkills(prefix + skills, await skillNames(place));
				await withSkillFiles(finder.found, prefix + skills, place);
			}
		}

		await finder.add(prefix + projectMcpFile, 'MCP servers');
	}

	// Its name may suggest secrets: it is hashed, and never shown.
	await finder.addVariables(path => readInside(path, bounds, async () => undefined));

	return finder.found;
}

/** Reads the instructions of one folder below the root; `prefix` is its path, with `/` at the end. Never throws. */
export async function readNestedInstructions(root: string, prefix: string, places: Places): Promise<FoundFiles> {
	const bounds = await boundsOf(root, places);
	const finder = createFinder(path => readInside(path, bounds));
	await finder.addInstructions(instructionNames.map(name => prefix + name));
	const {files, faults} = finder.found;
	return {files: files.map(file => ({...file, isNested: true})), faults};
}

/** Returns the paths of the folders below another one that have instructions, with `/` at the end. */
export async function findNested(root: string, folder: string): Promise<readonly string[]> {
	const {paths} = await walk(folder, new AbortController().signal);
	const names: readonly string[] = instructionNames;
	const found = paths.filter(path => path.includes('/') && names.includes(posix.basename(path)));
	const inside = relative(root, folder).replaceAll(sep, '/');
	const prefixes = found.map(path => `${posix.join(inside, posix.dirname(path))}/`);
	return [...new Set(prefixes)].slice(0, maxNested);
}

/** Reads the user's own instructions and settings, for any project and for this one, under their absolute paths. Never throws. */
export async function readOwnFiles(stateFolder: string, root: string): Promise<FoundFiles> {
	const local = localMcpFile(root);
	// The folder holds keys, so only Markdown can be imported.
	const finder = createFinder(async path =>
		/\.md$/i.test(path) || ['settings.json', ownMcpFile, local].includes(path)
			? readOwn(join(stateFolder, path))
			: undefined,
	);
	await finder.addInstructions(['AGENTS.md']);
	await finder.add('settings.json', 'settings');
	await finder.add(local, 'MCP servers');
	await finder.add(ownMcpFile, 'MCP servers');
	await finder.addPrompts('prompts', await promptNames(join(stateFolder, 'prompts')));
	await finder.addSkills('skills', await skillNames(join(stateFolder, 'skills')));
	const absolute = <T extends Fault | ProjectFile>(file: T): T => ({
		...file,
		path: join(stateFolder, file.path),
		...(file.path === local && {isLocal: true}),
	});
	return {files: finder.found.files.map(absolute), faults: finder.found.faults.map(absolute)};
}

/** Returns the paths of the folders from the root down to a folder, relative and with `/` at the end; '' for the root. */
function prefixesOf(root: string, folder: string): readonly string[] {
	const names = relative(root, folder).split(sep).filter(Boolean);
	return ['', ...names.map((_, index) => `${names.slice(0, index + 1).join('/')}/`)];
}

/** Returns the names of the prompt files of a folder, sorted; none if it can't be read. */
async function promptNames(folder: string): Promise<readonly string[]> {
	const names = await readdir(folder).catch(() => []);
	return names
		.filter(name => /^[a-z][\w:-]*\.md$/i.test(name))
		.sort()
		.slice(0, maxPrompts);
}

/** Returns the names of the folders of skills in a folder, sorted; none if it can't be read. */
async function skillNames(folder: string): Promise<readonly string[]> {
	const names = await readdir(folder).catch(() => []);
	return names
		.filter(name => /^[a-z0-9][\w-]{0,63}$/i.test(name))
		.sort()
		.slice(0, maxSkills);
}

/** Creates what reads files one after another, and collects those that it finds. */
function createFinder(read: (path: string) => Promise<FileContent | undefined>) {
	const files: ProjectFile[] = [];
	const faults: Fault[] = [];
	const readOrFault = async (path: string) => {
		try {
			return await read(path);
		} catch (error) {
			faults.push({path, reason: messageOf(error).replace(/\.$/, '')});
			return undefined;
		}
	};

	return {
		found: {files, faults} satisfies FoundFiles,
		/** Adds the first of these instruction files that exists, and what it imports. */
		async addInstructions(paths: readonly string[]) {
			for (const path of paths) {
				const content = await readOrFault(path);
				if (content) {
					const imports = await readImports(path, content.text, readOrFault);
					files.push({...content, path, kind: 'instructions'});
					files.push(...imports.map(imported => ({...imported.content, path: imported.path, kind: 'import' as const})));
					return;
				}
			}
		},
		async addPrompts(folder: string, names: readonly string[]) {
			for (const name of names) {
				await this.add(`${folder}/${name}`, 'prompt');
			}
		},
		async addSkills(folder: string, names: readonly string[]) {
			for (const name of names) {
				await this.add(`${folder}/${name}/SKILL.md`, 'skill');
			}
		},
		/** Adds the files of variables of servers: they decide what these do. */
		async addVariables(readSecret: typeof read) {
			const names = files.flatMap(({path, mcp}) =>
				(mcp?.servers ?? []).flatMap(({envFile}) =>
					envFile === undefined || isAbsolute(envFile) || envFile.startsWith('~/') ? [] : envFileIn(path, envFile),
				),
			);
			for (const path of new Set(names)) {
				// A server that needs one that can't be read doesn't start.
				const content = await readSecret(path).catch(() => undefined);
				if (content && !files.some(file => file.path === path)) {
					files.push({...content, text: '', path, kind: 'server variables'});
				}
			}
		},
		async add(path: string, kind: 'settings' | 'MCP servers' | 'prompt' | 'skill') {
			const content = await readOrFault(path);
			if (!content) {
				return;
			}

			const read = content.isCut
				? {fault: 'it is too large'}
				: kind === 'settings'
					? parseSettings(content)
					: kind === 'prompt' || kind === 'skill'
						? undefined
						: await readServers(content.text);
			if (read && 'fault' in read && read.fault) {
				// Few files have a fault.
				const isJson = content.isCut || parseJson(content.text) !== undefined;
				const reason = isJson ? read.fault : (await import('../../config/json-fault.ts')).jsonFault(content.text);
				faults.push({path, reason});
			} else {
				files.push({...content, path, kind, ...read});
			}
		},
	};
}

/** Reads settings as `openUserSettings` does, which takes UTF-8 alone: the agent must not follow others than the app shows. */
function parseSettings({text, isUtf16}: FileContent): SettingsReading {
	return isUtf16 ? {fault: 'it is not a UTF-8 text'} : parseSettingsText(text);
}

/** Returns what a settings file says, or its first fault: one of its rules may be invalid too. */
export function parseSettingsText(text: string): SettingsReading {
	const read = parseSettingsFile(text);
	try {
		for (const rule of read.settings?.deny ?? []) {
			parseNewRule(rule, 'deny');
		}

		return read;
	} catch (error) {
		return {fault: messageOf(error).replace(/\.$/, '')};
	}
}

const maxDepth = 5;
const maxImports = 20;

/** Returns the paths of the `@path` lines of a text, as written. Lines in code blocks don't count. */
function importsIn(text: string): readonly string[] {
	let fence: string | undefined;
	const paths: string[] = [];
	for (const line of text.split(/\r?\n/)) {
		const [, mark] = /^\s*(```|~~~)/.exec(line) ?? [];
		if (mark && (fence === undefined || fence === mark)) {
			fence = fence === undefined ? mark : undefined;
		}

		const [, path] = fence === undefined ? (/^\s*(?:[-*]\s+)?@(\S+)\s*$/.exec(line) ?? []) : [];
		if (path) {
			paths.push(path);
		}
	}

	return paths;
}

type Imported = {readonly path: string; readonly content: FileContent};

/**
 * Returns the files that a file imports, also through each other, each once and in order. Paths are relative to the same
 * folder as `path`, with `/`; they never lead out of it. `read` returns undefined for a file that can't be imported.
 */
async function readImports(
	path: string,
	text: string,
	read: (path: string) => Promise<FileContent | undefined>,
): Promise<readonly Imported[]> {
	const seen = new Set([path]);
	const found: Imported[] = [];
	let importing: readonly {readonly path: string; readonly text: string}[] = [{path, text}];
	for (let depth = 0; depth < maxDepth && importing.length > 0; depth++) {
		const next: {readonly path: string; readonly text: string}[] = [];
		for (const {path: importer, text: lines} of importing) {
			for (const written of importsIn(lines)) {
				const target = posix.join(posix.dirname(importer), written);
				const isInside = !posix.isAbsolute(written) && target !== '..' && !target.startsWith('../');
				if (!isInside || seen.has(target) || found.length >= maxImports) {
					continue;
				}

				seen.add(target);
				const content = await read(target);
				if (content) {
					found.push({path: target, content});
					next.push({path: target, text: content.text});
				}
			}
		}

		importing = next;
	}

	return found;
}
