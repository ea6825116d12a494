import type {Environment} from '../../../core/environment.ts';

/** Where the tools of developers are, and how they behave. */
const tools =
	/^(?:SHELL|NODE_ENV|XDG_(?:CACHE|CONFIG|DATA|STATE)_HOME|JAVA_HOME|GO(?:PATH|ROOT)|NVM_(?:DIR|BIN)|FNM_DIR|VOLTA_HOME|PNPM_HOME|BUN_INSTALL|DENO_DIR|VIRTUAL_ENV|CONDA_PREFIX|PYENV_ROOT|RBENV_ROOT|GEM_(?:HOME|PATH)|CARGO_HOME|RUSTUP_(?:HOME|TOOLCHAIN)|SDKMAN_DIR|ANDROID_(?:HOME|SDK_ROOT)|ASDF_(?:DIR|DATA_DIR)|MISE_DATA_DIR|HOMEBREW_PREFIX|NIX_(?:PATH|PROFILES)|UV_CACHE_DIR|NPM_CONFIG_(?:PREFIX|CACHE|REGISTRY))$/i;

/** The certificates that programs trust. */
const certificates =
	/^(?:NODE_EXTRA_CA_CERTS|NODE_USE_SYSTEM_CA|SSL_CERT_(?:FILE|DIR)|NIX_SSL_CERT_FILE|REQUESTS_CA_BUNDLE|CURL_CA_BUNDLE|AWS_CA_BUNDLE|GIT_SSL_CAINFO|PIP_CERT|NPM_CONFIG_CAFILE|UV_(?:NATIVE_TLS|SYSTEM_CERTS))$/i;

const proxies = /^(?:(?:https?|all|no)_proxy|NODE_USE_ENV_PROXY)$/i;

/** A URL with a user name or a password: a proxy may have one, and a package registry. */
const hasCredential = /^[^/]*@|:\/\/[^/]*@/;

/**
 * Returns the variables that programs of the user need beside `childEnvironment` (SAFETY 15): commands, hooks and MCP servers get
 * the same. What has a user name or a password in it is left out.
 */
export function toolVariables(env: Environment): Readonly<Record<string, string>> {
	const kept: Record<string, string> = {};
	for (const [name, value] of Object.entries(env)) {
		const isAllowed = [tools, certificates, proxies].some(each => each.test(name));
		if (value !== undefined && isAllowed && !hasCredential.test(value)) {
			kept[name] = value;
		}
	}

	return kept;
}
