import {linkPath} from '../contract/hosting.ts';
import type {Environment} from '../core/environment.ts';
import {AppError} from '../core/error.ts';
import {isJsonObject, parseJson} from '../core/json.ts';
import {isUrl, type Origin, originOf} from '../core/origin.ts';
import {secret} from '../core/secrets/secret.ts';
import type {Pipes} from './json-lines.ts';

/** A host that is reached over HTTP, and what proves who attaches. */
export type WebPlace = {
	/** The address of the server, or of the host itself, with its path if it has one. */
	readonly server: Origin;
	/** The code of a link: it works once. */
	readonly code: string | undefined;
	/** What a login, a code or the token of the host was exchanged for. Only in memory. */
	readonly pass: string | undefined;
};

/** Returns whether a place is reached over HTTP. */
export function isWebPlace(at: string): boolean {
	return isUrl(at);
}

/** Reads `https://host[/path][/join/code]`. Throws AppError("usage") for an invalid address. */
export function readWebPlace(at: string): WebPlace {
	const [address = '', pass] = at.trim().split('#');
	const [, before, code] = /^(.*?)\/join\/([\w-]{8,100})\/?$/.exec(address) ?? [];
	return {server: originOf(before ?? address), code, pass: pass || undefined};
}

/** Returns a place as `attach --at` reads it, without what proves the login: it may be printed. */
export function placeName(at: string): string {
	return isWebPlace(at) ? readWebPlace(at).server : at;
}

/** Returns the place for terminals that have a pass. */
export function placeWithPass(server: Origin, pass: string): string {
	return `${server}#${pass}`;
}

/**
 * Returns what opens connections to a place with a pass. They throw AppError("auth") once the login or the link has ended, which
 * no further attempt helps, and AppError("network") while the host can't be reached.
 */
export function webConnections(at: string, env: Environment): () => Promise<Pipes> {
	const {server, pass} = readWebPlace(at);
	if (pass === undefined) {
		throw new AppError('auth', `Nothing proves to ${server} who you are.`, {hint: `Attach: \`attach --at ${server}\``});
	}

	return async () => {
		const {dialSocket} = await import('../net/web-socket/dial-socket.ts');
		const credential = {origin: server, kind: 'bearer', secret: secret(pass)} as const;
		const dialed = await dialSocket({path: linkPath, credential, env, userAgent: 'service'});
		if ('status' in dialed) {
			throw refusedLink(server, dialed.status, dialed.text);
		}

		return {input: dialed.stream, output: dialed.stream};
	};
}

/** The error of a host that refuses a terminal, with the reason that it gives. */
export function refusedLink(server: string, status: number, text: string): AppError {
	const body = parseJson(text);
	const reason = isJsonObject(body) && typeof body['detail'] === 'string' ? body['detail'].slice(0, 300) : undefined;
	if (status === 401 || status === 403) {
		return new AppError('auth', reason ?? `${server} refused this terminal (status ${status}).`, {
			hint: `Attach again: \`$ attach --at ${server}\`, or ask for another link.`,
		});
	}

	if (status === 404 || status === 405) {
		return new AppError('not-found', `${server} hosts no sessions.`, {
			hint: 'Its operator starts that with `$ serve --host-sessions`.',
		});
	}

	return new AppError('network', `${server} can't be attached to (status ${status})${reason ? `: ${reason}` : '.'}`, {
		hint: 'Try again later. A proxy in front of it must pass WebSocket on.',
	});
}
