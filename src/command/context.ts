import type * as z from 'zod/mini';
import type {Config} from '../config/config.ts';
import type {Recents} from '../config/recents.ts';
import type {Sightings} from '../config/sightings.ts';
import type {Debug} from '../core/debug.ts';
import type {Environment} from '../core/environment.ts';
import type {LogToFollow} from '../logs/log-to-follow.ts';
import type {Interaction} from '../platform/interaction.ts';
import type {Models} from '../platform/models.ts';
import type {Platform} from '../platform/platform.ts';
import type {ServerFlags} from '../platform/server-flags.ts';
import type {SessionAccess} from '../storage/session-access.ts';
import type {AppStore} from '../store/store.ts';
import type {SandboxExpiry} from '../watch/watch-expiry.ts';
import type {Watches} from '../watch/watch-list.ts';
import type {KnownValue, ValueKind} from './completion/known-values.ts';
import type {Result} from './result.ts';

/** What commands do with the sessions on this machine: they open none, that is the app's business. */
export type Sessions = Omit<SessionAccess, 'resume' | 'create'>;

/** Flags that every command understands. */
export type GlobalFlags = ServerFlags & {
	readonly json: boolean;
	/** Times in tables are shown in full, not as how long ago they were. */
	readonly exact: boolean;
};

/** The session on screen; in a shell there is none. */
export type LiveSession = {
	readonly rename: (title: string) => void;
	readonly start: () => Promise<void>;
	/** Shows a log as it grows, beside the conversation where there is a screen. Resolves when no line is to come by itself. */
	readonly followLog: (log: LogToFollow, signal: AbortSignal) => Promise<void> | void;
	/** Stops following the log of an environment. Returns one line about it, '' for one that is not open. */
	readonly closeLog: (environment: string) => string;
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
	/** Logs for `SERVICE_DEBUG`; undefined without it. */
	readonly debug?: Debug | undefined;
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

export type Shape = Record<string, z.core.$ZodType>;

/** A command as its file states it; `run` gets its arguments parsed and typed. */
export type Definition<S extends Shape> = {
	/** One word: the noun itself, or the verb inside a noun. */
	readonly name: string;
	readonly aliases?: readonly string[];
	/** One line for help and completion, an imperative sentence without a full stop. */
	readonly summary: string;
	readonly args: z.ZodMiniObject<S>;
	/** Arguments that are given by position, in order; the last takes the rest of the line when `rest` is true. */
	readonly positional?: readonly (keyof S & string)[];
	readonly rest?: boolean;
	/** What each argument is, for help. */
	readonly describe?: {readonly [name in keyof S]?: string};
	/** Which known values an argument takes; those of an enum complete by themselves. */
	readonly completes?: {readonly [name in keyof S]?: ValueKind};
	/** Values that an argument may well take, besides any other. */
	readonly suggests?: {readonly [name in keyof S]?: readonly KnownValue[]};
	/** Full lines as one would type them in a shell, without the program's name. */
	readonly examples?: readonly string[];
	/** Positions that hold a secret: never kept in a history, and warned about in a shell (SAFETY 11). */
	readonly secret?: keyof S & string;
	/** True when it may run while the agent is at work. */
	readonly whileRunning?: boolean;
	/** `app`: a screen is needed; `shell`: it makes no sense inside the app. Both by default. */
	readonly where?: 'app' | 'shell';
	readonly run: (args: z.infer<z.ZodMiniObject<S>>, context: CommandContext) => Result | Promise<Result>;
};

/** A command with its argument types hidden, as tables hold it. */
export type Command = Omit<
	Definition<Shape>,
	'run' | 'positional' | 'describe' | 'completes' | 'suggests' | 'secret'
> & {
	readonly positional?: readonly string[];
	readonly describe?: Readonly<Record<string, string | undefined>>;
	readonly completes?: Readonly<Record<string, ValueKind | undefined>>;
	readonly suggests?: Readonly<Record<string, readonly KnownValue[] | undefined>>;
	readonly secret?: string;
	/** Checks `values` against the schema, then runs. Throws `AppError` (`usage`) for what does not fit. */
	readonly execute: (values: Readonly<Record<string, unknown>>, context: CommandContext) => Promise<Result>;
};

/** A family of commands: `keys set`, `keys list`. `fallback` is the verb of the noun alone. */
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
