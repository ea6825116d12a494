import {once} from 'node:events';
import {createServer, type ServerResponse} from 'node:http';
import type {AddressInfo} from 'node:net';
import {AppError} from '../../../core/error.ts';
import {timingSafeEquals} from '../../../core/secrets/timing-safe-equals.ts';
import {safeLine} from '../../../terminal/text/safe-text.ts';

/** What the authorization server sent back with the browser. */
export type LoginAnswer = {readonly code: string; readonly iss: string | undefined};

/** Waits for the browser on this machine. */
export type Callback = {
	/** Where the browser is sent after the login. */
	readonly redirectUrl: string;
	/** Resolves when the browser comes with this state. Throws AppError("auth") if the login was refused. */
	readonly answer: (state: string) => Promise<LoginAnswer>;
	readonly close: () => void;
};

const path = '/oauth/callback';
const maxReason = 200;

/** Listens on a loopback port (RFC 8252, section 7.3). */
export async function listenForCallback(): Promise<Callback> {
	let take: ((query: URLSearchParams) => boolean) | undefined;
	const listener = createServer((request, response) => {
		const url = new URL(request.url ?? '/', redirectUrl());
		const isOurs =
			request.method === 'GET' && url.pathname === path && request.headers.host === new URL(redirectUrl()).host;
		const isTaken = isOurs && (take?.(url.searchParams) ?? false);
		reply(response, isTaken ? 200 : 400, isTaken ? 'You can close this window.' : 'This login is not running here.');
	});
	const redirectUrl = () => `http://127.0.0.1:${(listener.address() as AddressInfo | null)?.port ?? 0}${path}`;
	listener.listen(0, '127.0.0.1');
	await once(listener, 'listening');
	return {
		redirectUrl: redirectUrl(),
		answer: state =>
			new Promise((resolve, reject) => {
				take = query => {
					const read = readAnswer(query, state);
					if (read === undefined) {
						return false;
					}

					take = undefined;
					if (read instanceof AppError) {
						reject(read);
					} else {
						resolve(read);
					}

					return true;
				};
			}),
		close() {
			listener.close();
			listener.closeAllConnections();
		},
	};
}

function reply(response: ServerResponse, status: number, text: string): void {
	response.writeHead(status, {
		'content-type': 'text/plain; charset=utf-8',
		'content-security-policy': "default-src 'none'",
		'cache-control': 'no-store',
		'referrer-policy': 'no-referrer',
		connection: 'close',
	});
	response.end(`${text}\n`);
}

/** Reads an answer; undefined if it isn't that of this login: its state is checked first. */
export function readAnswer(query: URLSearchParams, state: string): LoginAnswer | AppError | undefined {
	if (!timingSafeEquals(query.get('state') ?? '', state)) {
		return undefined;
	}

	const error = query.get('error');
	if (error !== null) {
		const reason = safeLine((query.get('error_description') || error).slice(0, maxReason));
		return new AppError('auth', `The login was refused: ${reason.replace(/\.$/, '')}.`, {hint: 'Try again.'});
	}

	const code = query.get('code');
	return code ? {code, iss: query.get('iss') ?? undefined} : undefined;
}
