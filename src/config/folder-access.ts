import type {Environment} from '../core/environment.ts';
import {userFolder} from '../storage/home.ts';
import {realFolder} from '../storage/real-folder.ts';
import type {Config} from './config.ts';

/** The folder that the agent works in, and whether its tools may see what is there. */
export type FolderAccess = {
	/** A real path. */
	readonly path: () => string;
	/** The user's home folder, a real path. */
	readonly home: string;
	/**
	 * Describes a folder that holds far more than a project, such as `your home folder`; undefined for any other, and once
	 * the user has answered whether the agent may see it.
	 */
	readonly unasked: () => string | undefined;
	/** Does the same whether or not the user has answered. */
	readonly wide: () => string | undefined;
	/** False until the user has allowed a folder that `unasked` describes. */
	readonly isOpen: () => boolean;
	/** Sets the user's answer. A yes is stored for later starts unless `isOnce` is true. Throws what `Config.update` throws. */
	readonly answer: (isAllowed: boolean, options?: {readonly isOnce?: boolean}) => Promise<void>;
	/** True if the user agreed to all mode in the folder, now or at an earlier start. */
	readonly mayRunAll: () => boolean;
	/** Stores that they did. Throws what `Config.update` throws. */
	readonly allowAll: () => Promise<void>;
	/** Changes the folder, a real path. */
	readonly moveTo: (path: string) => void;
};

type Options = {
	/** The folder at the start, a real path. */
	readonly folder: string;
	readonly env: Environment;
	readonly config: Config;
};

export function createFolderAccess({folder, env, config}: Options): FolderAccess {
	const homeFolder = userFolder(env);
	const home = realFolder(homeFolder) ?? homeFolder;
	const answers = new Map<string, boolean>();
	const allModeFolders = new Set<string>();
	let path = folder;

	const answerFor = (wide: string) =>
		answers.get(wide) ?? (config.read().openedFolders?.includes(wide) ? true : undefined);
	const named = () => wideFolder(path, home);

	return {
		path: () => path,
		home,
		unasked: () => (answerFor(path) === undefined ? named() : undefined),
		wide: named,
		isOpen: () => named() === undefined || answerFor(path) === true,
		async answer(isAllowed, {isOnce = false} = {}) {
			answers.set(path, isAllowed);
			if (isAllowed && !isOnce) {
				const opened = path;
				await config.update(before => ({
					...before,
					openedFolders: [...new Set([...(before.openedFolders ?? []), opened])],
				}));
			}
		},
		mayRunAll: () => allModeFolders.has(path) || config.read().allModeFolders?.includes(path) === true,
		async allowAll() {
			const allowed = path;
			allModeFolders.add(allowed);
			await config.update(before => ({
				...before,
				allModeFolders: [...new Set([...(before.allModeFolders ?? []), allowed])],
			}));
		},
		moveTo(next) {
			path = next;
		},
	};
}

/** Describes a folder that holds far more than a project; undefined for any other. Both are real paths. */
export function wideFolder(folder: string, home: string): string | undefined {
	if (folder === '/' || /^[A-Za-z]:[\\/]$/.test(folder)) {
		return 'the root folder of this machine';
	}

	if (folder === home) {
		return 'your home folder';
	}

	return home.startsWith(`${folder}/`) || home.startsWith(`${folder}\\`) ? 'the folder of all home folders' : undefined;
}
