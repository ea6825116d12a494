import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import type {Environment} from '../../../core/environment.ts';
import {AppError} from '../../../core/error.ts';
import {isLoopback} from '../../../core/origin.ts';
import {explainFileError} from '../../../storage/file-error.ts';

/** The files of a TLS client, as PEM. */
export type TlsFiles = {readonly ca: string; readonly cert: string; readonly key: string};

/** Where an engine with Docker's API is reached. */
export type EngineAddress =
	| {readonly kind: 'unix'; readonly path: string}
	| {readonly kind: 'tcp'; readonly host: string; readonly tls?: TlsFiles}
	| {readonly kind: 'ssh'; readonly destination: string; readonly port?: string};

const defaultSocket = 'unix:///var/run/docker.sock';

/**
 * Returns the address in `docker[=unix:///path|tcp://host:port|ssh://user@host]`, by default what DOCKER_HOST says, or
 * Docker's own socket. Over TCP, the client's certificate is in the folder DOCKER_CERT_PATH. Throws AppError("usage") for
 * any other text, and for plain HTTP to another machine (SAFETY 9).
 */
export function parseEngine(text: string, env: Environment): EngineAddress {
	const [kind, ...rest] = text.split('=');
	const given = rest.join('=');
	if (kind !== 'docker' || (rest.length > 0 && given === '')) {
		throw invalid(text);
	}

	const place = given || env['DOCKER_HOST'] || defaultSocket;
	const url = URL.canParse(place) ? new URL(place) : undefined;
	if (url?.protocol === 'unix:' && url.host === '' && url.pathname.length > 1) {
		return {kind: 'unix', path: decodeURIComponent(url.pathname)};
	}

	if (url?.protocol === 'tcp:' && url.port !== '' && ['', '/'].includes(url.pathname) && url.username === '') {
		return tcpAddress(url, env);
	}

	// Neither a user nor a host looks like an option of ssh.
	if (url?.protocol === 'ssh:' && /^(?:\w[\w.-]*@)?[\w[][\w.:[\]-]*$/.test(sshDestination(url))) {
		const destination = sshDestination(url);
		return url.port === '' ? {kind: 'ssh', destination} : {kind: 'ssh', destination, port: url.port};
	}

	throw invalid(place);
}

const sshDestination = ({username, hostname}: URL) =>
	`${username === '' ? '' : `${decodeURIComponent(username)}@`}${hostname}`;

function tcpAddress({host}: URL, env: Environment): EngineAddress {
	const folder = env['DOCKER_CERT_PATH'];
	if (folder) {
		const read = (name: string) => {
			const path = join(folder, name);
			try {
				return readFileSync(path, 'utf8');
			} catch (error) {
				throw explainFileError(error, 'read', path);
			}
		};
		return {kind: 'tcp', host, tls: {ca: read('ca.pem'), cert: read('cert.pem'), key: read('key.pem')}};
	}

	if (!isLoopback(new URL(`http://${host}`))) {
		throw new AppError('usage', `Plain HTTP to ${host} would give anyone on the network control of that machine.`, {
			hint: 'Set DOCKER_CERT_PATH to the folder with ca.pem, cert.pem and key.pem, or use ssh://user@host.',
		});
	}

	return {kind: 'tcp', host};
}

function invalid(text: string): AppError {
	return new AppError('usage', `Invalid engine “${text}”.`, {
		hint: 'Use --engine local, docker, docker=unix:///path, docker=tcp://host:port, docker=ssh://user@host or kubernetes.',
	});
}

/** Returns an address as users write it. */
export function formatAddress(address: EngineAddress): string {
	switch (address.kind) {
		case 'unix':
			return `unix://${address.path}`;
		case 'tcp':
			return `tcp://${address.host}`;
		default:
			return `ssh://${address.destination}${address.port === undefined ? '' : `:${address.port}`}`;
	}
}
