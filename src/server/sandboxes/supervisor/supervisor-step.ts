import {spawn} from 'node:child_process';
import {setPriority} from 'node:os';
import type {SupervisorPlan} from './supervisor-plan.ts';

type Ended = {readonly status: number | null; readonly signal: string | null; readonly description: string};

type Handlers = {
	readonly write: (bytes: Buffer) => void;
	readonly onStart: (pid: number) => void;
	readonly onExit: () => void;
};

/** Lower than everything that supervises it (a niceness). */
const priority = 5;

/** How long to wait for processes that hold the output pipe of an ended step. */
const drainMs = 500;

/** Runs a program in a process group of its own. Never throws: a program that can't be started has the status 127. */
export function runStep(
	[file = '', ...args]: readonly string[],
	{cwd, environment}: SupervisorPlan,
	{write, onStart, onExit}: Handlers,
): Promise<Ended> {
	return new Promise(resolve => {
		const child = spawn(file, args, {cwd, env: environment, stdio: ['ignore', 'pipe', 'pipe'], detached: true});
		if (child.pid !== undefined) {
			yieldTo(child.pid);
			onStart(child.pid);
		}

		child.stdout.on('data', write);
		child.stderr.on('data', write);
		child.once('error', error => {
			resolve({status: 127, signal: null, description: `cannot be started: ${error.message}`});
		});
		child.once('exit', (status, signal) => {
			const ended = {status, signal, description: signal ? `ended by ${signal}` : `ended with status ${status}`};
			onExit();
			child.once('close', () => resolve(ended));
			setTimeout(() => resolve(ended), drainMs);
		});
	});
}

function yieldTo(pid: number): void {
	try {
		setPriority(pid, priority);
	} catch {
		// It has ended.
	}
}
