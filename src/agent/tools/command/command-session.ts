import process from 'node:process';
import type {Containment} from '../../../core/session/approval.ts';
import {readOnlyEnvironment} from '../../policy/command/git/git-environment.ts';
import type {Places} from '../../policy/protected-places.ts';
import type {findSandbox} from '../../sandbox/find-sandbox.ts';
import {type Changer, openWindow} from '../../unseen/change-window.ts';
import {type Containers, createContainers} from './command-containers.ts';
import {commandEnvironment} from './command-environment.ts';
import {createCommandOutput} from './command-output.ts';
import {findShell} from './find-shell.ts';
import {createJobs, type Jobs} from './jobs.ts';
import {createOutputFiles, keepText} from './output-file.ts';
import {createProtection} from './protection.ts';
import {type StartedCommand, startCommand} from './start-command.ts';
import {createWorkFolder} from './work-folder.ts';

export type CommandRequest = {
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
};

/** What the commands of one session share. */
export type CommandSession = Pick<Containers, 'sandbox'> & {
	/** Returns true once. */
	readonly isFirst: () => boolean;
	readonly start: (request: CommandRequest) => Promise<StartedCommand>;
	readonly jobs: Jobs;
	/** Real paths of the files with long outputs: the model may read them. */
	readonly outputFiles: ReadonlySet<string>;
	/** Keeps a long result of another tool in such a file. Returns its path; undefined if it could not be written. */
	readonly keep: (text: string) => Promise<string | undefined>;
	/** Ends everything that runs and removes the files. A later command starts a new session. */
	readonly end: () => Promise<void>;
};

type Options = {
	readonly places: Places;
	/** Gets the number of background jobs that run, whenever it changes. */
	readonly onJobs?: (running: number) => void;
	/** Most processes of a command at a time. */
	readonly maxProcesses?: number;
	/** Looks for the sandbox. */
	readonly find?: typeof findSandbox;
};

/** Creates the commands of a session. Nothing is looked for or written before the first command. */
export function createCommandSession({places, onJobs, find, maxProcesses = 4096}: Options): CommandSession {
	const jobs = createJobs(onJobs);
	const running = new Set<StartedCommand>();
	const files = createOutputFiles();
	let folder: ReturnType<typeof createWorkFolder> | undefined;
	/** What notes the changes of commands that have ended. */
	const settling = createPending();
	let hasRun = false;
	let starting = 0;

	const workFolder = () => {
		folder ??= createWorkFolder(places.stateFolder);
		return folder;
	};
	const containers = createContainers({
		places,
		temporary: async () => (await workFolder()).temporary,
		...(find && {find}),
	});
	const protection = createProtection({containers, folder: async () => (await workFolder()).path});

	const launch = async (request: CommandRequest) => {
		const {
			command,
			workspace,
			containment,
			readOnly,
			secrets,
			onText,
			onWritten,
			input,
			shell = findShell(),
			by = 'command',
		} = request;
		const opening = openWindow({stateFolder: places.stateFolder, folder: workspace}, by);
		const [sandbox, window] = await Promise.all([
			protection.contain(workspace, containment, !readOnly && onWritten !== undefined),
			opening,
		]).catch(async error => {
			await opening.then(opened => opened.close()).catch(() => undefined);
			throw error;
		});
		const {outputs} = await workFolder();
		const output = createCommandOutput({openFile: () => files.open(outputs), secrets, ...(onText && {onText})});
		const started = startCommand({
			...{command, maxProcesses, shell, input, folder: workspace, onData: output.add},
			...(sandbox && {sandbox: sandbox.program, filter: sandbox.filter}),
			env: {...commandEnvironment(process.env, sandbox !== undefined), ...(readOnly && readOnlyEnvironment)},
		});
		const endGuard = sandbox?.guard(
			note => output.add(Buffer.from(`[The sandbox ${note}.]\n`)),
			() => started.kill('it set up git to run programs'),
		);
		const ended = started.ended.finally(async () => {
			running.delete(entry);
			const isLast = running.size + starting === 0;
			await (isLast && containers.removeFolders());
			await endGuard?.();
			// Without the end, changes of the user count as its own, too.
			await window.end().catch(() => undefined);
			settling.add(window.close());
			const written = (await sandbox?.written()) ?? [];
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
		const entry = {...started, ended, output};
		running.add(entry);
		return entry;
	};

	return {
		...{jobs, outputFiles: files.paths, sandbox: containers.sandbox},
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
			await Promise.all([...running].map(({stop}) => stop()));
			await settling.all();
			jobs.clear();
			hasRun = false;
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
