import * as z from 'zod/mini';
import {AppError} from '../../core/error.ts';
import {redactKnown} from '../../core/secrets/redact.ts';
import {redactPositions} from '../../core/secrets/redact-positions.ts';
import type {Containment} from '../../core/session/approval.ts';
import type {Tool, ToolContext} from '../../core/session/tool.ts';
import type {Sandbox} from '../sandbox/find-sandbox.ts';
import {folderValues} from '../secret-values/folder-values.ts';
import type {CommandSession} from './command/command-session.ts';
import {describeEnd, type Finish} from './command/describe-end.ts';
import {createLiveOutput} from './command/live-output.ts';
import {type Refusal, refusedBySandbox} from './command/refused-by-sandbox.ts';
import {defineTool} from './define-tool.ts';
import {refusal} from './refusal.ts';
import description from './run-command.md';

const defaultTimeoutSec = 120;
const maxTimeoutSec = 600;
/** A background job is stopped at last after this time. */
const jobTimeoutMs = 12 * 60 * 60 * 1000;
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

			const sandbox = await session.sandbox(context.workspace);
			const containment = sandbox.kind === 'none' ? 'none' : 'sandbox';
			const allowed = await permitted(command, containment, factsOf(sandbox, containment), context);
			const notes =
				allowed.command === command ? [] : [`[The user changed the command to: ${shownCommand(allowed.command)}]`];
			const run = {...allowed, containment, timeoutMs: timeoutSec * 1000} as const;
			const news = session.jobs.takeNews();
			if (containment === 'sandbox' && session.isFirst()) {
				context.onNotice?.('Commands run in a sandbox: no network, and they write only in this folder.');
			}

			if (background) {
				return [...notes, ...news, await runInBackground(run, session, context)].join('\n');
			}

			const result = await runAndOffer(run, session, context);
			return answer([...notes, ...news, ...result.notes], result);
		},
	});
}

/** Returns a command as it is kept and told: without credentials (SAFETY 8). The question shows it whole. */
function shownCommand(command: string): string {
	return redactPositions(redactKnown(command));
}

/** A command that may run; `readOnly` if only because it reads. */
type Allowed = {readonly command: string; readonly readOnly: boolean};

type Run = Allowed & {readonly containment: Containment; readonly timeoutMs: number};

type RunResult = {readonly text: string; readonly finish: Finish};

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

/** Asks for a command. Returns the one to run, which the user may have changed. Throws AppError("failed") for a no. */
async function permitted(
	command: string,
	containment: Containment,
	facts: ReadonlyArray<readonly [string, string]>,
	{approve, workspace}: ToolContext,
	isWidened = false,
): Promise<Allowed> {
	const permission = await approve({
		act: {kind: 'command', command, folder: workspace, containment, ...(isWidened && {widened: true})},
		summary: `Run ${shownCommand(command)}?`,
		subject: `run ${containment} ${workspace}\n${command}`,
		facts: [['Folder', workspace], ...facts],
	});
	if (!permission.allowed) {
		throw refusal('The user did not allow this command. It did not run.', permission.reason);
	}

	const allowed = permission.command ?? command;
	assertRunnable(allowed);
	return {command: allowed, readOnly: permission.readOnly ?? false};
}

/** Returns what the user should know: what contains the command. */
function factsOf(sandbox: Sandbox, containment: Containment): ReadonlyArray<readonly [string, string]> {
	if (sandbox.kind === 'none') {
		return [['Not contained', sandbox.why]];
	}

	switch (containment) {
		case 'sandbox':
			return [['Sandbox', 'no network, writes only in this folder']];
		case 'network':
			return [['Sandbox', 'with network, writes only in this folder']];
		default:
			return [['Not contained', 'it runs outside the sandbox']];
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
	const job = session.jobs.add(shownCommand(run.command), started, jobTimeoutMs);
	onJob?.(job);
	return `Started as job ${job.id}. Read it with job_output, end it with job_stop.`;
}

/** Runs a command. If the sandbox seems to be why it failed, asks once whether to run it again with more. */
async function runAndOffer(run: Run, session: CommandSession, context: ToolContext) {
	const result = await runOnce(run, session, context);
	const refusal =
		run.containment === 'sandbox' &&
		refusedBySandbox(result.text, {status: result.finish.status, workspace: context.workspace});
	if (!refusal) {
		return {...result, notes: []};
	}

	const wider = refusal === 'network' ? 'network' : 'none';
	const sandbox = await session.sandbox(context.workspace);
	try {
		const facts = [reasons[refusal], ...factsOf(sandbox, wider)];
		const allowed = await permitted(run.command, wider, facts, context, true);
		const again = await runOnce({...run, ...allowed, containment: wider}, session, context);
		return {
			...again,
			notes: [`[It failed in the sandbox (${reasons[refusal][1]}), so it ran again ${outside[wider]}.]`],
		};
	} catch (error) {
		if (!(error instanceof AppError)) {
			throw error;
		}

		return {...result, notes: [`[The sandbox: ${reasons[refusal][1]}. Running it again with more was not allowed.]`]};
	}
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
	{workspace, signal, onOutput, onStyles, onNotice}: ToolContext,
): Promise<RunResult> {
	signal.throwIfAborted();
	const secrets = await folderValues(workspace);
	const live = createLiveOutput({onOutput, secrets});
	const startedAt = performance.now();
	const {ended, stop, output} = await session.start({
		...run,
		workspace,
		secrets,
		onText: live.add,
		onWritten: clauses => {
			for (const clause of clauses) {
				onNotice?.(`The command ${clause}.`, {
					isWarning: true,
					hint: 'Read it first: `/diff` shows it, unless git ignores it.',
				});
			}
		},
	});
	const deadline = AbortSignal.timeout(timeoutMs);
	const over = AbortSignal.any([signal, deadline]);
	const end = () => void stop();
	over.addEventListener('abort', end, {once: true});
	if (over.aborted) {
		end();
	}

	try {
		const result = await ended;
		signal.throwIfAborted();
		const milliseconds = Math.round(performance.now() - startedAt);
		const isTimedOut = deadline.aborted;
		const taken = output.take();
		onStyles?.(taken);
		return {text: taken.text, finish: {...result, milliseconds, ...(isTimedOut && {timeoutMs})}};
	} finally {
		over.removeEventListener('abort', end);
		live.end();
	}
}

/** Returns the result of a command; throws it as AppError("failed") for a failed one. */
function answer(notes: readonly string[], {text, finish}: RunResult): string {
	const result = [...notes, text || '(no output)', `[${describeEnd(finish)}]`].join('\n');
	if (finish.status !== 0 || finish.timeoutMs !== undefined) {
		throw new AppError('failed', result);
	}

	return result;
}
