import type {Environment} from '../../../core/environment.ts';
import {searchPath} from '../../../core/search-path.ts';

/** What a program needs to run, and nothing that could be a secret. */
const allowed =
	/^(?:PATH|HOME|USER|LOGNAME|LANG|LC_[A-Z]+|TZ|TMPDIR|TEMP|TMP|SystemRoot|windir|USERPROFILE|PATHEXT|COMSPEC)$/i;

/**
 * The environment that child processes get (SAFETY 15): an allow-list, so that no key is handed on. Relative entries of
 * PATH are dropped, because they would run programs of the project instead of the user's own.
 */
export function childEnvironment(env: Environment): Readonly<Record<string, string>> {
	const kept: Record<string, string> = {};
	for (const [name, value] of Object.entries(env)) {
		const passed = value !== undefined && name.toUpperCase() === 'PATH' ? searchPath(value) : value;
		if (passed !== undefined && allowed.test(name)) {
			kept[name] = passed;
		}
	}

	return kept;
}
