import {spawn} from 'node:child_process';
import {open, readFile} from 'node:fs/promises';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {AppError} from '../../../core/error.ts';
import {isOfThisBuild} from '../../../storage/built-script.ts';
import {explainFileError} from '../../../storage/file-error.ts';
import {withoutGaps} from '../../../storage/inherited-descriptors.ts';
import {readStatus, type SandboxFolder} from '../sandbox-folder.ts';
import type {SupervisorPlan} from './supervisor-plan.ts';
import {until} from './until.ts';

const startTimeoutMs = 10_000;

/**
 * The supervisor is beside the bundle that contains this module, and one level above a shared chunk. Sources use the
 * last build.
 */
const folder = import.meta.url.endsWith('.ts') ? '../../../../dist' : import.meta.url.includes('/chunks/') ? '..' : '.';
export const builtSupervisor = new URL(`${folder}/sandbox-supervisor.mjs`, import.meta.url);

/**
 * Starts the supervisor of a sandbox, which outlives this process. Throws AppError("failed") if it doesn't start, or is that of
 * another build.
 */
export async function launchSupervisor(supervisor: URL, folder: SandboxFolder, plan: SupervisorPlan): Promise<void> {
	if (!(await isOfThisBuild(supervisor))) {
		throw new AppError('failed', 'service was changed on disk while it was running. Restart it to start sandboxes.');
	}

	const args = ['--max-old-space-size=64', fileURLToPath(supervisor)];
	// A file, because the supervisor outlives this process and would fail to write to a closed pipe.
	const errors = await open(errorsOf(folder), 'w', 0o600).catch(error => {
		throw explainFileError(error, 'write', folder.path);
	});
	const child = withoutGaps(['pipe', 'ignore', errors.fd], stdio =>
		spawn(process.execPath, args, {
			cwd: '/',
			env: {},
			stdio,
			detached: true,
		}),
	);
	await errors.close();
	let fault: string | undefined;
	child.once('error', error => {
		fault = error.message;
	});
	child.once('exit', status => {
		fault ??= `its supervisor ended with status ${status}`;
	});
	child.stdin?.on('error', () => undefined);
	child.stdin?.end(JSON.stringify(plan));
	child.unref();
	await until(async () => fault !== undefined || (await readStatus(folder)) !== undefined, startTimeoutMs);
	if (!(await readStatus(folder))) {
		child.kill('SIGKILL');
		throw new AppError('failed', `The sandbox could not start: ${fault ?? 'its supervisor did not respond'}.`, {
			cause: await readFile(errorsOf(folder), 'utf8').catch(() => undefined),
		});
	}
}

/** Returns the path of the supervisor's standard error, to which only a crash writes. */
const errorsOf = (folder: SandboxFolder): string => join(folder.path, 'supervisor-errors.log');
