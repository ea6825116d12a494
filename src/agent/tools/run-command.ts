import {relative, sep} from 'node:path';
import * as z from 'zod/mini';
import {AppError} from '../../core/error.ts';
import type {Act} from '../../core/session/approval.ts';
import type {Tool, ToolContext} from '../../core/session/tool.ts';
import {pathText} from '../paths/path-text.ts';
import {refusal} from '../policy/rules/rule.ts';
import type {WithheldFiles} from '../policy/withheld-files.ts';
import type {Sandbox} from '../sandbox/find-sandbox.ts';
import {folderValues} from '../secret-values/folder-values.ts';
import type {Containment} from './command/command-containers.ts';
import type {CommandSession, ShellRequest} from './command/command-session.ts';
import {describeEnd, endFacts, type Finish} from './command/describe-end.ts';
import {type Job, movedText, shownCommand, startedText} from './command/jobs.ts';
import {createLiveOutput} from './command/live-output.ts';
import {lackedSecrets, type Refusal, refusedBySandbox} from './command/refused-by-sandbox.ts';
import {commandResult} from './command-result.ts';
import {defineTool} from './define-tool.ts';
import description from './run-command.md';

const defaultTimeoutSec = 120;
const maxTimeoutSec = 600;
/** A folder that was searched longer ago is searched again. */
const maxListingAgeMs = 1000;
/** The kernel takes no longer argument. */
const maxCommandBytes = 120_000;

export function createRunCommand(session: CommandSession): Tool {
	return defineTool({
		name: 'run_command',
		description,
		readOnly: false,
		arguments: z.strictObject({
			command: z.string().check(z.minLength(1), z.describe('The command, for bash.')),
			timeout_sec: z.optional(
				z
					.int()
					.check(
						z.minimum(1),
						z.maximum(maxTimeoutSec),
						z.describe(`Seconds until it is stopped, ${defaultTimeoutSec} by default.`),
					),
			),
			background: z.optional(z.boolean().check(z.describe('True to go on at once while it runs.'))),
			description: z.optional(z.string().check(z.describe('What it does, in a few words, for the user.'))),
		}),

		async run({command, timeout_sec: timeoutSec = defaultTimeoutSec, background = false}, context) {
			assertRunnable(command);
			if (background) {
				session.jobs.assertRoom();
			}

			const {workspace} = context;
			const sandbox = await session.sandbox(workspace);
			const containment = sandbox.kind === 'none' ? 'none' : 'sandbox';
			const withheld = containment === 'none' ? undefined : await session.withheld(workspace);
			const reveals = await session.namedSecrets(command, workspace);
			const request = {command, containment, facts: factsOf(sandbox, containment, withheld)} as const;
			const startedAt = performance.now();
			const allowed = await permitted(
				{...request, reveals, ...(withheld?.isComplete === false && {isUnsearched: true})},
				context,
			);
			// While the user was thinking, files may have come.
			const isRecent = performance.now() - startedAt < maxListingAgeMs;
			const notes =
				allowed.command === command ? [] : [`[The user changed the command to: ${shownCommand(allowed.command)}]`];
			const run: Run = {
				...allowed,
				containment,
				timeoutMs: timeoutSec * 1000,
				reveals: allowed.readOnly ? [] : reveals,
				...(isRecent && {listing: withheld?.listing}),
			};
			const news = session.jobs.takeNews();
			if (containment === 'sandbox' && session.isFirst()) {
				context.onNotice?.('Commands run in a sandbox: no network, and they write only in this folder.');
			}

			if (background) {
				const below = await runInBackground(run, session, context);
				return commandResult({above: [...notes, ...news], ...below}, context);
			}

			const result = await runAndOffer(run, session, context);
			const left = await leftNote(allowed.command, result);
			return answer({above: [...notes, ...news, ...result.notes], left}, result, context);
		},
	});
}

/** A command that may run; `readOnly` if only because it reads. */
type Allowed = {readonly command: string; readonly readOnly: boolean};

type Run = Allowed &
	Pick<ShellRequest, 'listing'> & {
		readonly containment: Containment;
		readonly timeoutMs: number;
		/** Secret files that the user allowed it to read. */
		readonly reveals: readonly string[];
	};

/** The output of a command, and how it ended; of one that the user sent to the background, its output so far. */
type RunResult = {
	readonly text: string;
	/** The files that it could not open. */
	readonly withheld: WithheldFiles | undefined;
} & ({readonly finish: Finish; readonly job?: undefined} | {readonly job: Job; readonly finish?: undefined});

function assertRunnable(command: string): void {
	if (command.includes('\0')) {
		throw new AppError('usage', "A command can't contain a NUL character.");
	}

	if (Buffer.byteLength(command) > maxCommandBytes) {
		throw new AppError('usage', 'The command is too long.', {
			hint: 'Write it to a file with write_file, then run that.',
		});
	}
}

/** What is asked about a command. */
type Request = Pick<Extract<Act, {kind: 'command'}>, 'command' | 'containment' | 'widened' | 'isUnsearched'> & {
	readonly reveals: readonly string[];
	readonly facts: ReadonlyArray<readonly [string, string]>;
	readonly summary?: string;
};

/** Asks for a command. Returns the one to run, which the user may have changed. Throws AppError("failed") for a no. */
async function permitted({facts, summary, ...request}: Request, {approve, workspace}: ToolContext): Promise<Allowed> {
	const {command, containment, reveals} = request;
	const permission = await approve({
		act: {kind: 'command', folder: workspace, ...request},
		summary: summary ?? `Run ${shownCommand(command)}?`,
		subject: [`run ${containment} ${workspace}`, ...reveals.map(path => `with ${path}`), command].join('\n'),
		facts: [
			['Folder', workspace],
			...facts,
			...(reveals.length > 0 ? [['Could show the model', shownFiles(reveals, workspace)] as const] : []),
		],
	});
	if (!permission.allowed) {
		throw refusal('The user did not allow this command. It did not run.', permission.reason);
	}

	const allowed = permission.command ?? command;
	assertRunnable(allowed);
	return {command: allowed, readOnly: permission.readOnly ?? false};
}

/** Returns what the user should know: what contains the command, and what it doesn't keep it from. */
function factsOf(
	sandbox: Sandbox,
	containment: Containment,
	withheld: WithheldFiles | undefined,
): ReadonlyArray<readonly [string, string]> {
	if (sandbox.kind === 'none') {
		return [['Not contained', sandbox.why]];
	}

	switch (containment) {
		case 'sandbox':
			return [['Sandbox', 'no network, writes only in this folder']];
		case 'network':
			return [['Sandbox', 'with network, writes only in this folder']];
		default:
			return [
				['Not contained', 'it runs outside the sandbox'],
				...((withheld?.denied.length ?? 0) + (withheld?.fixed.length ?? 0) > 0
					? [['Not contained', 'it could open what your rules deny'] as const]
					: []),
			];
	}
}

async function runInBackground({timeoutMs: _, ...run}: Run, session: CommandSession, context: ToolContext) {
	const {workspace, onJob} = context;
	const started = await session.start({
		...run,
		workspace,
		secrets: await folderValues(workspace),
		// Its output says it; the call has ended by then.
		onWritten: () => undefined,
	});
	const job = session.jobs.add(run.command, started);
	onJob?.(job);
	return {text: startedText(job), below: withheldNote(started.withheld, workspace)};
}

/** Runs a command. If the sandbox seems to be why it failed, asks whether to run it again with more. */
async function runAndOffer(first: Run, session: CommandSession, context: ToolContext) {
	const notes: string[] = [];
	let run = first;
	let result = await runOnce(run, session, context);
	// It may lack a file first, and then the network.
	for (
		let offer = await offerFor(run, result, session, context);
		offer;
		offer = await offerFor(run, result, session, context)
	) {
		const {lack, request, reveals} = offer;
		try {
			const allowed = await permitted(request, context);
			session.reveal(reveals);
			const {listing: _, ...again} = run;
			run = {...again, ...allowed, containment: request.containment, reveals: [...run.reveals, ...reveals]};
			result = await runOnce(run, session, context);
			notes.push(`[It failed in the sandbox (${lack}), so it ran again ${offer.how}.]`);
		} catch (error) {
			if (!(error instanceof AppError)) {
				throw error;
			}

			const hint = reveals.length > 0 && error.hint ? ` ${error.hint}` : '';
			notes.push(`[The sandbox: ${lack}. Running it again with more was not allowed.${hint}]`);
			break;
		}
	}

	return {
		...result,
		notes: [...notes, ...((await isLacking(result)) ? withheldNote(result.withheld, context.workspace) : [])],
	};
}

/** True for a command that failed, that is a job, or that went on without a secret file and says so. */
async function isLacking({text, finish, withheld}: RunResult): Promise<boolean> {
	return (
		!finish ||
		isFailed(finish) ||
		(/EACCES|permission denied/i.test(text) && (await lackedSecrets(text, withheld?.secrets ?? [])).length > 0)
	);
}

/** What a failed command is offered. */
type Offer = {
	/** What it lacked, as a clause, and how it would run. */
	readonly lack: string;
	readonly how: string;
	readonly request: Request;
	readonly reveals: readonly string[];
};

/** Returns what to ask about a failed command: secret files that it seems to lack, then less of a sandbox. */
async function offerFor(
	{command, containment, reveals, readOnly}: Run,
	{text, finish, withheld}: RunResult,
	session: CommandSession,
	{workspace}: ToolContext,
): Promise<Offer | undefined> {
	if (!finish || finish.status === 0 || containment === 'none') {
		return undefined;
	}

	const sandbox = await session.sandbox(workspace);
	const lacked = readOnly || (await onlySearches(command)) ? [] : await lackedSecrets(text, withheld?.secrets ?? []);
	const files = session.notAsked(lacked);
	if (files.length > 0) {
		const names = shownFiles(files, workspace);
		const lack = `it can't read ${names}`;
		const summary = `Run ${shownCommand(command)} again with ${names} readable?`;
		const facts = [['Failed in the sandbox', lack] as const, ...factsOf(sandbox, containment, withheld)];
		const request = {command, containment, widened: true, reveals: files, summary, facts};
		return {lack, how: `with ${names} readable`, request, reveals: files};
	}

	const refusal = containment === 'sandbox' && refusedBySandbox(text, {status: finish.status, workspace});
	if (!refusal) {
		return undefined;
	}

	const wider = refusal === 'network' ? 'network' : 'none';
	const facts = [reasons[refusal], ...factsOf(sandbox, wider, withheld)];
	return {
		lack: reasons[refusal][1],
		how: outside[wider],
		reveals: [],
		request: {command, containment: wider, widened: true, reveals, facts},
	};
}

/** True for a command of programs that only search and show files: they go on with those that they can read. */
async function onlySearches(command: string): Promise<boolean> {
	const [{parseCommand}, {programs}] = await Promise.all([
		import('../policy/command/parse-command.ts'),
		import('../policy/command/programs.ts'),
	]);
	const parsed = parseCommand(command);
	const reads = (name: string) =>
		['find', 'echo', 'cd'].includes(name) || (Object.hasOwn(programs, name) && programs[name]?.operands !== undefined);
	return !('why' in parsed) && parsed.commands.every(({words: [name]}) => reads(name.value));
}

const maxNamed = 5;

/** Returns the line for the model about files that a command could not open. */
function withheldNote(withheld: WithheldFiles | undefined, workspace: string): readonly string[] {
	const {secrets = [], denied = []} = withheld ?? {};
	const parts = [
		...(secrets.length > 0 ? [`${shownFiles(secrets, workspace)} (to ask the user, name it in the command)`] : []),
		...(denied.length > 0 ? [`${denied.length} that the user's rules deny`] : []),
	];
	return parts.length > 0 ? [`[Commands can't read: ${parts.join(', and ')}.]`] : [];
}

function shownFiles(paths: readonly string[], workspace: string): string {
	const names = paths.slice(0, maxNamed).map(path => pathText(relative(workspace, path).replaceAll(sep, '/')));
	return `${names.join(', ')}${paths.length > maxNamed ? ` and ${paths.length - maxNamed} more` : ''}`;
}

const reasons = {
	network: ['Failed in the sandbox', 'it has no network'],
	path: ['Failed in the sandbox', 'only the working folder and /tmp are writable'],
	hidden: ['Failed in the sandbox', 'it hides your home folder and other temporary files'],
} as const satisfies Record<Refusal, readonly [string, string]>;
const outside = {network: 'with the network', none: 'outside the sandbox'} as const;

async function runOnce(
	{timeoutMs, ...run}: Run,
	session: CommandSession,
	{workspace, signal, onOutput, onStyles, onNotice, onJob}: ToolContext,
): Promise<RunResult> {
	signal.throwIfAborted();
	const secrets = await folderValues(workspace);
	const live = createLiveOutput({onOutput, secrets});
	const startedAt = performance.now();
	let isJob = false;
	const started = await session.start({
		...run,
		workspace,
		secrets,
		onText: live.add,
		onWritten: clauses => {
			// The output of a job says it; the call has ended by then.
			for (const clause of isJob ? [] : clauses) {
				onNotice?.(`The command ${clause}.`, {
					isWarning: true,
					hint: 'Read it first: `/diff` shows it, unless git ignores it.',
				});
			}
		},
	});
	const deadline = AbortSignal.timeout(timeoutMs);
	try {
		const {ended, job} = await session.foreground.wait({
			command: run.command,
			started,
			signal: AbortSignal.any([signal, deadline]),
			onJob(moved) {
				isJob = true;
				onJob?.(moved);
			},
		});
		signal.throwIfAborted();
		const milliseconds = Math.round(performance.now() - startedAt);
		const isTimedOut = deadline.aborted;
		const {withheld, output} = started;
		const taken = output.take();
		onStyles?.(taken);
		return job
			? {text: taken.text, job, withheld}
			: {text: taken.text, finish: {...ended, milliseconds, ...(isTimedOut && {timeoutMs})}, withheld};
	} finally {
		live.end();
	}
}

/** Returns the line for the model about what a command left running, which ended with it: a server is gone. */
async function leftNote(command: string, {finish}: RunResult): Promise<readonly string[]> {
	if (!finish || !command.includes('&')) {
		return [];
	}

	const {leavesRunning} = await import('../policy/command/parse-command.ts');
	return leavesRunning(command)
		? ['[What it started with & has ended with it; set background to keep a program running.]']
		: [];
}

/** Returns the result of a command; throws it as AppError("failed") for a failed one. */
function answer(
	{above, left}: {readonly above: readonly string[]; readonly left: readonly string[]},
	{text, finish, job}: RunResult,
	context: ToolContext,
): string {
	if (job) {
		const below = [`[The user sent it to the background.] ${startedText(job)}`];
		return commandResult({above, text, below, end: {end: movedText(job)}, none: '(no output so far)'}, context);
	}

	const parts = {above, text, below: [`[${describeEnd(finish)}]`, ...left], end: endFacts(finish)};
	const result = commandResult(parts, context);
	if (isFailed(finish)) {
		throw new AppError('failed', result);
	}

	return result;
}

function isFailed({status, timeoutMs}: Finish): boolean {
	return status !== 0 || timeoutMs !== undefined;
}
