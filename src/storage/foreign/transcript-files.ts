import {readdir, stat} from 'node:fs/promises';
import {join, resolve} from 'node:path';
import type {Environment} from '../../core/environment.ts';
import {explainFileError} from '../file-error.ts';
import {userFolder} from '../home.ts';

/** Folders below this one aren't searched. */
const maxDepth = 8;

/** More files than anybody has: a wrong folder must not be searched for ever. */
const maxFiles = 20_000;

/** What is passed over in a folder, and would be read otherwise: links, compressed files, those of sub-agents, too many. */
export type PassedOver = 'link' | 'compressed' | 'agent' | 'more';

export type TranscriptFiles = {
	/** The files that may be transcripts, by name. */
	readonly paths: readonly string[];
	readonly passed: ReadonlyMap<PassedOver, number>;
};

/** Returns the folders in which Claude Code and Codex keep transcripts. They need not exist. */
export function transcriptFolders(env: Environment): readonly string[] {
	const home = userFolder(env);
	return [
		join(env['CLAUDE_CONFIG_DIR'] || join(home, '.claude'), 'projects'),
		join(env['CODEX_HOME'] || join(home, '.codex'), 'sessions'),
	];
}

/** Returns a path of the user's as a whole one. No shell has read it in the app, so that a tilde is still one. */
export function transcriptPath(path: string, env: Environment, folder: string): string {
	return resolve(
		folder,
		path.replace(/^~(?=\/|$)/, () => userFolder(env)),
	);
}

/**
 * Finds the transcripts in a folder, or the file itself. Follows no links in it. Throws AppError("failed") if the path
 * doesn't exist or can't be read; folders in it that can't be read are passed over.
 */
export async function findTranscripts(path: string): Promise<TranscriptFiles> {
	const paths: string[] = [];
	const passed = new Map<PassedOver, number>();
	const pass = (kind: PassedOver) => passed.set(kind, (passed.get(kind) ?? 0) + 1);
	const search = async (folder: string, depth: number): Promise<void> => {
		const entries = await readdir(folder, {withFileTypes: true});
		for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
			const inner = join(folder, entry.name);
			if (entry.isDirectory() && depth < maxDepth) {
				await search(inner, depth + 1).catch(() => undefined);
			} else if (/\.jsonl\.(?:zst|gz)$/.test(entry.name)) {
				pass('compressed');
			} else if (isTranscript(entry.name)) {
				if (!entry.isFile()) {
					pass('link');
				} else if (entry.name.startsWith('agent-')) {
					pass('agent');
				} else if (paths.length >= maxFiles) {
					pass('more');
				} else {
					paths.push(inner);
				}
			}
		}
	};

	try {
		if ((await stat(path)).isDirectory()) {
			await search(path, 0);
			return {paths, passed};
		}
	} catch (error) {
		throw explainFileError(error, 'read', path);
	}

	return {paths: [path], passed};
}

function isTranscript(name: string): boolean {
	return name.endsWith('.jsonl') || /^rollout-.*\.json$/.test(name);
}
