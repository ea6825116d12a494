import {rm} from 'node:fs/promises';
import process from 'node:process';
import {filterOptions} from '../../../containment/bubblewrap.ts';
import {reportOptions} from '../../../containment/bubblewrap-report.ts';
import {systemCallFilter} from '../../../containment/system-call-filter.ts';
import type {Act} from '../../../core/session/approval.ts';
import type {Places} from '../../policy/protected-places.ts';
import {findSandbox, removeCreated, type Sandbox} from '../../sandbox/find-sandbox.ts';
import {type SandboxLayout, sandboxArguments} from '../../sandbox/sandbox-arguments.ts';
import {type LayoutOptions, sandboxLayout} from '../../sandbox/sandbox-layout.ts';
import {commandEnvironment} from './command-environment.ts';

/** The program that contains a command, with its arguments. */
export type Container = Pick<SandboxLayout, 'git' | 'created' | 'withheld' | 'listing'> & {
	readonly program: readonly string[];
	/** The filter of system calls that it reads. */
	readonly filter?: Buffer;
};

/** Whether a sandbox holds a command, and with the network or without. */
export type Containment = Extract<Act, {kind: 'command'}>['containment'];

/** What contains the commands of a session. */
export type Containers = {
	/** Returns what contains the commands of a working folder. Looked for once. */
	readonly sandbox: (workspace: string) => Promise<Sandbox>;
	/** Returns what contains a command; undefined if nothing is to contain it. */
	readonly containerOf: (
		workspace: string,
		containment: Containment,
		sight?: Pick<LayoutOptions, 'listing' | 'revealed'>,
	) => Promise<Container | undefined>;
	/** Removes the empty folders and the masks that sandboxes left. A folder removed too early wouldn't be protected in other sandboxes. */
	readonly removeFolders: () => Promise<void>;
	/** Forgets what was found. */
	readonly clear: () => void;
};

type Options = {
	readonly places: Places;
	/** Returns the folder that is `/tmp` in sandboxes. */
	readonly temporary: () => Promise<string>;
	/** Returns the folder of what stands in the place of files that can't be read. */
	readonly masks: () => Promise<string>;
	readonly find?: typeof findSandbox;
};

export function createContainers({places, temporary, masks, find = findSandbox}: Options): Containers {
	const sandboxes = new Map<string, Promise<Sandbox>>();
	const created = new Set<string>();
	let hasMasks = false;

	const layoutOptions = async (workspace: string, hasNetwork: boolean) => {
		const path = commandEnvironment(process.env, true)['PATH'] ?? '';
		return {workspace, places, temporary: await temporary(), path, hasNetwork};
	};

	const sandbox = (workspace: string) => {
		const found = sandboxes.get(workspace) ?? layoutOptions(workspace, false).then(options => find(options));
		sandboxes.set(workspace, found);
		return found;
	};

	return {
		sandbox,
		async containerOf(workspace, containment, sight = {}) {
			const found = await sandbox(workspace);
			if (containment === 'none' || found.kind === 'none') {
				return undefined;
			}

			const options = await layoutOptions(workspace, containment === 'network');
			hasMasks = true;
			const layout = await sandboxLayout({...options, ...sight, masks: await masks()});
			for (const path of layout?.created ?? []) {
				created.add(path);
			}

			const {bubblewrap} = found;
			const filter = bubblewrap.takesFilter ? systemCallFilter() : undefined;
			const descriptors = [...reportOptions, ...(filter ? filterOptions : [])];
			return (
				layout && {
					git: layout.git,
					created: layout.created,
					withheld: layout.withheld,
					listing: layout.listing,
					...(filter && {filter}),
					program: [bubblewrap.program, ...descriptors, ...sandboxArguments(bubblewrap, layout), '--'],
				}
			);
		},
		async removeFolders() {
			await removeCreated({created: [...created]});
			created.clear();
			await (hasMasks && rm(await masks(), {recursive: true, force: true}));
			hasMasks = false;
		},
		clear: () => sandboxes.clear(),
	};
}
