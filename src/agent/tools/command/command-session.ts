import {mkdir, mkdtemp, readdir, realpath, rm} from 'node:fs/promises';
import {join} from 'node:path';
import process from 'node:process';
import {isRunning} from '../../../storage/lock-owner.ts';
import {makePrivateFolder} from '../../../storage/private-folder.ts';
import {type FolderSearch, listFolder} from '../../paths/search-folder.ts';
import {readOnlyEnvironment, withGitSetting} from '../../policy/command/git/git-environment.ts';
import type {Places} from '../../policy/protected-places.ts';
import type {WithheldFiles} from '../../policy/withheld-files.ts';
import type {findSandbox} from '../../sandbox/find-sandbox.ts';
import {cleanLeftBehind} from '../../sandbox/left-behind.ts';
import {type Changer, openWindow} from '../../unseen/change-window.ts';
import type {Containment} from './command-containers.ts';
import {type Containers, createContainers} from './command-containers.ts';
import {commandEnvironment} from './command-environment.ts';
import {createCommandOutput} from './command-output.ts';
import {findShell} from './find-shell.ts';
import {createForeground, type Foreground} from './foreground.ts';
import {createJobs, type JobEvents, type Jobs} from './jobs.ts';
import {createOutputFiles, keepText} from './output-file.ts';
import {createProtection} from './protection.ts';
import {type StartedCommand, startCommand} from './start-command.ts';

export type ShellRequest = {
	readonly command: string;
	readonly workspace: string;
	readonly containment: Containment;
	/** True if it runs unasked because it only reads. */
	readonly readOnly: boolean;
	/** Values that the model may not see. */
	readonly secrets: readonly string[];
	/** Gets the output as it comes. */
	readonly onText?: (text: string) => void;
	/** Gets what it wrote that another program runs by itself, as clauses, before it counts as ended. */
	readonly onWritten?: (clauses: readonly string[]) => void;
	/** Its standard input; empty if left out. */
	readonly input?: string;
	/** The program that reads it; bash where there is one. */
	readonly shell?: string;
	/** What changes files with it; a command by default. */
	readonly by?: Changer;
	/** Secret files that the user allowed this command to read. */
	readonly reveals?: readonly string[];
	/** What is in the folder, if that was found out just now. */
	readonly listing?: FolderSearch | undefined;
};

/** What the commands of one session share. */
export type CommandSession = Pick<Containers, 'sandbox'> & {
	/** Returns true once. */
	readonly isFirst: () => boolean;
	readonly start: (request: ShellRequest) => Promise<StartedCommand>;
	/** Returns the files of a folder that commands can't open now, and all of its files. */
	readonly withheld: (workspace: string) => Promise<WithheldFiles & {readonly listing: FolderSearch}>;
	/** Returns the secret files that a command names and nobody allowed. */
	readonly namedSecrets: (command: string, workspace: string) => Promise<readonly string[]>;
	/** Lets all commands of the session read these secret files. */
	readonly reveal: (paths: readonly string[]) => void;
	/** Returns those of the secret files that the user was not asked about yet, and takes them for asked about. */
	readonly notAsked: (paths: readonly string[]) => readonly string[];
	readonly jobs: Jobs;
	readonly foreground: Foreground;
	/** Real paths of the files with long outputs: the model may read them. */
	readonly outputFiles: ReadonlySet<string>;
	/** Keeps a long result of another tool in such a file. Returns its path; undefined if it could not be written. */
	readonly keep: (text: string) => Promise<string | undefined>;
	/** Ends everything that runs and removes the files. A later command starts a new session. */
	readonly end: () => Promise<void>;
};

type Options = JobEvents & {
	readonly places: Places;
	/** Gets the number of commands in the foreground, whenever it changes. */
	readonly onForeground?: (count: number) => void;
	/** Most processes of a command at a time. */
	readonly maxProcesses?: number;
	/** Looks for the sandbox. */
	readonly find?: typeof findSandbox;
};

/** Creates the commands of a session. Nothing is looked for or written before the first command. */
export function createCommandSession(options: Options): CommandSession {
	const {places, onForeground, find, maxProcesses = 4096} = options;
	const jobs = createJobs(options);
	const running = new Set<StartedCommand>();
	const files = createOutputFiles();
	let folder: Promise<WorkFolder> | undefined;
	/** What notes the changes of commands that have ended. */
	const settling = createPending();
	let hasRun = false;
	let starting = 0;

	/** Secret files that commands may read, and those that the user was asked about. */
	const revealed = new Set<string>();
	const asked = new Set<string>();

	const workFolder = () => {
		folder ??= createWorkFolder(places.stateFolder);
		return folder;
	};
	const containers = createContainers({
		places,
		temporary: async () => (await workFolder()).temporary,
		masks: async () => join((await workFolder()).path, 'masks'),
		...(find && {find}),
	});
	const protection = createProtection({containers, folder: async () => (await workFolder()).path});

	const launch = async (request: ShellRequest) => {
		const {
			command,
			workspace,
			containment,
			readOnly,
			secrets,
			onText,
			onWritten,
			input,
			reveals = [],
			listing,
			shell = findShell(),
			by = 'command',
		} = request;
		const opening = openWindow({stateFolder: places.stateFolder, folder: workspace}, by);
		const [sandbox, window] = await Promise.all([
			protection.contain(workspace, containment, {
				isWatched: !readOnly && onWritten !== undefined,
				listing,
				revealed: new Set([...revealed, ...reveals]),
			}),
			opening,
		]).catch(async error => {
			await opening.then(opened => opened.close()).catch(() => undefined);
			throw error;
		});
		const environment = commandEnvironment(process.env, sandbox !== undefined);
		const env = {...environment, ...(readOnly && readOnlyEnvironment)};
		const {outputs} = await workFolder();
		const output = createCommandOutput({openFile: () => files.open(outputs), secrets, ...(onText && {onText})});
		const started = startCommand({
			command,
			maxProcesses,
			shell,
			input,
			folder: workspace,
			onData: output.add,
			...(sandbox && {sandbox: sandbox.program, filter: sandbox.filter}),
			// Git tells by size and age alone that a file which it can't read has not changed.
			env: sandbox && hasMasks(sandbox.withheld) ? withGitSetting(env, 'core.checkStat', 'minimal') : env,
		});
		const endGuard = sandbox?.guard(
			note => output.add(Buffer.from(`[The sandbox ${note}.]\n`)),
			() => started.kill('it set up git to run programs'),
		);
		const ended = started.ended.finally(async () => {
			running.delete(entry);
			const isLast = running.size + starting === 0;
			await (isLast && containers.removeFolders());
			const left = await endGuard?.();
			// Without the end, changes of the user count as its own, too.
			await window.end().catch(() => undefined);
			settling.add(window.close());
			const written = (await sandbox?.written(left)) ?? [];
			if (written.length > 0) {
				output.add(Buffer.from(written.map(clause => `[The command ${clause}.]\n`).join('')));
				onWritten?.(written);
			}

			await output.close();
		});
		settling.add(
			ended.then(
				() => undefined,
				() => undefined,
			),
		);
		const entry = {...started, ended, output, withheld: sandbox?.withheld};
		running.add(entry);
		return entry;
	};

	return {
		jobs,
		foreground: createForeground(jobs, onForeground),
		outputFiles: files.paths,
		sandbox: containers.sandbox,
		async withheld(workspace) {
			const {hasDenials, withheldFiles} = await import('../../policy/withheld-files.ts');
			const rules = places.rules?.();
			const listing = await listFolder(workspace, hasDenials(rules));
			return {...(await withheldFiles(workspace, rules, {listing, revealed})), listing};
		},
		async namedSecrets(command, workspace) {
			const {namedSecrets} = await import('../../policy/command/named-files.ts');
			return namedSecrets(command, workspace, places.rules?.() ?? {folder: workspace, entries: []});
		},
		reveal(paths) {
			for (const path of paths) {
				revealed.add(path);
			}
		},
		notAsked(paths) {
			const others = paths.filter(path => !asked.has(path));
			for (const path of others) {
				asked.add(path);
			}

			return others;
		},
		keep: async text => keepText(text, files.open((await workFolder()).outputs)),
		isFirst() {
			const isFirst = !hasRun;
			hasRun = true;
			return isFirst;
		},
		async start(request) {
			starting++;
			try {
				return await launch(request);
			} finally {
				starting--;
			}
		},
		async end() {
			await Promise.all([jobs.end(), ...[...running].map(({stop}) => stop())]);
			await settling.all();
			hasRun = false;
			revealed.clear();
			asked.clear();
			const used = await folder?.catch(() => undefined);
			folder = undefined;
			containers.clear();
			files.clear();
			await used?.remove();
			protection.end();
		},
	};
}

/** Keeps promises until they are settled. */
function createPending() {
	const pending = new Set<Promise<void>>();
	return {
		add(promise: Promise<void>) {
			pending.add(promise);
			void promise.finally(() => pending.delete(promise));
		},
		async all() {
			while (pending.size > 0) {
				await Promise.all(pending);
			}
		},
	};
}

function hasMasks({secrets, denied}: WithheldFiles): boolean {
	return secrets.length + denied.length > 0;
}

/** The private folder of a session's commands: their `/tmp` and their long outputs. */
type WorkFolder = {
	readonly path: string;
	readonly temporary: string;
	readonly outputs: string;
	readonly remove: () => Promise<void>;
};

/** Creates it in the state folder, and removes those of processes that were killed. */
export async function createWorkFolder(stateFolder: string): Promise<WorkFolder> {
	const parent = join(stateFolder, 'work');
	makePrivateFolder(parent, {hint: 'Remove it, then try again.'});
	await sweep(parent);
	const path = await realpath(await mkdtemp(join(parent, `${process.pid}-`)));
	const [temporary, outputs] = [join(path, 'tmp'), join(path, 'output')];
	await Promise.all([temporary, outputs].map(folder => mkdir(folder, {mode: 0o700})));
	return {path, temporary, outputs, remove: () => removed(path)};
}

async function sweep(parent: string): Promise<void> {
	const names = await readdir(parent);
	const left = names.filter(name => /^\d+-/.test(name) && !isRunning(Number.parseInt(name, 10)));
	for (const path of left.map(name => join(parent, name))) {
		await cleanLeftBehind(path);
		await removed(path);
	}
}

/** Removes what can be removed: a command may have left folders that can't be entered. */
async function removed(path: string): Promise<void> {
	await rm(path, {recursive: true, force: true}).catch(() => undefined);
}
