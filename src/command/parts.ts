import type {ApprovalQuestion} from '../agent/approval/approval.ts';
import type {RuleBook} from '../agent/approval/rule-book.ts';
import type {Changes} from '../agent/changes/changes.ts';
import type {AgentCommand} from '../agent/external/agent-command.ts';
import type {AgentView, ExternalSession} from '../agent/external/external-session.ts';
import type {AgentFacts} from '../agent/external/running-agent.ts';
import type {McpServers} from '../agent/mcp/servers.ts';
import type {Verdict} from '../agent/policy/rules/rule.ts';
import type {Project} from '../agent/project/project.ts';
import type {Job} from '../agent/tools/command/jobs.ts';
import type {Config} from '../config/config.ts';
import type {Drafts} from '../config/drafts.ts';
import type {FolderAccess} from '../config/folder-access.ts';
import type {KnownSecrets} from '../config/known-secrets.ts';
import type {Recents} from '../config/recents.ts';
import type {UserSettings} from '../config/settings/user-settings.ts';
import type {Sightings} from '../config/sightings.ts';
import type {Debug} from '../core/debug.ts';
import type {Environment} from '../core/environment.ts';
import type {PathIndex} from '../core/fuzzy-paths.ts';
import type {Act, ApprovalAnswer, ApprovalMode} from '../core/session/approval.ts';
import type {Recorded} from '../core/session/event.ts';
import type {ToolDefinition} from '../core/session/tool.ts';
import type {PriceOf} from '../core/session/usage.ts';
import type {AskUser} from '../core/session/user-question.ts';
import type {Check} from '../doctor/check.ts';
import type {AskHost} from '../link/host-client.ts';
import type {Interaction} from '../platform/interaction.ts';
import type {ChooseModel} from '../platform/model-of-host.ts';
import type {Models} from '../platform/models.ts';
import type {Place, Platform} from '../platform/platform.ts';
import type {PlatformSession} from '../platform/platform-session.ts';
import type {TraceSettings} from '../platform/traces/traces.ts';
import type {Conversation} from '../session/conversation.ts';
import type {Background} from '../session/conversations.ts';
import type {ForeignListings} from '../session/foreign-sessions.ts';
import type {ImportOutcome, ImportWish} from '../session/import-sessions.ts';
import type {ResumeSession} from '../session/resume-session.ts';
import type {FolderAgents} from '../storage/folder-agents.ts';
import type {SavedSessions} from '../storage/session-access.ts';
import type {AppStore} from '../store/store.ts';
import type {Scheme} from '../terminal/text/style.ts';
import type {SandboxExpiry} from '../watch/watch-expiry.ts';
import type {Watches} from '../watch/watch-list.ts';
import type {McpAccess} from './mcp/mcp-access.ts';

/** What the user keeps on this machine. */
export type LocalPart = {
	readonly config: Config;
	readonly settings: UserSettings;
	readonly env: Environment;
	/** The version of this program. */
	readonly version: string;
	/** Logs for `SERVICE_DEBUG`; undefined without it. */
	readonly debug?: Debug | undefined;
	/** Recent ids by profile. The client saves the ids of each call. */
	readonly recents: Recents;
	/** What servers said recently about their sessions, runtimes and environments. The client saves it. */
	readonly sightings: Sightings;
	/** Finds and hides credentials in what the user types. */
	readonly secrets: KnownSecrets;
	/** Returns the colours of the user's theme, for output that no terminal is asked about. */
	readonly scheme: () => Promise<Scheme>;
};

/** All models. */
export type ModelsPart = Models & {
	/** Puts prices and context windows into the store. Returns the prices. */
	readonly loadPrices: () => Promise<PriceOf>;
};

/** The selected model. */
export type ModelPart = {
	/**
	 * Selects a model of the user's own host if none is selected; `choose` selects one of several. Throws AppError("usage") if
	 * it can't, as `hostModels` does, and for a selected model that has no key or host.
	 */
	readonly choose: (choose?: ChooseModel) => Promise<void>;
	/** Saves the model for new sessions; never throws. */
	readonly remember: (model: string) => void;
	/** True if the embedded server runs the model. */
	readonly isDemo: () => boolean;
	/** True if the model's provider needs a key and has none. */
	readonly lacksKey: () => boolean;
	/** Returns what the agent's requests begin with, and the size of the model's context window in tokens. */
	readonly contextWindow: () => Promise<ContextWindowFacts>;
};

export type ContextWindowFacts = {
	readonly system: string;
	/** The text of the instruction files, which is a part of `system`. */
	readonly instructions: string;
	/** The names and descriptions of skills, which are a part of it, too. */
	readonly skills: string;
	readonly tools: readonly ToolDefinition[];
	/** Undefined if unknown. */
	readonly size: number | undefined;
	/** The share of the window at which it is compacted; undefined for the default. */
	readonly compactionShare?: number | undefined;
};

/** The session of a host that this app is attached to. */
export type HostedPart = {
	/** Asks for the lease to drive, gives it to somebody else, or takes it, with a word to them. Returns what came of it. */
	readonly drive: (how: 'ask' | 'give' | 'take', word: string | undefined) => Promise<string>;
	/** Selects a mode of approval. Throws what the host refuses it with. */
	readonly setMode: (mode: ApprovalMode) => Promise<void>;
	/** Ends the session on the host. */
	readonly end: () => Promise<void>;
	readonly ask: AskHost;
	/** The working folder of this terminal, on this machine. */
	readonly here: string;
};

/** The conversation in front, and all others. */
export type SessionPart = {
	readonly conversation: Conversation;
	/** Left out for a session of this program. */
	readonly hosted?: HostedPart;
	/** The sessions that go on beside the one that is shown. */
	readonly background: Background;
	/** The sessions of the folder on this machine. Only the app opens them. */
	readonly saved: SavedSessions;
	/** Opens what tells of the agents of other processes in the folder. */
	readonly agents: () => Promise<Pick<FolderAgents, 'others' | 'follow'>>;
	/** Returns the background jobs of the conversation, ended ones included. */
	readonly jobs: () => readonly Job[];
	/** Sends the commands that run in the foreground to the background; see `Foreground`. */
	readonly moveToBackground: () => void;
	/** Lists conversations of other clients in this folder that were never imported; see `listForeign`. */
	readonly listForeign: (signal: AbortSignal) => Promise<ForeignListings>;
	/** Imports conversations of other clients; see `importSessions`. */
	readonly importFrom: (wish: ImportWish, signal: AbortSignal) => Promise<ImportOutcome>;
	/** Continues a session; see `ResumeSession`. */
	readonly resume: ResumeSession;
	/** Sets how the user is asked for an approval; without it, `--approve` decides. */
	readonly askWith: (decide: (question: ApprovalQuestion, signal: AbortSignal) => Promise<ApprovalAnswer>) => void;
	/**
	 * Sets how questions of the agent and logins that its tools need reach the user; without it, the agent is told that nobody
	 * can answer.
	 */
	readonly answerWith: (ask: AskUser, interaction?: Interaction) => void;
	/** Calls a listener with every record. */
	readonly onRecord: (listener: (record: Recorded) => void) => void;
};

/** The folder that the agent works in. */
export type ProjectPart = {
	readonly folder: FolderAccess;
	/** The instructions, settings and hooks of that folder, and whether the user trusts them. */
	readonly files: Project;
	/** Opens the changes of files in the folder. */
	readonly changes: () => Promise<Changes>;
	/** The rules of approvals, and what they say about an act. */
	readonly approvals: {
		readonly rules: RuleBook;
		readonly judge: (act: Act) => Promise<Verdict>;
	};
};

/** What the user types: its history and drafts, and what it may mention. */
export type PromptsPart = {
	/** Returns the prompts of earlier sessions, oldest first. Throws AppError("failed") if the file can't be read. */
	readonly loadHistory: () => readonly string[];
	/** Saves a prompt for later sessions; never throws. */
	readonly remember: (prompt: string) => void;
	/** Opens what was typed and not sent in the folder, for the selected profile. */
	readonly openDrafts: () => Promise<Drafts>;
	/**
	 * Opens what a line needs that the user begins to type: for a message its model, with tools and instructions; for a slash
	 * line the embedded server, if that runs the model too. Throws as sending the line does.
	 */
	readonly prepare: (line: string) => Promise<void>;
	/** Lists the files that the agent may read, for completion; none if it may read no files. */
	readonly listPaths: () => Promise<PathIndex>;
	/**
	 * Throws AppError("usage") for a message that mentions an image or a PDF that the model can't read: that of the run which
	 * the message joins, or else the selected one.
	 */
	readonly checkMedia: (message: string) => Promise<void>;
	/** Keeps an image from the clipboard, or from elsewhere if `what` says so; see `keepPasted`. */
	readonly keepImage: (bytes: Buffer, what?: string) => Promise<{readonly mention: string; readonly label: string}>;
};

/** Files that the user names. */
export type FilesPart = {
	/** Keeps a copied text in a private file, in place of the one before. Returns its path. Throws AppError("failed"). */
	readonly keepCopy: (text: string) => Promise<string>;
	/** Writes a private file of this name into the folder for exports, outside of any project. Returns its path. */
	readonly keepExport: (name: string, content: string) => Promise<string>;
	/** Writes a new file. Never replaces one. */
	readonly write: (path: string, content: string) => Promise<string>;
	/** Does the same with a stream of bytes. Removes the file if the stream fails. */
	readonly save: (path: string, chunks: AsyncIterable<Uint8Array>) => Promise<string>;
	/** Reads a file, in a shell standard input for `-`. Throws AppError("usage") for more than `limit` bytes. */
	readonly read: (path: string, limit: number) => Promise<Uint8Array>;
};

/** What looks after logs and sandboxes while the app is open. */
export type WatchesPart = {
	readonly logs: Watches;
	/** The sandboxes that were created here, until they end. */
	readonly expiry: SandboxExpiry;
};

/** The MCP servers of the user and of the project. */
export type McpPart = McpAccess & {
	/** Returns the resources that `@query` may mention, for completion; see `McpServers`. */
	readonly suggestResources: (query: string) => ReturnType<McpServers['suggestResources']>;
};

/** Servers as one command reaches them: with its flags, its user and its signal. */
export type ServersPart = {
	readonly platform: Platform;
	/** Opens the server of this command with its login and scope; `place` overrides its flags. Throws as `Logins.open`. */
	readonly open: (place?: Place) => Promise<PlatformSession>;
	/** The export of traces. */
	readonly traces: TraceSettings;
	/** Checks what the program stands on. Throws the signal's reason. */
	readonly diagnose: () => Promise<readonly Check[]>;
};

/** An agent that the user added, or whose program is on PATH. */
export type ListedAgent = AgentCommand & {readonly isAdded: boolean};

/** The agents of other makers, which can answer in place of our own. */
export type AgentsPart = {
	/** Returns those that the user added, then known ones that are on PATH. Throws AppError("failed") for a damaged file. */
	readonly list: () => readonly ListedAgent[];
	/** Finds an agent by its name, or reads a command line. Throws AppError("not-found") for a word that is neither. */
	readonly find: (text: string) => AgentCommand;
	/** Adds an agent, in place of one of that name. */
	readonly add: (agent: AgentCommand) => Promise<void>;
	/** Removes an agent. Returns false if none has that name. */
	readonly remove: (name: string) => Promise<boolean>;
	/** Starts an agent, opens a session, and ends it again. Throws what that throws. */
	readonly check: (agent: AgentCommand, signal: AbortSignal) => Promise<AgentCheck>;
	/** Returns the session of the agent that answers here; undefined for our own agent. */
	readonly current: () => ExternalSession | undefined;
};

/** What an agent says of itself and of a new session. Untrusted. */
export type AgentCheck = {readonly facts: AgentFacts; readonly view: AgentView};

/** The parts of the program that commands, the app, a run without a screen and the shell share. */
export type ProgramParts = {
	readonly store: AppStore;
	readonly local: LocalPart;
	readonly models: ModelsPart;
	readonly model: ModelPart;
	readonly session: SessionPart;
	readonly project: ProjectPart;
	readonly prompts: PromptsPart;
	readonly files: FilesPart;
	readonly watches: WatchesPart;
	readonly mcp: McpPart;
	readonly agents: AgentsPart;
};
