import {relative, sep} from 'node:path';
import {type CommandPlace, nameCommands} from '../../core/command-words.ts';
import type {JudgedFile, ProjectState} from './project.ts';

type Started = {readonly command: string};

type Reader = {
	/** The folder that the commands run in. */
	readonly folder: string;
	readonly place: () => CommandPlace;
	/** What may not run, in the plural. */
	readonly who?: string;
};

/**
 * Returns what says why a hook, or an MCP server, may not run: a file that it names isn't what the user agreed to, byte for
 * byte (SAFETY 12). Files of the user's own hooks may not change while a session uses them. `place` is where the sentence is
 * read, which names a command.
 */
export async function checkHookScripts<Command extends Started>(
	commands: readonly Command[],
	{files, root}: Pick<ProjectState, 'files' | 'root'>,
	{folder, place, who = 'hooks'}: Reader,
): Promise<(started: Command) => string | undefined> {
	const {hookFiles} = await import('../hooks/hook-files.ts');
	const here = {folder, root};
	const agreed = new Map(
		files.filter(({kind}) => kind.endsWith(' script') || kind === 'server variables').map(file => [file.real, file]),
	);
	const first = new Map(commands.map(({command}) => [command, hookFiles(command, here).files]));
	return ({command}) => {
		const now = hookFiles(command, here).files;
		const wrong = now.find(({path, hash}) => !isAgreed(agreed.get(path), hash));
		const gone = first.get(command)?.find(({path}) => !now.some(file => file.path === path));
		const file = wrong ?? gone;
		if (!file) {
			return undefined;
		}

		const how = wrong && (agreed.get(wrong.path)?.standing ?? 'new') === 'new' ? 'is new' : 'changed';
		const name = relative(root, file.path).replaceAll(sep, '/');
		const hint = nameCommands('Check it, then trust it with `trust add`.', place());
		return `${name} ${how}, and ${who} run only what you trust. ${hint}`;
	};
}

function isAgreed(file: JudgedFile | undefined, hash: string): boolean {
	return file?.hash === hash && (file.standing === 'trusted' || file.standing === 'user');
}
