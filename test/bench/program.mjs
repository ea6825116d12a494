import {mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {performance} from 'node:perf_hooks';
import process from 'node:process';
import pty from '@lydell/node-pty';

/** Runs `use` with a new folder, for the state of a program, and removes it. */
export async function withHome(use) {
	const home = mkdtempSync(join(tmpdir(), 'service-bench-'));
	mkdirSync(join(home, 'project'));
	try {
		return await use(home);
	} finally {
		// Another program may still write while it ends.
		rmSync(home, {recursive: true, force: true, maxRetries: 10});
	}
}

/** Returns the environment of a program whose state is in `home`. */
export const environmentOf = home => ({
	...{PATH: process.env.PATH, HOME: home},
	...{SERVICE_HOME: join(home, '.service'), SERVICE_KEYCHAIN: 'off'},
});

/** Starts Node, or another command, with these arguments in a terminal of 100x30, as a program whose state is in `home`. */
export function start(args, {home, env = {}, command = process.execPath, timeoutMs = 120_000}) {
	const startedAt = performance.now();
	const child = pty.spawn(command, args, {
		cols: 100,
		rows: 30,
		// The app would ask about the home folder itself.
		cwd: join(home, 'project'),
		env: {...environmentOf(home), TERM: 'xterm-256color', ...env},
	});
	let output = '';
	let bytes = 0;
	let wroteAt = startedAt;
	let check = () => undefined;
	child.onData(data => {
		output += data;
		bytes += Buffer.byteLength(data);
		wroteAt = performance.now();
		if (data.includes('\u001b[6n')) {
			// Who asks for the place of the cursor may wait for it before it draws anything.
			child.write('\u001b[1;1R');
		}

		check();
	});

	const until = (isMet, what) =>
		new Promise((resolve, reject) => {
			const fail = () => reject(new Error(`${what()} was never written:\n${output.slice(-2000)}`));
			const timer = setTimeout(fail, timeoutMs);
			check = () => {
				if (isMet()) {
					clearTimeout(timer);
					check = () => undefined;
					resolve(wroteAt);
				}
			};
			check();
		});

	return {
		startedAt,
		write: text => child.write(text),
		/** Ends the program, and the processes that it runs. */
		kill() {
			for (const pid of familyOf(child.pid)) {
				unlessEnded(() => process.kill(pid, 'SIGKILL'));
			}
		},
		/** Returns the number of bytes written so far. */
		bytes: () => bytes,
		/** Returns the number of synchronized frames written so far. */
		frames: () => output.split('\u001b[?2026h').length - 1,
		/** Forgets the output so far, so that `seen` waits for something new. */
		forget() {
			output = '';
		},
		/** Resolves with the time at which the output had this text. */
		seen: text =>
			until(
				() => output.includes(text),
				() => `“${text}”`,
			),
		/** Resolves with the time of the next output. */
		next() {
			const before = bytes;
			return until(
				() => bytes > before,
				() => 'Another frame',
			);
		},
		/** Resolves with the time of the last output once there was none for a while. */
		async quiet(pauseMs = 250) {
			while (performance.now() - wroteAt < pauseMs) {
				await sleep(pauseMs - (performance.now() - wroteAt) + 1);
			}

			return wroteAt;
		},
		/** Returns the processor time of the program so far, with the processes that it runs, in milliseconds. */
		cpuMs: () => sumOf(familyOf(child.pid), cpuMs),
		/** Returns the memory of the program, with the processes that it runs. */
		memoryMb: () => sumOf(familyOf(child.pid), memoryMb),
	};
}

export const sleep = ms => new Promise(resolve => setTimeout(resolve, ms));

/** Returns a process and those that descend from it (Linux): another program may be a launcher whose child does the work. */
function familyOf(pid) {
	const childrenOf = new Map();
	for (const name of readdirSync('/proc').filter(each => /^\d+$/.test(each))) {
		const parent = parentOf(name);
		childrenOf.set(parent, [...(childrenOf.get(parent) ?? []), Number(name)]);
	}

	const family = [pid];
	for (const each of family) {
		family.push(...(childrenOf.get(each) ?? []));
	}

	return family;
}

const sumOf = (pids, measure) => pids.reduce((sum, pid) => sum + measure(pid), 0);

/** Returns what `read` returns, or `otherwise` for a process or a thread that has ended. */
function unlessEnded(read, otherwise = 0) {
	try {
		return read();
	} catch {
		return otherwise;
	}
}

function parentOf(pid) {
	return unlessEnded(() => {
		const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
		return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
	}, -1);
}

function memoryMb(pid) {
	return unlessEnded(() => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024);
}

/** Returns the processor time of all threads of a process so far, in milliseconds (Linux). */
export function cpuMs(pid) {
	const folder = `/proc/${pid}/task`;
	const timeOf = thread => Number(readFileSync(join(folder, thread, 'schedstat'), 'utf8').split(' ')[0]) / 1e6;
	return sumOf(
		unlessEnded(() => readdirSync(folder), []),
		thread => unlessEnded(() => timeOf(thread)),
	);
}
