import {realpathSync} from 'node:fs';
import {createRuleBook, type RuleBook} from '../agent/approval/rule-book.ts';
import {parseNewRule} from '../agent/policy/rules/rule.ts';
import {createProject, type Project} from '../agent/project/project.ts';
import {type Config, openConfig} from '../config/config.ts';
import {createFolderAccess, type FolderAccess} from '../config/folder-access.ts';
import {createKnownSecrets, type KnownSecrets} from '../config/known-secrets.ts';
import {openTrustStore} from '../config/project/trust-store.ts';
import {openRecents, type Recents} from '../config/recents.ts';
import {openUserSettings, type UserSettings} from '../config/settings/user-settings.ts';
import {openSightings, type Sightings} from '../config/sightings.ts';
import {type Home, homeAt, homePath, openHome} from '../storage/home.ts';
import {createPromptKeeper, type PromptKeeper} from '../storage/prompt-history-file.ts';
import {createSessionAccess, type SessionAccess} from '../storage/session-access.ts';
import type {AppStore} from '../store/store.ts';
import type {ProgramOptions} from './program-options.ts';

/** What the program keeps on this machine. */
export type LocalState = {
	readonly home: Home;
	readonly config: Config;
	readonly settings: UserSettings;
	readonly folder: FolderAccess;
	readonly secrets: KnownSecrets;
	readonly project: Project;
	readonly rules: RuleBook;
	/** Sets what finds the store that is told whether a session was saved; until then that is the app's. */
	readonly reportTo: (find: (session: string) => AppStore) => void;
	readonly prompts: PromptKeeper;
	readonly recents: Recents;
	readonly sightings: Sightings;
	/** Returns the sessions of the folder, which may change. */
	readonly sessions: () => SessionAccess;
};

/** Opens the state folder. Throws `AppError` if it or the configuration in it is invalid. */
export function openLocalState({store, env, debug, ...options}: ProgramOptions): LocalState {
	/** Returns the store that shows a session. */
	let storeOf = (_session: string) => store;
	const home = options.homeFault ? homeAt(homePath(env)) : openHome(env);
	const config = openConfig(home, options.keychain);
	const settings = openUserSettings(env, {
		model: options.model,
		profile: options.profile,
		...(options.accessible && {accessible: true}),
	});
	const folder = createFolderAccess({folder: realpathSync(options.folder), env, config});
	const secrets = createKnownSecrets(config, env);
	debug?.hideWith(secrets.hide);
	const project = createProject({
		folder: folder.path,
		homeFolder: folder.home,
		stateFolder: home.path,
		store: openTrustStore(home.trustFile),
		wideFolder: folder.wide,
		trustsAll: options.trust ?? false,
		servers: options.mcpServers ?? [],
		rules: () => rules.list(),
	});
	const rules = createRuleBook({
		folder: folder.path,
		flags: (options.allow ?? []).map(rule => parseNewRule(rule, 'allow')),
		path: home.approvalsFile,
		denied: project.denied,
		hide: secrets.hide,
	});
	return {
		home,
		config,
		settings,
		folder,
		secrets,
		project,
		rules,
		reportTo(find) {
			storeOf = find;
		},
		prompts: createPromptKeeper(home),
		recents: openRecents(home.recentsFile),
		sightings: openSightings(home.sightingsFile),
		sessions: () =>
			createSessionAccess({
				home,
				folder: folder.path(),
				onState: (state, session) =>
					storeOf(session)
						.getState()
						.setUnsaved(state.saved ? undefined : state.reason),
			}),
	};
}

/** Lets the masks know the secret values in the working folder. */
export async function learnFolder({folder, secrets}: LocalState, isAnew = false): Promise<void> {
	if (folder.isOpen()) {
		const {folderValues} = await import('../agent/secret-values/folder-values.ts');
		secrets.learn(await folderValues(folder.path(), isAnew));
	}
}
