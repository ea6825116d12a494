import {createHash} from 'node:crypto';
import {chmodSync, lstatSync} from 'node:fs';
import {unlink} from 'node:fs/promises';
import {connect, createServer, type Server, type Socket} from 'node:net';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {type Environment, setVariables} from '../core/environment.ts';
import {AppError} from '../core/error.ts';
import {errnoOf, explainFileError} from '../storage/file-error.ts';
import {type Home, openHome} from '../storage/home.ts';
import {type Lock, tryLock} from '../storage/lock.ts';
import {assertOwner, readPrivateFile, replaceFile} from '../storage/private-file.ts';
import {makePrivateFolder, sweepTemporaryFiles} from '../storage/private-folder.ts';
import {lineOf, type Pipes} from './json-lines.ts';

/** The files of the host of this machine. */
type HostPlace = {
	readonly folder: string;
	readonly socket: string;
	/** What whoever connects must have read: only programs of the user can. */
	readonly tokenFile: string;
	readonly lockFile: string;
	/** Where it listens for WebSocket, if it does. */
	readonly urlFile: string;
};

/** The longest path that the address of a socket holds on every system. */
const maxSocketPath = 100;

const hint = 'Replace it with a folder of your own.';

/** Returns the files of the host. A state folder with a long path has its socket in the folder for temporary files. */
export function hostPlace({host}: Home): HostPlace {
	const short = join(tmpdir(), `service-${createHash('sha256').update(host).digest('hex').slice(0, 16)}`);
	const inHome = join(host, 'socket');
	return {
		folder: host,
		socket: inHome.length <= maxSocketPath ? inHome : join(short, 'socket'),
		tokenFile: join(host, 'token'),
		lockFile: join(host, 'lock'),
		urlFile: join(host, 'url'),
	};
}

export type ListeningHost = {
	readonly socket: string;
	/** Closes the socket, and lets another host begin. */
	readonly close: () => Promise<void>;
};

/**
 * Listens for programs of the user, which prove it with the token, on a socket with mode 0600, in a folder with mode 0700. The
 * socket of a host that was killed is replaced. Throws AppError("conflict") if a host runs already.
 */
export async function listenLocally(
	home: Home,
	token: string,
	onConnection: (socket: Socket) => void,
): Promise<ListeningHost> {
	const place = hostPlace(home);
	makePrivateFolder(place.folder, {hint});
	const lock = tryLock(place.lockFile);
	if (!('release' in lock)) {
		throw new AppError('conflict', `A host runs already (process ${lock.pid} on ${lock.host}).`, {
			hint: 'List its sessions: `$ attach`',
		});
	}

	try {
		sweepTemporaryFiles(place.folder);
		await replaceFile(place.tokenFile, token);
		const server = await listen(place, onConnection);
		return {socket: place.socket, close: () => close(server, place, lock)};
	} catch (error) {
		lock.release();
		throw error;
	}
}

async function listen({folder, socket}: HostPlace, onConnection: (socket: Socket) => void): Promise<Server> {
	const parent = join(socket, '..');
	if (parent !== folder) {
		makePrivateFolder(parent, {hint});
	}

	await unlink(socket).catch((error: unknown) => {
		if (errnoOf(error) !== 'ENOENT') {
			throw explainFileError(error, 'write', socket);
		}
	});
	const server = createServer({allowHalfOpen: false}, onConnection);
	const umask = process.umask(0o177);
	try {
		await new Promise<void>((resolve, reject) => {
			server.once('error', error => reject(explainFileError(error, 'create', socket)));
			server.listen(socket, resolve);
		});
	} finally {
		process.umask(umask);
	}

	chmodSync(socket, 0o600);
	return server;
}

async function close(server: Server, {socket}: HostPlace, lock: Lock): Promise<void> {
	if (lock.isHeld()) {
		await unlink(socket).catch(() => undefined);
	}

	await new Promise<void>(resolve => server.close(() => resolve()));
	lock.release();
}

/** Keeps where the host of this machine listens for WebSocket, for terminals of this machine; undefined for nowhere. */
export async function noteHostUrl(home: Home, url: string | undefined): Promise<void> {
	await replaceFile(hostPlace(home).urlFile, url ?? '');
}

/** Returns the token of the host of this machine, if that is what listens at an address: it is sent to no other (SAFETY 6). */
export function hostPassHere(server: string, env: Environment): string | undefined {
	const {urlFile, tokenFile} = hostPlace(openHome(env));
	return readPrivateFile(urlFile) === server ? readPrivateFile(tokenFile) : undefined;
}

/**
 * Connects to the host of this machine, and proves that this program reads the user's files. Throws AppError("not-found") if
 * none runs, and AppError("failed") for a socket that others could have made.
 */
export async function connectLocally(home: Home, env: Environment, folder?: string): Promise<Pipes> {
	const {socket: path, tokenFile} = hostPlace(home);
	const noHost = () => new AppError('not-found', 'No host runs on this machine.', {hint: 'Start one: `$ host`'});
	for (const each of [join(path, '..'), path]) {
		const stats = lstatSync(each, {throwIfNoEntry: false});
		if (!stats) {
			throw noHost();
		}

		assertOwner(stats, each);
		if (each === path ? !stats.isSocket() : (stats.mode & 0o077) !== 0) {
			throw new AppError('failed', `${each} is not private.`, {hint: 'Remove it, then start the host again.'});
		}
	}

	const socket = connect(path);
	await new Promise<void>((resolve, reject) => {
		socket.once('connect', resolve).once('error', error => {
			const isGone = ['ENOENT', 'ECONNREFUSED'].includes(errnoOf(error) ?? '');
			reject(isGone ? noHost() : explainFileError(error, 'read', path));
		});
	});
	const token = readPrivateFile(tokenFile) ?? '';
	socket.write(`${lineOf('_service/open', {token, environment: setVariables(env), folder})}\n`);
	return {input: socket, output: socket};
}
