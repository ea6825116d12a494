import {readFileSync, statSync} from 'node:fs';
import {join} from 'node:path';
import type {Environment} from '../../core/environment.ts';
import {homePath} from '../../storage/home.ts';

/** Largest `settings.json` that is read. */
const maxBytes = 64 * 1024;

/**
 * Returns true if the user wants everything line by line: by the flag, `ACCESSIBLE` or the setting. The table of settings is
 * loaded only for a file that names the setting, because the first frame waits for this.
 */
export async function wantsAccessible(env: Environment, flag: boolean): Promise<boolean> {
	if (!flag && !env['ACCESSIBLE'] && !namesSetting(join(homePath(env), 'settings.json'))) {
		return false;
	}

	const {openUserSettings} = await import('./user-settings.ts');
	return openUserSettings(env, {...(flag && {accessible: true})}).value('accessible');
}

function namesSetting(file: string): boolean {
	try {
		const stats = statSync(file);
		return stats.isFile() && stats.size <= maxBytes && readFileSync(file, 'utf8').includes('"accessible"');
	} catch {
		return false;
	}
}
