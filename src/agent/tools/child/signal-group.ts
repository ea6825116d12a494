import process from 'node:process';

/** Sends a signal to a process and its group. Does nothing if they have ended already, or the process never started. */
export function signalGroup(pid: number | undefined, signal: NodeJS.Signals): void {
	if (pid === undefined) {
		return;
	}

	try {
		process.kill(process.platform === 'win32' ? pid : -pid, signal);
	} catch {
		// The group has ended already.
	}
}
