import Conf from 'conf';
import {explainFileError} from '../storage/file-error.ts';
import type {Home} from '../storage/home.ts';
import {assertNoLink, syncFolder} from '../storage/private-file.ts';

/**
 * Replaces `config.json` through conf: a temporary file with mode 0600 beside it, fsync, rename. conf follows links and
 * does not sync the folder, so this function checks for links and syncs (SAFETY 10). The caller holds the lock and has
 * validated `value`. Throws AppError("failed") if the disk refuses. Only this file imports conf, which loads slowly:
 * import it on the first write.
 */
export async function writeStore(home: Home, value: Record<string, unknown>): Promise<void> {
	try {
		await assertNoLink(home.configFile);
		const conf = new Conf<Record<string, unknown>>({
			cwd: home.path,
			configName: 'config',
			configFileMode: 0o600,
			accessPropertiesByDotNotation: false,
		});
		conf.store = value;
		await syncFolder(home.path);
	} catch (error) {
		throw explainFileError(error, 'write', home.configFile);
	}
}
