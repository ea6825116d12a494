import {relative, sep} from 'node:path';
import type {JudgedFile, ProjectState} from './project.ts';

type Started = {readonly command: string};

/**
 * Returns what says why a hook, or an MCP server, may not run, as a sentence: a file that it names isn't what the user agreed to, byte for byte
 * (SAFETY 12). Files of the user's own hooks may not change while a session uses them.
 */
export async function checkHookScripts<Command extends Started>(
	commands: readonly Command[],
	{files, root}: Pick<ProjectState, 'files' | 'root'>,
	folder: string,
	who = 'hooks',
): Promise<(started: Command) => string | undefined> {
	const {hookFiles} = await import('../hooks/hook-files.ts');
	const place = {folder, root};
	const agreed = new Map(
		files.filter(({kind}) => kind.endsWith(' script') || kind === 'server variables').map(file => [file.real, file]),
	);
	const first = new Map(commands.map(({command}) => [command, hookFiles(command, place).files]));
	return ({command}) => {
		const now = hookFiles(command, place).files;
		const wrong = now.find(({path, hash}) => !isAgreed(agreed.get(path), hash));
		const gone = first.get(command)?.find(({path}) => !now.some(file => file.path === path));
		const file = wrong ?? gone;
		if (!file) {
			return undefined;
		}

		const how = wrong && (agreed.get(wrong.path)?.standing ?? 'new') === 'new' ? 'is new' : 'changed';
		const name = relative(root, file.path).replaceAll(sep, '/');
		return `${name} ${how}, and ${who} run only what you trust. Check it, then trust it with /trust add.`;
	};
}

function isAgreed(file: JudgedFile | undefined, hash: string): boolean {
	return file?.hash === hash && (file.standing === 'trusted' || file.standing === 'user');
}
