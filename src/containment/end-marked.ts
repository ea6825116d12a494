import {execFile} from 'node:child_process';
import {readdir, readFile} from 'node:fs/promises';
import process from 'node:process';
import {promisify} from 'node:util';

/** The variable that marks the processes of a command. */
export const markVariable = 'SERVICE_COMMAND_ID';

/** A process may start another one while the list is read. */
const maxRounds = 5;

/**
 * Kills processes that left the group of their command: those with its mark, and those that `running` returns. Without a
 * sandbox and a control group nothing else knows them.
 */
export async function endMarked(
	mark: string,
	running: () => readonly number[] = () => [],
	platform = process.platform,
): Promise<void> {
	for (let round = 0; round < maxRounds; round++) {
		const marked =
			platform === 'linux' ? await markedOnLinux(mark) : platform === 'win32' ? [] : await markedByPs(mark);
		const pids = new Set([...marked, ...running()]);
		if (pids.size === 0) {
			return;
		}

		for (const pid of pids) {
			try {
				process.kill(pid, 'SIGKILL');
			} catch {
				// It has ended already.
			}
		}
	}
}

async function markedOnLinux(mark: string): Promise<readonly number[]> {
	const text = `${markVariable}=${mark}\0`;
	const names = (await readdir('/proc')).filter(name => /^\d+$/.test(name));
	const marked = await Promise.all(
		names.map(async pid => {
			// Processes of other users can't be read.
			const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');
			return environment.includes(text) ? [Number(pid)] : [];
		}),
	);
	return marked.flat().filter(pid => pid !== process.pid);
}

async function markedByPs(mark: string): Promise<readonly number[]> {
	const options = {maxBuffer: 64 * 1024 * 1024, timeout: 5000};
	const {stdout} = await promisify(execFile)('/bin/ps', ['-axEww', '-o', 'pid=,command='], options).catch(() => ({
		stdout: '',
	}));
	const lines = stdout.split('\n').filter(line => line.includes(`${markVariable}=${mark}`));
	return lines.map(line => Number.parseInt(line, 10)).filter(pid => pid !== process.pid);
}
