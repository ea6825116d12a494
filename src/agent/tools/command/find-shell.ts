import {existsSync} from 'node:fs';

/** Returns the shell that runs commands: bash, or else sh. */
export function findShell(): string {
	return ['/bin/bash', '/usr/bin/bash', '/usr/local/bin/bash'].find(existsSync) ?? '/bin/sh';
}
