import {chmodSync, closeSync, openSync, readdirSync} from 'node:fs';
import {join, resolve} from 'node:path';
import type {Environment} from '../../core/environment.ts';
import {AppError} from '../../core/error.ts';
import {explainFileError} from '../../storage/file-error.ts';
import {openHome} from '../../storage/home.ts';
import {makeFolder} from '../../storage/private-folder.ts';
import {type DatabasePlace, placeOf} from '../database/place.ts';

/** Where a server keeps what it has. */
export type DataPlace = {
	/** A folder of this user alone: logs of sandboxes, artifacts, and SQLite's file. Absolute. */
	readonly folder: string;
	readonly place: DatabasePlace;
};

type Named = {
	/** The folder, `server` in the state folder by default. */
	readonly data?: string | undefined;
	/** The URL of a PostgreSQL server, which keeps the database instead of SQLite. */
	readonly database?: string | undefined;
};

/**
 * Finds the data of a server, and makes its folder, which nobody else may read (SAFETY 10). Throws `usage` for a database
 * that is no PostgreSQL, `failed` for a folder that cannot be made.
 */
export function openDataFolder(env: Environment, {data, database}: Named): DataPlace {
	const place = database === undefined ? undefined : placeOf(database);
	const folder = data === undefined ? openHome(env).server : resolve(data);
	try {
		makeFolder(folder);
		const names = readdirSync(folder);
		if (names.length > 0 && !names.includes(mark)) {
			throw new AppError('usage', `${folder} already contains other files.`, {
				hint: 'Use an empty or new folder for --data.',
			});
		}

		chmodSync(folder, 0o700);
		privateFile(join(folder, mark));
		return {folder, place: place ?? {engine: 'sqlite', file: privateFile(join(folder, 'service.db'))}};
	} catch (error) {
		throw explainFileError(error, 'create', folder);
	}
}

/** The file by which a folder of ours is known: no other one's mode is changed, whatever `--data` says. */
const mark = '.service-data';

/** Creates a private file. SQLite would use the umask, and gives the files beside it the mode of the database. */
export function privateFile(path: string): string {
	closeSync(openSync(path, 'a', 0o600));
	chmodSync(path, 0o600);
	return path;
}
