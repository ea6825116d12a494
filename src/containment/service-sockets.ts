import {realpathSync, statSync} from 'node:fs';
import {readText} from './machine.ts';

/** Folders of sockets, those of the system and those that any user may create. */
export const socketFolders = ['/run', '/var/run', '/var/tmp'];

/** What looks up users and hosts: without it a user of a directory has no name. */
const nameServices = '/var/lib/sss/pipes/';

/**
 * Returns the sockets of services in places that a program sees: a read-only mount keeps nobody from connecting. The kernel
 * lists those that have a path, but none that another network or another root folder has.
 */
export function serviceSockets(isSeen: (path: string) => boolean): readonly string[] {
	const paths = readText('/proc/net/unix')
		.split('\n')
		.map(line => realSocket(/^(?:\S+ +){7}(\/.*)$/.exec(line)?.[1] ?? ''))
		.filter(path => path !== undefined && isSeen(path) && !path.startsWith(nameServices));
	return [...new Set(paths)].map(String);
}

function realSocket(path: string): string | undefined {
	try {
		return path !== '' && statSync(path).isSocket() ? realpathSync(path) : undefined;
	} catch {
		// It is gone, or this user can't find it.
		return undefined;
	}
}
