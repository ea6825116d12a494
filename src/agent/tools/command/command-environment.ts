import type {Environment} from '../../../core/environment.ts';
import {childEnvironment} from '../child/child-environment.ts';
import {toolVariables} from '../child/tool-variables.ts';

/** Nobody sees colours: the model reads plain text. */
export const colorless = {TERM: 'dumb', NO_COLOR: '1'};

/** Nobody can answer or scroll. */
export const unattended = {
	PAGER: 'cat',
	GIT_PAGER: 'cat',
	MANPAGER: 'cat',
	GIT_TERMINAL_PROMPT: '0',
	GIT_EDITOR: 'true',
	DEBIAN_FRONTEND: 'noninteractive',
	NO_UPDATE_NOTIFIER: '1',
};

/** In the sandbox the home folder is read-only, so caches that a program can't work without go to `/tmp`. */
const sandboxed = {TMPDIR: '/tmp', TMP: '/tmp', TEMP: '/tmp', GOCACHE: '/tmp/.cache/go-build', DOTNET_CLI_HOME: '/tmp'};

/** Returns the environment of a command (SAFETY 15): an allow-list without credentials, for a program without a user. */
export function commandEnvironment(env: Environment, isSandboxed: boolean): Readonly<Record<string, string>> {
	const common = {LANG: 'C.UTF-8', ...childEnvironment(env), ...toolVariables(env), ...unattended, ...colorless};
	return isSandboxed ? {...common, ...sandboxed} : common;
}
