import type {Config} from '../config/config.ts';
import type {NewKey} from '../config/provider-keys.ts';
import type {Recents} from '../config/recents.ts';
import type {Sightings} from '../config/sightings.ts';
import type {Catalog} from '../core/catalog.ts';
import type {Environment} from '../core/environment.ts';
import type {ProviderName} from '../core/model.ts';
import type {Secret} from '../core/secrets/secret.ts';
import type {TlsInfo} from '../net/tls-info.ts';
import type {Transport} from '../net/transport.ts';
import type {KeyCheck} from '../providers/check-key.ts';
import type {SessionAccess} from '../storage/session-access.ts';
import type {AppStore} from '../store/store.ts';
import type {About, BrowserLogin, Choice, FilterField} from '../store/view-slice.ts';
import type {Entry} from './command.ts';
import type {PlatformAccess, PlatformSession} from '../platform/platform-access.ts';
import type {LogToFollow} from './result.ts';
import type {SandboxExpiry} from '../watch/watch-expiry.ts';
import type {Watches} from '../watch/watch-list.ts';

/** Flags that every command understands. */
export type GlobalFlags = {
	readonly json: boolean;
	/** Times in tables are shown in full, not as how long ago they were. */
	readonly exact: boolean;
	/** Plain http beyond this machine is allowed (SAFETY 9). */
	readonly insecureHttp: boolean;
	readonly server: string | undefined;
	readonly profile: string | undefined;
	readonly org: string | undefined;
	readonly workspace: string | undefined;
	readonly project: string | undefined;
};

/** Questions to the person; the app answers with a panel, the shell with its own terminal or standard input. */
export type Interaction = {
	/**
	 * One line of text, undefined when the person cancels. `masked` hides what is typed; `optional` is for a question that
	 * nothing may answer, also where nobody can be asked: otherwise `usage` is thrown there.
	 */
	readonly ask: (field: {
		readonly label: string;
		readonly masked: boolean;
		readonly optional?: boolean;
	}) => Promise<string | undefined>;
	/** The `id` of one choice, undefined when the person cancels. Throws `usage` where nobody can be asked. */
	readonly choose: (pick: {
		readonly title: string;
		readonly choices: readonly Choice[];
		readonly current?: string;
		/** What may be typed besides words to narrow the list, where the choices have fields. */
		readonly filters?: readonly FilterField[];
	}) => Promise<string | undefined>;
	/** True for yes. What is to be known first is shown above the question. */
	readonly confirm: (question: string, about?: About) => Promise<boolean>;
	/** The first line that is piped in, '' for none. Left out where a person sits at the keyboard. */
	readonly piped?: () => Promise<string>;
	/**
	 * Shows where and with which code the person logs in, until the function that it gives is called; calls `cancel` when
	 * he leaves it.
	 */
	readonly showLogin: (login: BrowserLogin, cancel: () => void) => () => void;
	/** Says something at once, without ending the command. */
	readonly say: (text: string) => void;
	/** Writes a line as it is, for programs that read along. Left out where a screen would be spoilt by it. */
	readonly log?: (line: string) => void;
	/** One line that the next one replaces, '' for none. Left out where nobody watches. */
	readonly progress?: (text: string) => void;
};

/** What commands do with the sessions on this machine: they open none, that is the app's business. */
export type Sessions = Omit<SessionAccess, 'resume' | 'create'>;

/** The session on screen; in a shell there is none. */
export type LiveSession = {
	readonly rename: (title: string) => void;
	readonly start: () => Promise<void>;
	/** Shows a log as it grows, beside the conversation where there is a screen. Resolves when no line is to come by itself. */
	readonly followLog: (log: LogToFollow, signal: AbortSignal) => Promise<void> | void;
	/** Stops following the log of an environment. Gives what came of it in one line, '' for one that is not open. */
	readonly closeLog: (environment: string) => string;
};

export type Models = {
	readonly catalog: () => Promise<Omit<Catalog, 'infoOf'>>;
	/** Model names that the custom host lists, none without such a host. Throws `AppError` where it does not answer. */
	readonly customModels: (signal: AbortSignal) => Promise<readonly string[]>;
	/** Asks a provider about a key before it is stored. Throws `AppError("auth")` where the provider rejects it. */
	readonly checkKey: (provider: ProviderName, key: NewKey, signal: AbortSignal) => Promise<KeyCheck>;
	/** `provider/model-name` that a session begins with, or undefined where a host must be asked. */
	readonly initial: () => string | undefined;
};

/** Where something is: a profile by its name, and a scope. What is left out is as the flags say. */
export type Place = Partial<Pick<GlobalFlags, 'profile' | 'server' | 'org' | 'workspace'>>;

export type Platform = Pick<PlatformAccess, 'recognize' | 'prove' | 'proveLogin' | 'logIn' | 'logOut'> & {
	/** How the connection to an https address is protected, as far as that can be seen. Throws `network`. */
	readonly tlsOf: (address: URL, signal: AbortSignal) => Promise<TlsInfo | undefined>;
	/** Sends no credential: for addresses that carry a permission of their own. Never plain http beyond this machine. */
	readonly anonymous: () => Promise<Transport>;
	/** The embedded server's address, started when it is not yet running. */
	readonly embedded: () => Promise<{readonly url: string; readonly token: Secret}>;
	/**
	 * The server of this command, with its login and scope; `place` stands in for what the flags say of them. Throws `auth`
	 * without a login.
	 */
	readonly open: (place?: Place) => Promise<PlatformSession>;
};

/** Everything that a command may use. Built by the composition; the app and the shell differ in `interact` and `live`. */
export type CommandContext = {
	readonly store: AppStore;
	readonly config: Config;
	/** Ids that were seen, by profile; what a call shows is remembered by itself. */
	readonly recents: Pick<Recents, 'forget' | 'recall'>;
	/** What servers said lately of their sessions, runtimes and environments; kept by itself as well. */
	readonly sightings: Pick<Sightings, 'recall'>;
	readonly env: Environment;
	readonly flags: GlobalFlags;
	readonly signal: AbortSignal;
	readonly interact: Interaction;
	readonly sessions: Sessions;
	/** The logs that are watched while the app is open. */
	readonly watches: Watches;
	/** The sandboxes that were made here, until they end. */
	readonly expiry: SandboxExpiry;
	readonly live: LiveSession | undefined;
	readonly models: Models;
	readonly platform: Platform;
	/** The folder that the program works in. */
	readonly folder: string;
	/** The table of all commands. */
	readonly entries: readonly Entry[];
	/** Writes a file that the user named; refuses to replace one. */
	readonly writeFile: (path: string, content: string) => Promise<string>;
	/** The same from bytes as they come; what did not come to its end is removed. */
	readonly saveFile: (path: string, chunks: AsyncIterable<Uint8Array>) => Promise<string>;
	/** The bytes of a file that the user named, of standard input for `-`. Throws `usage` for more than `limit` bytes. */
	readonly readFile: (path: string, limit: number) => Promise<Uint8Array>;
};
