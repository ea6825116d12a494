import {mkdir, mkdtemp, realpath, rm} from 'node:fs/promises';
import {homedir, tmpdir} from 'node:os';
import {delimiter, dirname, join, resolve} from 'node:path';
import {filterOptions} from '../../containment/bubblewrap.ts';
import {systemCallFilter} from '../../containment/system-call-filter.ts';
import type {Environment} from '../../core/environment.ts';
import {AppError} from '../../core/error.ts';
import {existing, isWithin} from '../paths/existing.ts';
import type {Places} from '../policy/protected-places.ts';
import {findSandbox, removeCreated} from '../sandbox/find-sandbox.ts';
import {sandboxArguments} from '../sandbox/sandbox-arguments.ts';
import {sandboxLayout} from '../sandbox/sandbox-layout.ts';
import {knownProgram} from './agent-command.ts';
import {type AgentContainer, programOf} from './agent-process.ts';

type Options = {
	readonly command: readonly string[];
	readonly env: Environment;
	/** The working folder, a real path. */
	readonly folder: string;
	readonly places: Places;
};

/**
 * Returns what contains an agent (SAFETY 15), and removes its folders: it changes files of the working folder and of its own
 * state alone, and sees no home folder and no secret file. It has the network, because its model is there. Throws
 * AppError("failed") where nothing can contain it: it is never started without the sandbox that the user asked for.
 */
export async function containAgent({
	command,
	env,
	folder,
	places,
}: Options): Promise<AgentContainer & {readonly remove: () => Promise<void>}> {
	const own = await mkdtemp(join(tmpdir(), 'service-agent-'));
	const remove = () => rm(own, {recursive: true, force: true});
	try {
		const [temporary, masks] = [join(own, 'tmp'), join(own, 'masks')];
		await mkdir(temporary, {mode: 0o700});
		const path = [env['PATH'] ?? '', ...(await programFolders(command, folder, env))].join(delimiter);
		const options = {workspace: folder, places, temporary, masks, path, hasNetwork: true};
		const sandbox = await findSandbox(options);
		const layout = sandbox.kind === 'none' ? undefined : await sandboxLayout(options);
		if (sandbox.kind === 'none' || !layout) {
			const why = sandbox.kind === 'none' ? sandbox.why : 'the working folder contains your home folder.';
			throw new AppError('failed', `No sandbox for the agent: ${why}`, {hint: 'Start it without --agent-sandbox.'});
		}

		const {homeFolder = homedir()} = places;
		const state = (knownProgram(command)?.state ?? []).map(place => join(homeFolder, place));
		const writable = (await existing(state)).map(({path}) => path);
		const {bubblewrap} = sandbox;
		const filter = bubblewrap.takesFilter ? systemCallFilter() : undefined;
		return {
			...(filter && {filter}),
			program: [
				bubblewrap.program,
				...(filter ? filterOptions : []),
				...sandboxArguments(bubblewrap, {...layout, writable: [...layout.writable, ...writable]}),
				'--',
			],
			async remove() {
				await removeCreated(layout);
				await remove();
			},
		};
	} catch (error) {
		await remove();
		throw error;
	}
}

/**
 * Returns the folders of an agent's program, with links and without: PATH need not name them.
 * Throws AppError("failed") for one below the folder for temporary files, which is another one in the sandbox.
 */
async function programFolders(
	[name = '']: readonly string[],
	folder: string,
	env: Environment,
): Promise<readonly string[]> {
	const program = programOf(name, folder, env);
	const given = resolve(folder, program);
	const real = await realpath(given).catch(() => given);
	const isIn = (place: string, root: string) => isWithin(place, root) && !isWithin(place, folder);
	if ([given, real].some(place => isIn(place, '/tmp'))) {
		throw new AppError('failed', `The sandbox doesn't show ${program}: it has a /tmp of its own.`, {
			hint: 'Install the agent elsewhere, or start it without --agent-sandbox.',
		});
	}

	return [given, real].map(place => dirname(place));
}
