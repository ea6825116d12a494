import type {Hook} from '../../config/project/settings-file.ts';
import {headAndTail} from '../../core/cut-text.ts';
import {AppError} from '../../core/error.ts';
import {runChild} from '../tools/child/run-child.ts';
import type {CommandSession} from '../tools/command/command-session.ts';
import {type Refusal, refusedBySandbox} from '../tools/command/refused-by-sandbox.ts';

/** How a hook ended: it let things go on, said no, or failed to say either. `reason` is one for the model. */
export type HookEnd =
	| {readonly kind: 'passed'}
	| {readonly kind: 'denied'; readonly reason: string}
	| {readonly kind: 'failed'; readonly reason: string};

export type HookPlace = {
	/** The working folder, a real path. */
	readonly folder: string;
	/** The root of the project, a real path. */
	readonly root: string;
	/** The commands of the session, in whose sandbox hooks run. */
	readonly commands: Pick<CommandSession, 'sandbox' | 'start'>;
	readonly signal: AbortSignal;
};

type Ended = {readonly status: number | null; readonly stderr: string; readonly limit?: string};

/** The exit status with which a hook says no. */
const denyStatus = 2;
const defaultTimeoutSec = 30;
const maxOutputBytes = 64 * 1024;
const maxReasonLength = 4000;

const lacks: Readonly<Record<Refusal, string>> = {
	network: 'has no network',
	path: 'writes only in this folder and in /tmp',
	hidden: 'hides your home folder and other temporary files',
};

/** Returns why a hook would run outside the sandbox, as a clause; undefined if it runs inside. */
export async function whyUncontained(
	{sandbox}: Hook,
	{commands, folder}: Pick<HookPlace, 'commands' | 'folder'>,
): Promise<string | undefined> {
	if (sandbox === false) {
		return 'your settings say so';
	}

	const found = await commands.sandbox(folder);
	return found.kind === 'none' ? found.why.replace(/\.$/, '') : undefined;
}

/**
 * Runs one hook through the shell, in the working folder and in the sandbox of commands (SAFETY 15), with `input` as a line
 * on its standard input. Throws the signal's reason on an abort.
 */
export async function runHook(
	hook: Hook,
	input: string,
	isContained: boolean,
	place: HookPlace,
): Promise<HookEnd & {readonly status: number | null}> {
	const {folder, signal} = place;
	try {
		const {status, stderr, limit} = await (isContained ? runContained : runOutside)(hook, input, place);
		const said = headAndTail(stderr.trim(), maxReasonLength);
		if (status === 0) {
			return {kind: 'passed', status};
		}

		if (status === denyStatus) {
			return {kind: 'denied', reason: said || 'It gave no reason.', status};
		}

		// Shells and the sandbox add 128 to the number of a signal.
		const isSignal = status === null || (isContained && status > 128);
		const how = limit ?? (isSignal ? 'a signal ended it' : `exit status ${status}`);
		const refused = isContained ? refusedBySandbox(stderr, {status, workspace: folder}) : undefined;
		const hint = refused
			? ` It ran in the sandbox, which ${lacks[refused]}. Your own settings can say "sandbox": false for a hook.`
			: '';
		return {kind: 'failed', reason: `${said ? `${how}: ${said}` : how}${hint && `.${hint}`}`, status};
	} catch (error) {
		signal.throwIfAborted();
		if (error instanceof AppError) {
			return {kind: 'failed', reason: error.message, status: null};
		}

		throw error;
	}
}

async function runContained(
	{command, timeoutSec}: Hook,
	input: string,
	{commands, folder, signal}: HookPlace,
): Promise<Ended> {
	signal.throwIfAborted();
	const timeoutMs = (timeoutSec ?? defaultTimeoutSec) * 1000;
	const deadline = AbortSignal.timeout(timeoutMs);
	const over = AbortSignal.any([signal, deadline]);
	const started = await commands.start({
		// Nothing reads its standard output.
		command: `exec >/dev/null; ${command}`,
		workspace: folder,
		containment: 'sandbox',
		readOnly: false,
		secrets: [],
		input,
		shell: '/bin/sh',
		by: 'hook',
	});
	const stop = () => void started.stop();
	over.addEventListener('abort', stop, {once: true});
	if (over.aborted) {
		stop();
	}

	try {
		const {status, limit} = await started.ended;
		signal.throwIfAborted();
		if (deadline.aborted) {
			throw new AppError('failed', `It took longer than ${timeoutMs / 1000} s and was stopped.`);
		}

		return {status, stderr: started.output.take().text, ...(limit !== undefined && {limit})};
	} finally {
		over.removeEventListener('abort', stop);
	}
}

/** Runs a hook with the rights of the user. Programs of the folder aren't found by their bare name (SAFETY 15). */
async function runOutside(
	{command, timeoutSec = defaultTimeoutSec}: Hook,
	input: string,
	{folder, root, signal}: HookPlace,
): Promise<Ended> {
	const {toolVariables} = await import('../tools/child/tool-variables.ts');
	return runChild({
		...shellFor(command),
		cwd: folder,
		outside: root,
		signal,
		input,
		env: toolVariables(process.env),
		timeoutMs: timeoutSec * 1000,
		maxBytes: maxOutputBytes,
	});
}

function shellFor(command: string): {readonly command: string; readonly args: readonly string[]} {
	return process.platform === 'win32'
		? {command: process.env['COMSPEC'] ?? 'cmd.exe', args: ['/d', '/s', '/c', command]}
		: {command: '/bin/sh', args: ['-c', command]};
}
