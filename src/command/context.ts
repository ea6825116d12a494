import type * as z from 'zod/mini';
import type {OpenHosting} from '../contract/hosting.ts';
import type {Interaction} from '../platform/interaction.ts';
import type {ServerFlags} from '../platform/logins.ts';
import type {LiveSession} from '../session/conversation.ts';
import type {KnownValue, ValueKind} from './completion/known-values.ts';
import type {ProgramParts, ServersPart} from './parts.ts';
import type {Result} from './result.ts';

/** Flags that every command understands. */
export type GlobalFlags = ServerFlags & {
	readonly json: boolean;
	/** Shows times in tables in full instead of ages, and whole ids. */
	readonly exact: boolean;
};

/** How a command asks the user, and what is on screen. App and shell differ in it. */
export type CommandUi = {
	readonly interact: Interaction;
	/** The session on screen. A shell has none. */
	readonly live: LiveSession | undefined;
};

/** What the program is asked for by one command. */
export type CommandRequest = {
	readonly ui: CommandUi;
	readonly flags: GlobalFlags;
	readonly signal: AbortSignal;
};

/** The program, as the app, a run without a screen and commands share it. */
export type SharedProgram = ProgramParts & {
	/** The table of all commands, in the order shown: the built-in ones, then those of files. */
	readonly commands: Entries;
};

/** The program, for a command. */
export type CommandProgram = SharedProgram & {
	/** Opens what hosts sessions for the users of a server. Only a shell has it. */
	readonly hosting?: OpenHosting;
	readonly servers: ServersPart;
};

/** Everything that a command may use. */
export type CommandContext = CommandRequest & {readonly program: CommandProgram};

export type Shape = Record<string, z.core.$ZodType>;

/** Throws `AppError` for an answer that a command would refuse. */
type CheckAnswer = (value: string, context: CommandContext) => Promise<void>;

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
	/** What the user is asked for an argument that is missing, with examples; its name by default. */
	readonly asks?: {readonly [name in keyof S]?: string};
	/** Throws for a value that the command would refuse, before the user is asked for the next one. */
	readonly checks?: {readonly [name in keyof S]?: CheckAnswer};
	/** The kind of an argument's known values. Those of an enum are completed without it. */
	readonly completes?: {readonly [name in keyof S]?: ValueKind};
	/** Likely values of an argument that accepts others too. */
	readonly suggests?: {readonly [name in keyof S]?: readonly KnownValue[]};
	/** Full lines as typed in a shell, without the program's name. */
	readonly examples?: readonly string[];
	/** The argument that is a secret: never saved in a history, with a warning in a shell (SAFETY 11). */
	readonly secret?: keyof S & string;
	/** True if a flag that is given twice is an error; by default the last one counts. */
	readonly refusesRepeats?: boolean;
	/** True if it can run while the agent works. */
	readonly whileRunning?: boolean;
	/** True for a name that other programs use: it is found when typed, and listed nowhere. */
	readonly isUnlisted?: true;
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
	readonly asks?: Readonly<Record<string, string | undefined>>;
	readonly checks?: Readonly<Record<string, CheckAnswer | undefined>>;
	readonly completes?: Readonly<Record<string, ValueKind | undefined>>;
	readonly suggests?: Readonly<Record<string, readonly KnownValue[] | undefined>>;
	readonly secret?: string;
	/** Returns the message that a prompt file, a skill or a prompt of an MCP server sends, given what was typed behind its name. Throws `AppError`. */
	readonly textFor?: (typed: string, signal?: AbortSignal) => string | Promise<string>;
	/** Checks `values` against the schema, then runs. Throws AppError("usage") for invalid ones. */
	readonly execute: (values: Readonly<Record<string, unknown>>, context: CommandContext) => Promise<Result>;
};

/**
 * A family of commands: `keys set`, `keys list`. `fallback` is the verb that the noun alone runs. An alias alone runs
 * `aliasFallback` if there is one: `sessions` is `session saved`.
 */
export type Noun = {
	readonly name: string;
	readonly aliases?: readonly string[];
	readonly summary: string;
	readonly verbs: readonly Command[];
	readonly fallback?: string;
	readonly aliasFallback?: string;
};

export type Entry = Command | Noun;

/** The table of all commands, which grows while the program runs. */
export type Entries = {
	/** Returns all commands, the built-in ones first. The same list until they change. */
	readonly all: () => readonly Entry[];
	/**
	 * Lets every source read again. Returns a sentence for each new command that can't be used because its name is taken;
	 * never throws.
	 */
	readonly refresh: () => Promise<readonly string[]>;
};

export function isNoun(entry: Entry): entry is Noun {
	return 'verbs' in entry;
}

/** Returns what an alias of an entry runs alone, if the name of the entry doesn't: `session saved` for `sessions`. */
export function verbOfAlias(entry: Entry, name: string): Command | undefined {
	return isNoun(entry) && name !== entry.name ? entry.verbs.find(verb => verb.name === entry.aliasFallback) : undefined;
}
