import type * as z from 'zod/mini';
import type {RuleBook} from '../agent/approval/rule-book.ts';
import type {Judge} from '../agent/approval/ruling.ts';
import type {Changes} from '../agent/changes/changes.ts';
import type {Project} from '../agent/project/project.ts';
import type {Jobs} from '../agent/tools/command/jobs.ts';
import type {Config} from '../config/config.ts';
import type {Recents} from '../config/recents.ts';
import type {UserSettings} from '../config/settings/user-settings.ts';
import type {Sightings} from '../config/sightings.ts';
import type {Debug} from '../core/debug.ts';
import type {Environment} from '../core/environment.ts';
import type {ToolDefinition} from '../core/session/tool.ts';
import type {Check} from '../doctor/check.ts';
import type {Interaction} from '../platform/interaction.ts';
import type {Models} from '../platform/models.ts';
import type {Platform} from '../platform/platform.ts';
import type {ServerFlags} from '../platform/server-flags.ts';
import type {TraceSettings} from '../platform/traces/traces.ts';
import type {LiveSession} from '../session/conversation.ts';
import type {Background} from '../session/conversations.ts';
import type {SessionAccess} from '../storage/session-access.ts';
import type {AppStore} from '../store/store.ts';
import type {SandboxExpiry} from '../watch/watch-expiry.ts';
import type {Watches} from '../watch/watch-list.ts';
import type {KnownValue, ValueKind} from './completion/known-values.ts';
import type {McpAccess} from './mcp/mcp-access.ts';
import type {Result} from './result.ts';

/** The access of commands to the sessions on this machine. Only the app opens sessions. */
export type Sessions = Omit<SessionAccess, 'resume' | 'create'>;

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

/** Flags that every command understands. */
export type GlobalFlags = ServerFlags & {
	readonly json: boolean;
	/** Shows times in tables in full instead of ages. */
	readonly exact: boolean;
};

/** Everything that a command may use. App and shell differ in `interact` and `live`. */
export type CommandContext = {
	readonly store: AppStore;
	readonly config: Config;
	readonly settings: UserSettings;
	/** Recent ids by profile. The client saves the ids of each call. */
	readonly recents: Pick<Recents, 'forget' | 'recall'>;
	/** What servers said recently about their sessions, runtimes and environments. The client saves it. */
	readonly sightings: Pick<Sightings, 'recall'>;
	readonly env: Environment;
	readonly flags: GlobalFlags;
	readonly signal: AbortSignal;
	/** Logs for `SERVICE_DEBUG`; undefined without it. */
	readonly debug?: Debug | undefined;
	readonly interact: Interaction;
	readonly sessions: Sessions;
	/** Returns the background jobs of the session; undefined before the first. */
	readonly jobs: () => Pick<Jobs, 'list'> | undefined;
	/** The watches on logs, while the app is open. */
	readonly watches: Watches;
	/** The sandboxes that were created here, until they end. */
	readonly expiry: SandboxExpiry;
	readonly live: LiveSession | undefined;
	/** Opens the changes of files in the working folder. */
	readonly changes: () => Promise<Changes>;
	/** The MCP servers of the user and of the project. */
	readonly mcp: McpAccess;
	readonly models: Models;
	/** Returns what the agent's requests begin with, and the size of the selected model's context window in tokens. */
	readonly contextWindow: () => Promise<ContextWindowFacts>;
	readonly platform: Platform;
	/** The sessions that go on beside the one that is shown. */
	readonly background: Background;
	/** The export of traces. */
	readonly traces: TraceSettings;
	/** Checks what the program stands on. Throws the signal's reason. */
	readonly diagnose: () => Promise<readonly Check[]>;
	/** The rules of approvals, and what they say about an act. */
	readonly approvals: {readonly rules: RuleBook; readonly judge: Judge};
	/** The folder that the program works in. */
	readonly folder: string;
	/** The instructions, settings and hooks of that folder, and whether the user trusts them. */
	readonly project: Project;
	/** The table of all commands. */
	readonly entries: readonly Entry[];
	/** Keeps a copied text in a private file, in place of the one before. Returns its path. Throws AppError("failed"). */
	readonly keepCopy: (text: string) => Promise<string>;
	/** Writes a new file that the user named. Never replaces one. */
	readonly writeFile: (path: string, content: string) => Promise<string>;
	/** Does the same with a stream of bytes. Removes the file if the stream fails. */
	readonly saveFile: (path: string, chunks: AsyncIterable<Uint8Array>) => Promise<string>;
	/** Reads a file that the user named, standard input for `-`. Throws AppError("usage") for more than `limit` bytes. */
	readonly readFile: (path: string, limit: number) => Promise<Uint8Array>;
};

export type Shape = Record<string, z.core.$ZodType>;

/** A command as its file defines it; `run` gets parsed and typed arguments. */
export type Definition<S extends Shape> = {
	/** One word: the noun itself, or the verb inside a noun. */
	readonly name: string;
	readonly aliases?: readonly string[];
	/** One line for help and completion, an imperative sentence without a full stop. */
	readonly summary: string;
	readonly args: z.ZodMiniObject<S>;
	/** Positional arguments, in order; the last one gets the rest of the line if `rest` is true. */
	readonly positional?: readonly (keyof S & string)[];
	readonly rest?: boolean;
	/** True if the rest of the line is its only argument, as typed: quotes and flags mean nothing in it. */
	readonly takesLine?: boolean;
	/** The arguments as help shows them, if the schema doesn't say. Untrusted. */
	readonly usage?: string;
	/** The letters of flags, such as `-e` for `--env`, by argument. */
	readonly letters?: {readonly [name in keyof S]?: string};
	/** The help of each argument. */
	readonly describe?: {readonly [name in keyof S]?: string};
	/** The kind of an argument's known values. Those of an enum are completed without it. */
	readonly completes?: {readonly [name in keyof S]?: ValueKind};
	/** Likely values of an argument that accepts others too. */
	readonly suggests?: {readonly [name in keyof S]?: readonly KnownValue[]};
	/** Full lines as typed in a shell, without the program's name. */
	readonly examples?: readonly string[];
	/** The argument that is a secret: never saved in a history, with a warning in a shell (SAFETY 11). */
	readonly secret?: keyof S & string;
	/** True if it can run while the agent works. */
	readonly whileRunning?: boolean;
	/** `app` if it needs a screen, `shell` if it makes no sense in the app. Both by default. */
	readonly where?: 'app' | 'shell';
	readonly run: (args: z.infer<z.ZodMiniObject<S>>, context: CommandContext) => Result | Promise<Result>;
};

/** A command without its argument types, for tables. */
export type Command = Omit<
	Definition<Shape>,
	'run' | 'positional' | 'letters' | 'describe' | 'completes' | 'suggests' | 'secret'
> & {
	readonly positional?: readonly string[];
	readonly letters?: Readonly<Record<string, string | undefined>>;
	readonly describe?: Readonly<Record<string, string | undefined>>;
	readonly completes?: Readonly<Record<string, ValueKind | undefined>>;
	readonly suggests?: Readonly<Record<string, readonly KnownValue[] | undefined>>;
	readonly secret?: string;
	/** Returns the message that a prompt file, a skill or a prompt of an MCP server sends, given what was typed behind its name. Throws `AppError`. */
	readonly textFor?: (typed: string, signal?: AbortSignal) => string | Promise<string>;
	/** Checks `values` against the schema, then runs. Throws AppError("usage") for invalid ones. */
	readonly execute: (values: Readonly<Record<string, unknown>>, context: CommandContext) => Promise<Result>;
};

/** A family of commands: `keys set`, `keys list`. `fallback` is the verb that the noun alone runs. */
export type Noun = {
	readonly name: string;
	readonly aliases?: readonly string[];
	readonly summary: string;
	readonly verbs: readonly Command[];
	readonly fallback?: string;
};

export type Entry = Command | Noun;

export function isNoun(entry: Entry): entry is Noun {
	return 'verbs' in entry;
}
