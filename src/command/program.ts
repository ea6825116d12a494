import type {Decide} from '../agent/approval/approval.ts';
import type {McpServers} from '../agent/mcp/servers.ts';
import type {Project} from '../agent/project/project.ts';
import type {Job} from '../agent/tools/command/jobs.ts';
import type {Drafts} from '../config/drafts.ts';
import type {FolderAccess} from '../config/folder-access.ts';
import type {KnownSecrets} from '../config/known-secrets.ts';
import type {UserSettings} from '../config/settings/user-settings.ts';
import type {Environment} from '../core/environment.ts';
import type {PathIndex} from '../core/fuzzy-paths.ts';
import type {Recorded} from '../core/session/event.ts';
import type {PriceOf} from '../core/session/usage.ts';
import type {AskUser} from '../core/session/user-question.ts';
import type {Interaction} from '../platform/interaction.ts';
import type {ChooseModel} from '../platform/model-of-host.ts';
import type {Conversation} from '../session/conversation.ts';
import type {createResume} from '../session/resume-session.ts';
import type {AppStore} from '../store/store.ts';
import type {SavedSession} from '../store/view-slice.ts';
import type {Scheme} from '../terminal/text/style.ts';
import type {CommandContext} from './context.ts';
import type {Entries} from './entries/entry-source.ts';
import type {RunFlags} from './invocation.ts';

/** What the program is built with. */
export type ComposeOptions = Partial<RunFlags> & {
	/**
	 * False for a command in a shell: each opens its own server, if it needs one, and `login` and `help` must work with any
	 * environment.
	 */
	readonly connect?: boolean;
	/** True for a command that must run even if the state folder can't be opened. It changes nothing there. */
	readonly diagnoses?: boolean;
};

/** The program. The app, a run without a screen, and the shell each use the members that they need. */
export type Program = {
	/** The folder that the agent works in. */
	readonly folder: FolderAccess;
	/** The instructions, settings and hooks of that folder, and whether the user trusts them. */
	readonly project: Project;
	readonly conversation: Conversation;
	readonly settings: UserSettings;
	/** Returns all commands, in the order shown: the built-in ones, then those of files. */
	readonly entries: Entries['all'];
	/** Reads the commands of files again. Returns a sentence for each that can't be used; never throws. */
	readonly refreshEntries: Entries['refresh'];
	/** Returns the context of one command. */
	readonly contextFor: (options: Pick<CommandContext, 'interact' | 'live' | 'flags' | 'signal'>) => CommandContext;
	/** Lists the files that the agent may read, for completion; none if it may read no files. */
	readonly listPaths: () => Promise<PathIndex>;
	/** Returns the resources of MCP servers that `@query` may mention, for completion; see `McpServers`. */
	readonly suggestResources: (query: string) => ReturnType<McpServers['suggestResources']>;
	/**
	 * Throws AppError("usage") for a message that mentions an image or a PDF that the model can't read: that of the run which
	 * the message joins, or else the selected one.
	 */
	readonly checkMedia: (message: string) => Promise<void>;
	/** Keeps an image from the clipboard; see `keepPasted`. */
	readonly keepImage: (bytes: Buffer) => Promise<{readonly mention: string; readonly label: string}>;
	/** Continues a session; see `createResume`. */
	readonly resume: ReturnType<typeof createResume>;
	/** The sessions of the folder, newest first. Throws AppError("failed") if the state folder can't be read. */
	readonly savedSessions: () => Promise<readonly SavedSession[]>;
	/** Puts prices and context windows into the store. Returns the prices. */
	readonly loadCatalog: () => Promise<PriceOf>;
	/**
	 * Opens what a line needs that the user begins to type: for a message its model, with tools and instructions; for a slash
	 * line the embedded server, if that runs the model too. Throws as sending the line does.
	 */
	readonly prepare: (line: string) => Promise<void>;
	/**
	 * Selects a model of the user's own host if none is selected; `choose` selects one of several. Throws AppError("usage") if
	 * it can't, as `hostModels` does, and for a selected model that has no key or host.
	 */
	readonly chooseModel: (choose?: ChooseModel) => Promise<void>;
	/** Saves the model for new sessions; never throws. */
	readonly rememberModel: (model: string) => void;
	/** Returns the colours of the user's theme, for output that no terminal is asked about. */
	readonly scheme: () => Promise<Scheme>;
	/** True if the embedded server runs the model. */
	readonly isDemo: () => boolean;
	/** True if the model's provider needs a key and has none. */
	readonly lacksKey: () => boolean;
	/** Returns what the user must know before the first message: ignored variables, and risks. */
	readonly warnings: () => readonly string[];
	/** Finds and hides credentials in what the user types. */
	readonly secrets: KnownSecrets;
	/** Sets how the user is asked for an approval; without it, `--approve` decides. */
	readonly askWith: (decide: Decide) => void;
	/**
	 * Sets how questions of the agent and logins that its tools need reach the user; without it, the agent is told that nobody
	 * can answer.
	 */
	readonly answerWith: (ask: AskUser, interaction?: Interaction) => void;
	/** Returns the background jobs of the conversation, ended ones included. */
	readonly jobs: () => readonly Job[];
	/** Calls a listener with every record. */
	readonly onRecord: (listener: (record: Recorded) => void) => void;
	/** Returns the prompts of earlier sessions, oldest first. Throws AppError("failed") if the file can't be read. */
	readonly loadHistory: () => readonly string[];
	/** Opens what was typed and not sent in the folder, for the selected profile. */
	readonly openDrafts: () => Promise<Drafts>;
	/** Saves a text that the terminal may not copy; returns the path. Throws AppError("failed"). */
	readonly keepCopy: (text: string) => Promise<string>;
	/** Saves a prompt for later sessions; never throws. */
	readonly remember: (prompt: string) => void;
	/** Sends the traces that wait, for a moment. Returns a sentence about those that were not sent; undefined if all were. */
	readonly endTraces: () => Promise<string | undefined>;
	/** Ends the run and writes everything. */
	readonly close: () => Promise<void>;
};

/** The process of a program, whose members `Part` are needed. */
export type Surroundings<Part extends keyof Program> = {
	/** Builds the program. Throws `AppError` if the state folder or the configuration is invalid. */
	readonly compose: (options: ComposeOptions) => Promise<Pick<Program, Part>>;
	readonly store: AppStore;
	readonly env: Environment;
	readonly stdin: NodeJS.ReadStream;
	readonly stdout: NodeJS.WriteStream;
	readonly stderr: NodeJS.WriteStream;
	readonly version: string;
	/** Calls the listener at Ctrl+C or SIGTERM, until it returns 'end'; the one after that ends the process. */
	readonly onInterrupt: (listener: InterruptListener) => void;
};

export type InterruptListener = (signal?: NodeJS.Signals) => 'go on' | 'end';
