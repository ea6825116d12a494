import {chmodSync, closeSync, openSync, readdirSync} from 'node:fs';
import {join, resolve} from 'node:path';
import type {Environment} from '../../core/environment.ts';
import {AppError} from '../../core/error.ts';
import {explainFileError} from '../../storage/file-error.ts';
import {openHome} from '../../storage/home.ts';
import {makeFolder} from '../../storage/private-folder.ts';
import {type DatabaseLocation, parseDatabaseUrl} from '../database/location.ts';

/** Where a server keeps its data. */
export type DataLocation = {
	/** A private folder for sandbox logs, artifacts and the SQLite file; an absolute path. */
	readonly folder: string;
	readonly location: DatabaseLocation;
};

type Named = {
	/** The folder; by default `server` in the state folder. */
	readonly data?: string | undefined;
	/** The URL of a PostgreSQL server to use instead of SQLite. */
	readonly database?: string | undefined;
};

/**
 * Opens the data folder of a server, and creates it as a private folder (SAFETY 10). Throws AppError("usage") for a
 * database URL other than PostgreSQL, and AppError("failed") if the folder can't be created.
 */
export function openDataFolder(env: Environment, {data, database}: Named): DataLocation {
	const location = database === undefined ? undefined : parseDatabaseUrl(database);
	const folder = data === undefined ? openHome(env).server : resolve(data);
	try {
		makeFolder(folder);
		const names = readdirSync(folder);
		if (names.length > 0 && !names.includes(markerFile)) {
			throw new AppError('usage', `${folder} already contains other files.`, {
				hint: 'Use an empty or new folder for --data.',
			});
		}

		chmodSync(folder, 0o700);
		privateFile(join(folder, markerFile));
		return {folder, location: location ?? {engine: 'sqlite', file: privateFile(join(folder, 'service.db'))}};
	} catch (error) {
		throw explainFileError(error, 'create', folder);
	}
}

/** The file that identifies a data folder. The mode of any other folder is never changed, whatever `--data` names. */
const markerFile = '.service-data';

/** Creates a private file. SQLite would use the umask, and copies the database's mode to the files beside it. */
export function privateFile(path: string): string {
	closeSync(openSync(path, 'a', 0o600));
	chmodSync(path, 0o600);
	return path;
}
