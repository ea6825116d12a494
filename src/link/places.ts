import type {Environment} from '../core/environment.ts';
import {AppError} from '../core/error.ts';
import {openHome} from '../storage/home.ts';
import type {Pipes} from './json-lines.ts';
import {connectLocally} from './local-host.ts';
import {openSsh} from './ssh.ts';
import {isWebPlace, webConnections} from './web-place.ts';

/** What ssh takes as a destination: no flag, and nothing that a shell reads. */
const sshPlace = /^(?:ssh:\/\/)?[\w.+-]+@[\w.:[\]-]+$/;

type PlaceOptions = {
	/** The working folder, in which sessions begin that name none. */
	readonly folder?: string | undefined;
	/** True if the screen is drawn already, on which nothing may ask for a password; once it connected, it never does. */
	readonly isDrawn?: boolean | undefined;
};

/**
 * Returns what opens connections to the host at a place: this machine without one, `user@machine` through ssh, or the address
 * of a server with a pass. Throws AppError("usage") for another place.
 */
export function connectionsTo(
	at: string | undefined,
	env: Environment,
	{folder, isDrawn = false}: PlaceOptions = {},
): () => Promise<Pipes> {
	if (at === undefined) {
		return () => connectLocally(openHome(env), env, folder);
	}

	if (isWebPlace(at)) {
		return webConnections(at, env);
	}

	if (!sshPlace.test(at) || at.startsWith('-')) {
		throw new AppError('usage', `Invalid place of a host: “${at}”.`, {
			hint: 'Pass user@machine or https://host, or leave it out.',
		});
	}

	let isSilent = isDrawn;
	return async () => {
		const pipes = openSsh(at, env, isSilent);
		isSilent = true;
		return pipes;
	};
}
