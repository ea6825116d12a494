import {spawn} from 'node:child_process';
import type {Environment} from '../core/environment.ts';
import {AppError, type ErrorCode, exitStatus} from '../core/error.ts';
import type {Pipes} from './json-lines.ts';

/** How much of what ssh says is kept for an error. */
const maxSaid = 4000;

/** How long ssh may take to end after its connection was closed here. */
const endMs = 1000;

/** A connection that carries nothing for 15 s has ended; forwarded ports of the user's other logins would stand in its way. */
const options = [
	'ConnectTimeout=10',
	'ServerAliveInterval=5',
	'ServerAliveCountMax=3',
	'ClearAllForwardings=yes',
	'RemoteCommand=none',
].flatMap(option => ['-o', option]);

/**
 * What runs at the other end, in any shell. Programs that a version manager installed are only on the PATH of login shells, whose
 * profiles may write lines of their own: they are no messages, and skipped.
 */
const name = 'service';
const bridge = `exec sh -c 'command -v ${name} >/dev/null 2>&1 && exec ${name} host bridge; exec "\${SHELL:-sh}" -lc "exec ${name} host bridge"'`;

/**
 * Runs ssh with the host's bridge at its other end: its own channel carries the connection, without a port or another login. One
 * that is silent asks for no password, as nothing may on a screen that is drawn, and hears no key of its terminal.
 */
export function openSsh(place: string, env: Environment, isSilent: boolean): Pipes {
	const silent = isSilent ? ['-o', 'BatchMode=yes'] : [];
	const child = spawn('ssh', [...silent, ...options, '-T', '--', place, bridge], {
		env,
		stdio: ['pipe', 'pipe', 'pipe'],
		detached: isSilent,
	});
	let said = '';
	child.stderr.setEncoding('utf8').on('data', (text: string) => {
		said = (said + text).slice(-maxSaid);
	});
	const closed = new Promise<AppError>(resolve => {
		child.on('close', status => resolve(explain(status, said, place)));
		child.on('error', error => resolve(notStarted(error)));
	});
	child.stdin.on('error', () => undefined);
	child.stdout.on('close', () => {
		// Where the network is gone, it would wait for an end that never comes.
		const timer = setTimeout(() => child.kill(), endMs);
		timer.unref();
		child.on('close', () => clearTimeout(timer));
	});
	return {input: child.stdout, output: child.stdin, failure: () => closed};
}

function notStarted(error: Error): AppError {
	return new AppError('failed', `Couldn't start ssh: ${error.message}.`, {
		hint: 'Install the OpenSSH client, then attach again.',
		cause: error,
	});
}

/** Returns the error of an ssh that ended before its bridge had connected. What it said is untrusted text. */
function explain(status: number | null, said: string, place: string): AppError {
	const machine = place.replace(/^.*@/, '');
	const lines = said.split('\n').flatMap(line => line.trim() || []);
	if (status === 127) {
		return new AppError('not-found', `The program is not installed on ${machine}.`, {
			hint: 'Install it there, on the PATH of its login shell.',
		});
	}

	if (status === exitStatus['not-found']) {
		return new AppError('not-found', `No host runs on ${machine}.`, {hint: 'Start one there: `$ host`'});
	}

	if (status !== 255) {
		const code = Object.entries(exitStatus).find(([, each]) => each === status)?.[0] as ErrorCode | undefined;
		return new AppError(code ?? 'network', `${machine}: ${lines[0] ?? 'The connection ended.'}`, {
			hint: 'Attach in a shell of that machine to see more.',
		});
	}

	if (/REMOTE HOST IDENTIFICATION HAS CHANGED/.test(said)) {
		return new AppError('auth', `The key of ${machine} is not the one that ssh knows.`, {
			hint: 'Ask who runs it. If the key was replaced, remove the old one from known_hosts.',
		});
	}

	if (/Host key verification failed/.test(said)) {
		return new AppError('auth', `ssh does not know the key of ${machine}.`, {
			hint: 'Log in with ssh in a shell once, and compare the key.',
		});
	}

	if (/Permission denied|Too many authentication failures/.test(said)) {
		return new AppError('auth', `${machine} refused the login (${place.replace(/^ssh:\/\//, '')}).`, {
			hint: 'Try it in a shell with ssh. To reconnect, it needs a key without a password, or an agent.',
		});
	}

	return new AppError('network', `Couldn't reach ${machine}: ${lines.at(-1) ?? 'ssh ended'}`, {
		hint: 'Check the name and the network, then attach again.',
	});
}
