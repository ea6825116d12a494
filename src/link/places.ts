import {spawn} from 'node:child_process';
import type {Environment} from '../core/environment.ts';
import {AppError} from '../core/error.ts';
import {openHome} from '../storage/home.ts';
import type {Pipes} from './json-lines.ts';
import {connectLocally} from './local-host.ts';
import {isWebPlace, webConnections} from './web-place.ts';

/** What ssh takes as a destination: no flag, and nothing that a shell reads. */
const sshPlace = /^(?:ssh:\/\/)?[\w.+-]+@[\w.:[\]-]+$/;

/**
 * Returns what opens connections to the host at a place: this machine without one, `user@machine` through ssh, or the address
 * of a server with a pass. Throws AppError("usage") for another place.
 */
export function connectionsTo(at: string | undefined, env: Environment, folder?: string): () => Promise<Pipes> {
	if (at === undefined) {
		return () => connectLocally(openHome(env), env, folder);
	}

	if (isWebPlace(at)) {
		return webConnections(at, env);
	}

	if (!sshPlace.test(at) || at.startsWith('-')) {
		throw new AppError('usage', `“${at}” is no place of a host.`, {
			hint: 'Pass user@machine or https://host, or leave it out.',
		});
	}

	let isFirst = true;
	return async () => {
		// Once the screen is drawn, nothing may ask for a password on it.
		const silent = isFirst ? [] : ['-o', 'BatchMode=yes'];
		isFirst = false;
		return openSsh([...silent, '-T', '--', at, 'service', 'host', 'bridge'], env);
	};
}

/** How much of what ssh says is kept for an error. */
const maxSaid = 2000;

/** Runs ssh with the host's bridge at its other end: its own channel carries the connection, without a port or another login. */
function openSsh(args: readonly string[], env: Environment): Pipes {
	const child = spawn('ssh', [...args], {env, stdio: ['pipe', 'pipe', 'pipe']});
	let said = '';
	child.stderr.setEncoding('utf8').on('data', (text: string) => {
		said = (said + text).slice(-maxSaid);
	});
	const closed = new Promise<void>(resolve => {
		child.on('close', () => resolve());
		child.on('error', error => {
			said ||= `ssh didn't start: ${error.message}`;
			resolve();
		});
	});
	child.stdin.on('error', () => undefined);
	return {
		input: child.stdout,
		output: child.stdin,
		async failure() {
			await closed;
			return said.trim();
		},
	};
}
