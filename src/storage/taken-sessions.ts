import {existsSync, readdirSync} from 'node:fs';
import {unlink} from 'node:fs/promises';
import {join} from 'node:path';
import {isUuid} from '../core/uuid.ts';
import type {Home} from './home.ts';
import {readPrivateFile, replaceFile} from './private-file.ts';
import {makePrivateFolder} from './private-folder.ts';

/**
 * Keeps the id that a session of a host gets here, while it is taken from there: after a crash, the host is told whether it is here. Each
 * is a file with the id that the session has on the host as its name.
 */
export type TakenSessions = {
	/** Returns those whose id on the host begins so. */
	readonly list: (prefix: string) => ReadonlyArray<{readonly session: string; readonly key: string}>;
	readonly keep: (session: string, key: string) => Promise<void>;
	readonly remove: (session: string) => Promise<void>;
};

/** Opens what is kept in the state folder. */
export function openTakenSessions({path}: Home): TakenSessions {
	const folder = join(path, 'taken');
	const placeOf = (session: string) => join(folder, session);
	return {
		list(prefix) {
			const names = existsSync(folder) ? readdirSync(folder) : [];
			return names.filter(isUuid).flatMap(session => {
				const key = readPrivateFile(placeOf(session))?.trim() ?? '';
				return session.startsWith(prefix.trim().toLowerCase()) && isUuid(key) ? [{session, key}] : [];
			});
		},
		async keep(session, key) {
			makePrivateFolder(folder, {hint: 'Replace it with a folder of your own.'});
			await replaceFile(placeOf(session), `${key}\n`);
		},
		remove: session => unlink(placeOf(session)).catch(() => undefined),
	};
}
