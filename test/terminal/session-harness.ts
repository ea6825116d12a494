import {EventEmitter} from 'node:events';
import {createTerminalSession} from '../../src/terminal/terminal-session.ts';

/** A session between a terminal and a process that only record what happens. */
export function harness(environment: Readonly<Record<string, string>> = {TERM: 'xterm-256color'}, isTTY = true) {
	const written: string[] = [];
	const killed: (readonly [number, NodeJS.Signals])[] = [];
	const calls: string[] = [];
	const hooks = Object.assign(new EventEmitter(), {
		pid: 42,
		kill: (pid: number, signal: NodeJS.Signals) => {
			killed.push([pid, signal]);
		},
	});
	const session = createTerminalSession({
		stdout: {isTTY, write: text => written.push(text)},
		process: hooks,
		environment,
		onSuspend: () => calls.push('suspend'),
		onResume: () => calls.push('resume'),
	});
	/** Returns what was written since the last call. */
	const output = () => written.splice(0).join('');
	return {session, hooks, killed, calls, output};
}
