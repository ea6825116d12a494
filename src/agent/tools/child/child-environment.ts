import type {Environment} from '../../../core/environment.ts';
import {searchPath} from '../../../core/search-path.ts';

/** Variables that programs need, none of which holds a secret; those of Windows in any case. */
const basic =
	/^(?:PATH|HOME|USER|LOGNAME|LANG|LC_[A-Z]+|TZ|TMPDIR|TEMP|TMP|SystemRoot|SystemDrive|windir|USERPROFILE|HOMEDRIVE|HOMEPATH|APPDATA|LOCALAPPDATA|ProgramData|ProgramFiles(?:\(x86\))?|PATHEXT|COMSPEC)$/i;

/**
 * Returns the environment of child processes (SAFETY 15): an allow-list, so that no key reaches them. Relative entries of
 * PATH are dropped, because they would run the project's programs instead of the user's.
 */
export function childEnvironment(env: Environment): Readonly<Record<string, string>> {
	const kept: Record<string, string> = {};
	for (const [name, value] of Object.entries(env)) {
		const passed = value !== undefined && name.toUpperCase() === 'PATH' ? searchPath(value) : value;
		if (passed !== undefined && basic.test(name)) {
			kept[name] = passed;
		}
	}

	return kept;
}
