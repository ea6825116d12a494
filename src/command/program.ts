import type {Decide} from '../agent/approval/approval.ts';
import type {FolderAccess} from '../config/folder-access.ts';
import type {KnownSecrets} from '../config/known-secrets.ts';
import type {Environment} from '../core/environment.ts';
import type {Recorded} from '../core/session/event.ts';
import type {PriceOf} from '../core/session/usage.ts';
import type {ChooseModel} from '../platform/model-of-host.ts';
import type {Conversation} from '../session/conversation.ts';
import type {createResume} from '../session/resume-session.ts';
import type {AppStore} from '../store/store.ts';
import type {SavedSession} from '../store/view-slice.ts';
import type {CommandContext, Entry} from './context.ts';
import type {RunFlags} from './invocation.ts';

/** What the program is built for. */
export type ComposeOptions = Partial<RunFlags> & {
	/**
	 * False for a command in a shell: it chooses its server by itself or needs none, and `login` and `help` must work
	 * whatever the environment says.
	 */
	readonly connect?: boolean;
};

/** The real parts, put together. The app, one headless run and the shell each take the members that they need. */
export type Program = {
	/** The folder that the agent works in. */
	readonly folder: FolderAccess;
	readonly conversation: Conversation;
	/** All commands, in the order shown. */
	readonly entries: readonly Entry[];
	/** What a command may use, from what only its caller knows. */
	readonly contextFor: (options: Pick<CommandContext, 'interact' | 'live' | 'flags' | 'signal'>) => CommandContext;
	/** Continues a session; see `createResume`. */
	readonly resume: ReturnType<typeof createResume>;
	/** The sessions of the folder, newest first. Throws `failed` for a state folder that cannot be read. */
	readonly savedSessions: () => Promise<readonly SavedSession[]>;
	/** Puts prices and context windows into the store, and gives the prices. */
	readonly loadCatalog: () => Promise<PriceOf>;
	/** Starts the embedded server where it is the connection or answers as the model. Throws `failed` where it cannot. */
	readonly startEmbedded: () => Promise<void>;
	/**
	 * Selects a model where there is none yet, by the user's own host and, of several, by `choose`. Throws `usage` where
	 * none can be, and as `hostModels` does.
	 */
	readonly chooseModel: (choose?: ChooseModel) => Promise<void>;
	/** Begins further sessions with the model that was chatted with; never throws. */
	readonly rememberModel: (model: string) => void;
	/** True where the model is that of the embedded server. */
	readonly isDemo: () => boolean;
	/** True where the model cannot answer, because its provider has no key. */
	readonly lacksKey: () => boolean;
	/** What the user must know before the first message: parts of the environment that were passed over, risks taken. */
	readonly warnings: () => readonly string[];
	/** Finds and hides credentials in what the user types. */
	readonly secrets: KnownSecrets;
	/** Has what needs an approval asked of the user; without it, `--approve` decides. */
	readonly askWith: (decide: Decide) => void;
	/** Hands every record to a listener, beside the screen and the journal. */
	readonly onRecord: (listener: (record: Recorded) => void) => void;
	/** Prompts of earlier sessions, oldest first. Throws `failed` for a file that cannot be read. */
	readonly loadHistory: () => readonly string[];
	/** Keeps a prompt for later sessions; never throws. */
	readonly remember: (prompt: string) => void;
	/** Ends the run and writes everything. */
	readonly close: () => Promise<void>;
};

/** The process around a program of which `Part` is needed. */
export type Surroundings<Part extends keyof Program> = {
	/** Builds the program. Throws `AppError` for a state folder or a configuration that cannot be used. */
	readonly compose: (options: ComposeOptions) => Promise<Pick<Program, Part>>;
	readonly store: AppStore;
	readonly env: Environment;
	readonly stdin: NodeJS.ReadStream;
	readonly stdout: NodeJS.WriteStream;
	readonly stderr: NodeJS.WriteStream;
	readonly version: string;
	/** Has the next Ctrl+C call a listener, once; the one after it ends the process. */
	readonly onInterrupt: (listener: () => void) => void;
};
