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
		rmSync(home, {recursive: true, force: true});
	}
}

/** Starts Node, or another command, with these arguments in a terminal of 100x30, as a program whose state is in `home`. */
export function start(args, {home, env = {}, command = process.execPath, timeoutMs = 120_000}) {
	const startedAt = performance.now();
	const child = pty.spawn(command, args, {
		cols: 100,
		rows: 30,
		// The app would ask about the home folder itself.
		cwd: join(home, 'project'),
		env: {
			PATH: process.env.PATH,
			HOME: home,
			SERVICE_HOME: join(home, '.service'),
			SERVICE_KEYCHAIN: 'off',
			TERM: 'xterm-256color',
			...env,
		},
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
		kill: () => child.kill('SIGKILL'),
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
		cpuMs: () => cpuMs(child.pid),
		memoryMb: () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))[1]) / 1024,
	};
}

export const sleep = ms => new Promise(resolve => setTimeout(resolve, ms));

/** Returns the processor time of all threads of a process so far, in milliseconds (Linux). */
export function cpuMs(pid) {
	const folder = `/proc/${pid}/task`;
	return readdirSync(folder).reduce((sum, thread) => {
		try {
			return sum + Number(readFileSync(join(folder, thread, 'schedstat'), 'utf8').split(' ')[0]) / 1e6;
		} catch {
			// The thread has ended.
			return sum;
		}
	}, 0);
}
