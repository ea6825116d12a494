import type * as z from 'zod/mini';
import {parseArguments} from './arguments.ts';
import type {CommandContext} from './context.ts';
import type {ValueKind} from './completion/known-values.ts';
import type {Result} from './result.ts';

type Shape = Record<string, z.core.$ZodType>;

/** A command as its file states it; `run` gets its arguments parsed and typed. */
type Definition<S extends Shape> = {
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
export type Command = Omit<Definition<Shape>, 'run' | 'positional' | 'describe' | 'completes' | 'secret'> & {
	readonly positional?: readonly string[];
	readonly describe?: Readonly<Record<string, string | undefined>>;
	readonly completes?: Readonly<Record<string, ValueKind | undefined>>;
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

/** States a command. */
export function command<const S extends Shape>(definition: Definition<S>): Command {
	const {run, ...rest} = definition;
	return {
		...rest,
		async execute(values, context) {
			return run(parseArguments(definition.args, values, definition.positional), context);
		},
	};
}

/** States a family of commands. */
export function noun(definition: Noun): Noun {
	return definition;
}
