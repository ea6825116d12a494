import {spawn} from 'node:child_process';
import {fileURLToPath} from 'node:url';
import {AppError} from '../../../core/error.ts';
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
export const builtSupervisor = new URL(`${folder}/sandbox-supervisor.js`, import.meta.url);

/** Starts the supervisor of a sandbox, which outlives this process. Throws AppError("failed") if it doesn't start. */
export async function launchSupervisor(supervisor: URL, folder: SandboxFolder, plan: SupervisorPlan): Promise<void> {
	const args = ['--max-old-space-size=64', fileURLToPath(supervisor)];
	const child = withoutGaps(['pipe', 'ignore', 'ignore'], stdio =>
		spawn(process.execPath, args, {
			cwd: '/',
			env: {},
			stdio,
			detached: true,
		}),
	);
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
		throw new AppError('failed', `The sandbox could not start: ${fault ?? 'its supervisor did not respond'}.`);
	}
}
