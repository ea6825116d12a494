import {renameSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import type {SupervisorStatus} from './supervisor-plan.ts';

/** Writes the state of a sandbox to `status.json`. */
export function writeStatus(folder: string, status: SupervisorStatus): void {
	try {
		writeFileSync(join(folder, 'status.new'), JSON.stringify(status), {mode: 0o600});
		renameSync(join(folder, 'status.new'), join(folder, 'status.json'));
	} catch {
		// A full disk. Readers of the old status also check the processes.
	}
}
