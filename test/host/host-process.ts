import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {onTestFinished} from 'vitest';

/** Ends the host that the program itself started for a state folder, as the test ends. Call it first. */
export function endHostOf(home: string): void {
	onTestFinished(() => {
		const pid = hostProcess(home);
		if (pid !== undefined && pid !== process.pid) {
			process.kill(pid, 'SIGKILL');
		}
	});
}

/** Returns the process of the host of a state folder; undefined if none runs. */
export function hostProcess(home: string): number | undefined {
	try {
		const {pid} = JSON.parse(readFileSync(join(home, 'host/lock'), 'utf8'));
		process.kill(pid, 0);
		return pid;
	} catch {
		return undefined;
	}
}
