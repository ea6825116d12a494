import {homedir} from 'node:os';
import {join} from 'node:path';

/** What no tool may show, wherever the working folder is. */
export type Places = {
	/** Where `service` keeps keys and sessions. */
	readonly stateFolder: string;
	/** Where the user is at home, as the system says it by default. */
	readonly homeFolder?: string;
};

/**
 * Where programs keep keys, tokens and passwords of the user, below the home folder: who works in that folder, or in one
 * that links there, has them in reach of the agent (SAFETY 13).
 */
const credentialPlaces: readonly string[] = [
	...['.service', '.ssh', '.gnupg', '.password-store', '.pki', '.vault-token', '.age'],
	...[
		'.aws',
		'.azure',
		'.boto',
		'.s3cfg',
		'.oci',
		'.kube',
		'.docker/config.json',
		'.terraform.d/credentials.tfrc.json',
	],
	...['.netrc', '_netrc', '.git-credentials', '.npmrc', '.yarnrc.yml', '.pypirc', '.gem/credentials'],
	...['.cargo/credentials', '.cargo/credentials.toml', '.m2/settings.xml', '.gradle/gradle.properties', '.nuget'],
	...['.pgpass', '.my.cnf', '.mylogin.cnf', '.databrickscfg', '.huggingface/token', '.cache/huggingface/token'],
	...['.claude.json', '.claude/.credentials.json', '.codex/auth.json', '.gemini/oauth_creds.json'],
	...['gh', 'glab-cli', 'hub', 'gcloud', 'git/credentials', 'op', 'doctl', 'rclone', 'sops', 'google-chrome'].map(
		name => `.config/${name}`,
	),
	...['.config/chromium', '.mozilla', '.local/share/keyrings', '.local/share/kwalletd', 'snap/firefox'],
	...['Library/Keychains', 'Library/Cookies', 'Library/Application Support/Google/Chrome'],
	...['Library/Application Support/Firefox', 'AppData/Local/Google/Chrome', 'AppData/Roaming/Mozilla'],
	...['AppData/Roaming/gcloud', 'AppData/Roaming/GitHub CLI', 'AppData/Roaming/Microsoft/Credentials'],
	...['.bash_history', '.zsh_history', '.python_history', '.node_repl_history', '.psql_history', '.mysql_history'],
	'.local/share/fish/fish_history',
];

/**
 * The kernel's files, because an environment holds keys, and where the system keeps passwords and keys, with their
 * copies.
 */
const systemPlaces: readonly string[] = [
	...['/proc', '/sys', '/dev', '/etc/shadow', '/etc/shadow-', '/etc/gshadow', '/etc/gshadow-', '/etc/sudoers'],
	...['/etc/sudoers.d', '/etc/ssl/private', '/etc/pki/tls/private', '/etc/NetworkManager/system-connections'],
];

/** Every place that is protected, as an absolute path; links are not resolved, and most of them do not exist. */
export function protectedPlaces({stateFolder, homeFolder = homedir()}: Places): readonly string[] {
	return [stateFolder, ...credentialPlaces.map(place => join(homeFolder, place)), ...systemPlaces];
}
