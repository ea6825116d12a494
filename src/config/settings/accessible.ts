import {readFileSync, statSync} from 'node:fs';
import {join} from 'node:path';
import type {Environment} from '../../core/environment.ts';
import {homePath} from '../../storage/home.ts';
import {wantsWords} from '../../terminal/abilities.ts';

/** Largest `settings.json` that is read. */
const maxBytes = 64 * 1024;

/**
 * Returns true if the user wants everything line by line: by the flag, `ACCESSIBLE` or the setting. The table of settings is
 * loaded only for a file that names the setting, because the first frame waits for this.
 */
export async function wantsAccessible(env: Environment, flag: boolean): Promise<boolean> {
	const folder = folderOf(env);
	if (folder === undefined || (!flag && !env['ACCESSIBLE'] && !namesSetting(join(folder, 'settings.json')))) {
		return flag || wantsWords(env);
	}

	const {openUserSettings} = await import('./user-settings.ts');
	return openUserSettings(env, {...(flag && {accessible: true})}).value('accessible');
}

/** Returns the state folder; undefined for a user without any, which is reported once something needs it. */
function folderOf(env: Environment): string | undefined {
	try {
		return homePath(env);
	} catch {
		return undefined;
	}
}

function namesSetting(file: string): boolean {
	try {
		const stats = statSync(file);
		return stats.isFile() && stats.size <= maxBytes && readFileSync(file, 'utf8').includes('"accessible"');
	} catch {
		return false;
	}
}
