import type {Hook} from '../../config/project/settings-file.ts';
import {AppError} from '../../core/error.ts';
import type {Json} from '../../core/json.ts';
import {headAndTail} from '../head-and-tail.ts';
import {runChild} from '../tools/child/run-child.ts';

/** How a hook ended: it let things go on, said no, or failed to say either. `reason` is one for the model. */
export type HookEnd =
	| {readonly kind: 'passed'}
	| {readonly kind: 'denied'; readonly reason: string}
	| {readonly kind: 'failed'; readonly reason: string};

/** The exit status with which a hook says no. */
const denyStatus = 2;
const defaultTimeoutSec = 30;
const maxOutputBytes = 64 * 1024;
const maxReasonLength = 4000;

/**
 * Runs one hook through the shell, in the working folder (SAFETY 15), with `input` as JSON on its standard input. Throws
 * the signal's reason on an abort.
 */
export async function runHook(
	{command, timeoutSec = defaultTimeoutSec}: Hook,
	input: Json,
	{folder, signal}: {readonly folder: string; readonly signal: AbortSignal},
): Promise<HookEnd & {readonly status: number | null}> {
	try {
		const {status, stderr} = await runChild({
			...shellFor(command),
			cwd: folder,
			signal,
			input: `${JSON.stringify(input)}\n`,
			timeoutMs: timeoutSec * 1000,
			maxBytes: maxOutputBytes,
		});
		const said = headAndTail(stderr.trim(), maxReasonLength);
		if (status === 0) {
			return {kind: 'passed', status};
		}

		if (status === denyStatus) {
			return {kind: 'denied', reason: said || 'It gave no reason.', status};
		}

		const how = status === null ? 'a signal ended it' : `exit status ${status}`;
		return {kind: 'failed', reason: said ? `${how}: ${said}` : how, status};
	} catch (error) {
		signal.throwIfAborted();
		if (error instanceof AppError) {
			return {kind: 'failed', reason: error.message, status: null};
		}

		throw error;
	}
}

function shellFor(command: string): {readonly command: string; readonly args: readonly string[]} {
	return process.platform === 'win32'
		? {command: process.env['COMSPEC'] ?? 'cmd.exe', args: ['/d', '/s', '/c', command]}
		: {command: '/bin/sh', args: ['-c', command]};
}
