import {join} from 'node:path';
import {runChild} from '../child/run-child.ts';
import {type Bounds, hiddenBelow, type Located} from './bounds.ts';
import {walk} from './walk.ts';

/**
 * Returns the files below a folder: those that git tracks or doesn't ignore, or without git those that `walk` finds.
 * Paths are relative to the folder, sorted, with `/`. `complete` is false if there were too many, `denied` the number of
 * files that the user's rules deny, which are left out.
 */
export async function findFiles(
	folder: Located,
	bounds: Bounds,
	signal: AbortSignal,
): Promise<{readonly paths: readonly string[]; readonly complete: boolean; readonly denied: number}> {
	const listed = await gitFiles(folder.real, bounds.workspace, signal);
	// git lists nothing in an ignored folder; but the model asked for it.
	const found = listed && listed.paths.length > 0 ? listed : await walk(folder.real, signal);
	const hidden = hiddenBelow(folder.real, bounds);
	const isHidden = (path: string) => hidden.some(place => path === place || path.startsWith(`${place}/`));
	const visible = found.paths.filter(path => !isHidden(path));
	const {denied} = bounds;
	const paths = denied ? visible.filter(path => !denied.by(join(folder.real, path))) : visible;
	return {complete: found.complete, paths: paths.sort(), denied: visible.length - paths.length};
}

/** Most bytes of the list that git prints. */
const maxBytes = 16 * 1024 * 1024;
const timeoutMs = 10_000;

/** Switches off the repository's settings that make git run programs, and the network. */
const harmless = ['-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null'];
const env = {GIT_OPTIONAL_LOCKS: '0', GIT_NO_LAZY_FETCH: '1', GIT_ALLOW_PROTOCOL: 'none', GIT_TERMINAL_PROMPT: '0'};

/** Returns undefined without git or outside a work tree; `core.worktree` may name another folder. */
async function gitFiles(cwd: string, workspace: string, signal: AbortSignal) {
	const git = async (...args: readonly string[]) => {
		const limits = {env, timeoutMs, maxBytes};
		const options = {command: 'git', args: [...harmless, ...args], cwd, outside: workspace, signal, ...limits};
		const result = await runChild(options).catch(() => undefined);
		signal.throwIfAborted();
		return result?.status === 0 ? result : undefined;
	};

	const inside = await git('rev-parse', '--is-inside-work-tree');
	if (inside?.stdout.trim() !== 'true') {
		return undefined;
	}

	const result = await git('ls-files', '-z', '-t', '--cached', '--others', '--deleted', '--exclude-standard');
	if (!result) {
		return undefined;
	}

	const paths = new Set<string>();
	const missing = new Set<string>();
	for (const entry of result.stdout.split('\0')) {
		// `-t` puts a letter and a space before each path; R is a deleted file.
		const path = entry.slice(2);
		if (path) {
			(entry.startsWith('R') ? missing : paths).add(path);
		}
	}

	return {paths: [...paths].filter(path => !missing.has(path)), complete: result.omittedBytes === 0};
}
