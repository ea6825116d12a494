import {homedir} from 'node:os';
import {join} from 'node:path';
import type {FileRules} from './rules/rule.ts';

/** Where to find what no tool may show. */
export type Places = {
	/** The folder in which `service` keeps keys and sessions. */
	readonly stateFolder: string;
	/** The user's home folder; that of the system by default. */
	readonly homeFolder?: string;
	/** Returns the rules of the moment: what they deny is refused wherever a file is opened. */
	readonly rules?: () => FileRules;
	/** Returns the commands of the hooks in effect: what they run asks before it is changed, and a command can't change it. */
	readonly hooks?: () => Promise<readonly string[]>;
};

/**
 * Where programs keep the user's keys, tokens and passwords, below the home folder. They are within reach of the agent if
 * the user works in that folder, or in one that links there (SAFETY 13).
 */
const credentialPlaces: readonly string[] = [
	'.service',
	'.ssh',
	'.gnupg',
	'.password-store',
	'.pki',
	'.vault-token',
	'.age',
	'.aws',
	'.azure',
	'.boto',
	'.s3cfg',
	'.oci',
	'.kube',
	'.docker/config.json',
	'.terraform.d/credentials.tfrc.json',
	'.netrc',
	'_netrc',
	'.git-credentials',
	'.npmrc',
	'.yarnrc.yml',
	'.pypirc',
	'.gem/credentials',
	'.cargo/credentials',
	'.cargo/credentials.toml',
	'.m2/settings.xml',
	'.gradle/gradle.properties',
	'.nuget',
	'.pgpass',
	'.my.cnf',
	'.mylogin.cnf',
	'.databrickscfg',
	'.huggingface/token',
	'.cache/huggingface/token',
	'.claude.json',
	'.claude/.credentials.json',
	'.codex/auth.json',
	'.gemini/oauth_creds.json',
	...['gh', 'glab-cli', 'hub', 'gcloud', 'git/credentials', 'op', 'doctl', 'rclone', 'sops', 'google-chrome'].map(
		name => `.config/${name}`,
	),
	'.config/chromium',
	'.mozilla',
	'.local/share/keyrings',
	'.local/share/kwalletd',
	'snap/firefox',
	'Library/Keychains',
	'Library/Cookies',
	'Library/Application Support/Google/Chrome',
	'Library/Application Support/Firefox',
	'AppData/Local/Google/Chrome',
	'AppData/Roaming/Mozilla',
	'AppData/Roaming/gcloud',
	'AppData/Roaming/GitHub CLI',
	'AppData/Roaming/Microsoft/Credentials',
	'.bash_history',
	'.zsh_history',
	'.python_history',
	'.node_repl_history',
	'.psql_history',
	'.mysql_history',
	'.local/share/fish/fish_history',
];

/** Kernel files, because an environment may hold keys, and the system's passwords and keys with their backups. */
const systemPlaces: readonly string[] = [
	'/proc',
	'/sys',
	'/dev',
	'/etc/shadow',
	'/etc/shadow-',
	'/etc/gshadow',
	'/etc/gshadow-',
	'/etc/sudoers',
	'/etc/sudoers.d',
	'/etc/ssl/private',
	'/etc/pki/tls/private',
	'/etc/NetworkManager/system-connections',
];

/**
 * What a shell, a login or git obeys at its start: whoever writes one of these runs a command later (SAFETY 13). Below the
 * home folder.
 */
const startupPlaces: readonly string[] = [
	'.bashrc',
	'.bash_profile',
	'.bash_login',
	'.bash_logout',
	'.bash_aliases',
	'.bash_completion',
	'.profile',
	'.zshrc',
	'.zshenv',
	'.zprofile',
	'.zlogin',
	'.zlogout',
	'.config/zsh',
	'.oh-my-zsh',
	'.config/fish',
	'.cshrc',
	'.tcshrc',
	'.login',
	'.logout',
	'.kshrc',
	'.mkshrc',
	'.inputrc',
	'.config/nushell',
	'.config/powershell',
	'.xprofile',
	'.xsession',
	'.xsessionrc',
	'.xinitrc',
	'.pam_environment',
	'.config/environment.d',
	'.config/direnv',
	'.config/autostart',
	'.config/systemd',
	'.local/share/systemd',
	'Library/LaunchAgents',
	'.gitconfig',
	'.config/git',
	'Documents/PowerShell',
	'Documents/WindowsPowerShell',
];

/** The same for all users of the system. */
const systemStartupPlaces: readonly string[] = [
	'/etc/profile',
	'/etc/profile.d',
	'/etc/bash.bashrc',
	'/etc/zsh',
	'/etc/environment',
	'/etc/ld.so.preload',
	'/etc/crontab',
	'/etc/cron.d',
	'/var/spool/cron',
	'/etc/systemd',
	'/etc/pam.d',
];

/** Returns every place that is never written, as an absolute path: protected places and start-up files. */
export async function unwritablePlaces(places: Places): Promise<readonly string[]> {
	const {homeFolder = homedir()} = places;
	const startup = startupPlaces.map(place => join(homeFolder, place));
	return [...protectedPlaces(places), ...startup, ...systemStartupPlaces];
}

/** Returns every protected place as an absolute path. Links are not resolved, and most places don't exist. */
export function protectedPlaces({stateFolder, homeFolder = homedir()}: Places): readonly string[] {
	return [stateFolder, ...credentialPlaces.map(place => join(homeFolder, place)), ...systemPlaces];
}
