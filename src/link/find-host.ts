import {spawn} from 'node:child_process';
import {randomUUID} from 'node:crypto';
import {hostname, userInfo} from 'node:os';
import process from 'node:process';
import {setTimeout as sleep} from 'node:timers/promises';
import type {Environment} from '../core/environment.ts';
import {AppError} from '../core/error.ts';
import {connectHost, type HostClient, isOtherVersion} from './host-client.ts';
import {connectionsTo} from './places.ts';
import type {HostedListing, Person, Rank} from './protocol.ts';
import {placeName} from './web-place.ts';

/** Returns the user and the machine of this process. */
export function personHere(): Person {
	let user = '';
	try {
		user = userInfo().username;
	} catch {
		// A container may run as a user without a name.
	}

	return {user: user || String(process.getuid?.() ?? 'user'), machine: hostname()};
}

type Wish = {
	/** Undefined for the host of this machine. */
	readonly at: string | undefined;
	readonly env: Environment;
	readonly version: string;
	/** The working folder, in which sessions begin that name none. */
	readonly folder?: string;
	/** True if the screen is drawn already. */
	readonly isDrawn?: boolean;
	/** The program that the connection speaks for; left out for a terminal of ours. */
	readonly client?: string;
	/** The most that it may do; everything without it. */
	readonly rank?: Rank | undefined;
};

/** Connects to the host at a place. Throws what `connectionsTo` and `connectHost` throw. */
export async function findHost({at, env, version, folder, isDrawn, client, rank}: Wish): Promise<HostClient> {
	const open = connectionsTo(at, env, {folder, isDrawn});
	return connectHost({
		open,
		version,
		at: at && placeName(at),
		terminal: randomUUID(),
		person: personHere(),
		client,
		rank,
	});
}

/** Returns the sessions of a host. */
export async function listHosted(client: Pick<HostClient, 'request'>): Promise<readonly HostedListing[]> {
	return (await client.request('_service/list', {})).sessions;
}

/** True for a host that another version of the program runs. */
export function isOther({welcome}: HostClient, version: string): boolean {
	return isOtherVersion(welcome(), version);
}

const tries = 200;
const tryMs = 50;

/**
 * Starts a host of this machine for these folders, as a process of its own that outlives this one. Resolves once it can be
 * reached. Throws AppError("failed") if it can't.
 */
export async function startHost(folders: readonly string[], env: Environment): Promise<void> {
	const [script = ''] = process.argv.slice(1);
	const child = spawn(process.execPath, [script, 'host', '--json', '--', ...folders], {
		detached: true,
		stdio: ['ignore', 'ignore', 'ignore'],
		env,
		cwd: folders[0],
	});
	let hasEnded = false;
	child.on('exit', () => {
		hasEnded = true;
	});
	child.on('error', () => {
		hasEnded = true;
	});
	child.unref();
	const open = connectionsTo(undefined, env);
	for (let count = 0; count < tries && !hasEnded; count++) {
		try {
			const {input} = await open();
			input.destroy();
			return;
		} catch {
			await sleep(tryMs);
		}
	}

	throw new AppError('failed', 'The host did not start.', {hint: 'See why: `$ host`'});
}

/** Waits until no host runs on this machine any more: one that was asked to end lets its runs end first. */
export async function untilHostEnded(env: Environment, signal: AbortSignal): Promise<void> {
	const open = connectionsTo(undefined, env);
	for (;;) {
		signal.throwIfAborted();
		try {
			const {input} = await open();
			input.destroy();
		} catch {
			return;
		}

		await sleep(tryMs);
	}
}
