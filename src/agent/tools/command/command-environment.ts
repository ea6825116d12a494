import type {Environment} from '../../../core/environment.ts';
import {childEnvironment} from '../child/child-environment.ts';

/** Where the tools of developers are and how they behave. None of these variables holds a secret. */
const tools =
	/^(?:SHELL|NODE_ENV|NODE_EXTRA_CA_CERTS|SSL_CERT_(?:FILE|DIR)|REQUESTS_CA_BUNDLE|XDG_(?:CACHE|CONFIG|DATA|STATE)_HOME|JAVA_HOME|GO(?:PATH|ROOT)|NVM_(?:DIR|BIN)|FNM_DIR|VOLTA_HOME|PNPM_HOME|BUN_INSTALL|DENO_DIR|VIRTUAL_ENV|CONDA_PREFIX|PYENV_ROOT|RBENV_ROOT|GEM_(?:HOME|PATH)|CARGO_HOME|RUSTUP_(?:HOME|TOOLCHAIN)|SDKMAN_DIR|ANDROID_(?:HOME|SDK_ROOT)|ASDF_(?:DIR|DATA_DIR)|MISE_DATA_DIR|HOMEBREW_PREFIX|NIX_(?:PATH|PROFILES|SSL_CERT_FILE))$/;

/** A proxy may have a password in its URL. */
const proxies = /^(?:https?|all|no)_proxy$/i;

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
	const kept: Record<string, string> = {};
	for (const [name, value] of Object.entries(env)) {
		if (value !== undefined && (tools.test(name) || (proxies.test(name) && !value.includes('@')))) {
			kept[name] = value;
		}
	}

	const common = {LANG: 'C.UTF-8', ...childEnvironment(env), ...kept, ...unattended, ...colorless};
	return isSandboxed ? {...common, ...sandboxed} : common;
}
