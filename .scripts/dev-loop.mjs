import {spawn} from 'node:child_process';
import {watch} from 'node:fs';
import process from 'node:process';

/** How long files must stay unchanged: an editor or `git checkout` writes several. */
const quietMs = 100;
const stopTimeoutMs = 5000;

/**
 * Builds and runs a program, and again after each change of a file in `paths`. Returns the exit status of the
 * program once it ends by itself; after a failed build it waits for the next change.
 */
export async function devLoop({paths, build, start}) {
	const changes = watchAll(paths);
	try {
		for (;;) {
			const change = changes.next();
			const isBuilt = await build();
			if (change.isDone()) {
				continue;
			}

			if (!isBuilt) {
				process.stderr.write('The build failed. Waiting for a change.\n');
				await change.done;
				continue;
			}

			const program = start();
			const status = await Promise.race([program.ended, change.done]);
			if (status !== undefined) {
				return status;
			}

			await program.stop();
		}
	} finally {
		changes.close();
	}
}

function watchAll(paths) {
	let timer;
	let finish = () => undefined;
	const onChange = () => {
		clearTimeout(timer);
		timer = setTimeout(() => finish(), quietMs);
	};
	const watchers = paths.map(path => watch(path, {recursive: true}, onChange));

	return {
		/** Returns the next change from now on. */
		next() {
			let isDone = false;
			const done = new Promise(resolve => {
				finish = () => {
					isDone = true;
					resolve(undefined);
				};
			});
			return {done, isDone: () => isDone};
		},
		close() {
			clearTimeout(timer);
			for (const watcher of watchers) {
				watcher.close();
			}
		},
	};
}

/** Starts Node in this terminal. `stop` ends it and restores the terminal. */
export function startNode(args) {
	const child = spawn(process.execPath, args, {stdio: 'inherit'});
	// The terminal sends Ctrl+C to the program directly.
	const ignore = () => undefined;
	process.on('SIGINT', ignore);
	const closed = new Promise(resolve => child.once('close', resolve)).finally(() => process.off('SIGINT', ignore));
	return {
		ended: closed.then(status => status ?? 1),
		async stop() {
			child.kill('SIGTERM');
			const timer = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs);
			await closed;
			clearTimeout(timer);
			if (child.signalCode === 'SIGKILL') {
				restoreTerminal();
			}
		},
	};
}

/** Switches off what a killed program left on: keyboard protocol, paste, alternate screen, hidden cursor. */
function restoreTerminal() {
	if (process.stdin.isTTY) {
		process.stdin.setRawMode(true).setRawMode(false);
	}

	if (process.stdout.isTTY) {
		process.stdout.write('\u001b[<u\u001b[?2004l\u001b[?1049l\u001b[?25h\u001b[?2026l');
	}
}
