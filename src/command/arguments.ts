import type * as z from 'zod/mini';
import {AppError} from '../core/error.ts';
import type {Command} from './context.ts';
import {type Flag, type FlagTable, globalFlags, readFlags, unknownFlag} from './flags.ts';

export type ArgumentField = {
	readonly name: string;
	readonly type: 'string' | 'boolean';
	readonly required: boolean;
	/** True for a list: the flag may be repeated, or the rest of the words are its entries. */
	readonly multiple: boolean;
};

/** Returns the flag of a schema's name, without dashes: `base-url` for `baseUrl`. */
export function flagOf(name: string): string {
	return name.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`);
}

/** Returns the arguments of a schema. */
export function fieldsOf(schema: z.ZodMiniObject): readonly ArgumentField[] {
	return Object.entries(schema.def.shape).map(([name, type]) => {
		const inner = 'innerType' in type._zod.def ? innermost(type) : type;
		const optional = type._zod.def.type === 'optional' || type._zod.def.type === 'default';
		const kind = inner._zod.def.type;
		return {name, type: kind === 'boolean' ? 'boolean' : 'string', required: !optional, multiple: kind === 'array'};
	});
}

function innermost(type: z.core.$ZodType): z.core.$ZodType {
	const {def} = type._zod;
	return 'innerType' in def ? innermost(def.innerType as z.core.$ZodType) : type;
}

/** Returns the words of an argument whose schema is an enum or a list of one; none for others. */
export function choicesOf(schema: z.ZodMiniObject, name: string): readonly string[] {
	const type: z.core.$ZodType | undefined = schema.def.shape[name];
	return type ? enumWords(type) : [];
}

function enumWords(type: z.core.$ZodType): readonly string[] {
	const {def} = type._zod;
	if (def.type === 'enum' && 'entries' in def) {
		return Object.values(def.entries as z.core.util.EnumLike).map(String);
	}

	const inner = 'innerType' in def ? def.innerType : 'element' in def ? def.element : undefined;
	return inner ? enumWords(inner as z.core.$ZodType) : [];
}

/** Returns the usage of a command: `keys set <provider> [key] [--base-url value]`. */
export function usageOf(path: string, {args, positional = [], rest, usage}: Command): string {
	if (usage !== undefined) {
		return `${path} ${usage}`;
	}

	const fields = fieldsOf(args);
	const places = positional.map((name, index) => {
		const word = `${flagOf(name)}${rest && index === positional.length - 1 ? '…' : ''}`;
		return fields.find(field => field.name === name)?.required ? `<${word}>` : `[${word}]`;
	});
	const flags = fields
		.filter(({name}) => !positional.includes(name))
		.map(({name, type, required, multiple}) => {
			const flag = `--${flagOf(name)}${type === 'boolean' ? '' : ' value'}`;
			return `${required ? flag : `[${flag}]`}${multiple ? '…' : ''}`;
		});
	return [path, ...places, ...flags].join(' ');
}

/** Returns the flags of a command by argument. An optional argument that has a position is a flag, too. */
export function flagsOf({args, positional = [], letters = {}, describe = {}}: Command): FlagTable {
	return Object.fromEntries(
		fieldsOf(args)
			.filter(({name, required}) => !required || !positional.includes(name))
			.map(({name, type, multiple}): readonly [string, Flag] => {
				const long = `--${flagOf(name)}`;
				const flag: Flag = {
					names: letters[name] === undefined ? [long] : [`-${letters[name]}`, long],
					summary: describe[name] ?? '',
					isRepeatable: multiple,
					takesEmpty: true,
				};
				return [name, type === 'boolean' ? flag : {...flag, value: 'value'}];
			}),
	);
}

/** Returns true if the words after a command's name ask for its help, whatever else is wrong with them. */
export function asksForHelp(command: Command, words: readonly string[]): boolean {
	return readFlags(words, withHelp(flagsOf(command))).given.has('help');
}

function withHelp(flags: FlagTable): FlagTable {
	return {...flags, help: globalFlags.help};
}

/**
 * Reads the words after a command's name as values of its schema, by name. `path` is the command as typed, for messages.
 * Throws AppError("usage") for unknown flags, missing or empty values and extra words.
 */
export function readArguments(
	path: string,
	command: Command,
	words: readonly string[],
): Readonly<Record<string, unknown>> {
	const {args, positional = [], rest} = command;
	const fields = fieldsOf(args);
	const flags = flagsOf(command);
	const hint = `Usage: \`${usageOf(path, command)}\``;
	const {given, words: before, behind = [], unknown, fault} = readFlags(words, withHelp(flags));
	if (fault) {
		throw new AppError('usage', fault, {hint});
	}

	if (unknown !== undefined) {
		throw new AppError('usage', unknownFlag(unknown, {...flags, ...globalFlags}, ` for ${path}`), {hint});
	}

	const found: Record<string, unknown> = {};
	for (const [name, {value, isRepeatable}] of Object.entries(flags)) {
		const values = given.get(name);
		if (values && values.length > 1 && command.refusesRepeats && !isRepeatable) {
			throw new AppError('usage', `--${flagOf(name)} is given ${values.length} times.`, {hint});
		}

		if (values) {
			found[name] = isRepeatable ? values : value ? values.at(-1) : true;
		}
	}

	const positionals = [...before, ...behind];
	const free = positional.filter(name => found[name] === undefined);
	for (const [index, name] of free.entries()) {
		const field = fields.find(candidate => candidate.name === name);
		const left = positionals.slice(index);
		const value = rest && index === free.length - 1 ? (field?.multiple ? left : left.join(' ')) : left[0];
		if (value?.length) {
			found[name] = value;
		} else if (field?.required) {
			const choices = choicesOf(args, name);
			const one = choices.length > 0 ? `Choose one of ${choices.join(', ')}. ` : '';
			throw new AppError('usage', `${path} needs <${flagOf(name)}>.`, {hint: one + hint});
		} else if (value === '' && left.length > 0) {
			throw new AppError('usage', `<${flagOf(name)}> is empty.`, {hint: `Pass it, or leave it out. ${hint}`});
		}
	}

	if (!rest && positionals.length > free.length) {
		throw new AppError('usage', `Unexpected argument “${positionals[free.length]}” for ${path}.`, {hint});
	}

	const missing = fields.filter(({name, required}) => required && found[name] === undefined);
	if (missing.length > 0) {
		const named = missing.map(({name}) => `--${flagOf(name)}`);
		throw new AppError('usage', `${path} needs ${new Intl.ListFormat('en').format(named)}.`, {hint});
	}

	return found;
}

/** Zod's message without a locale. Asked for with every check, because other packages set a locale for the whole process. */
const noMessage = 'Invalid input';

const vague = 'is invalid';

/** Checks values against the schema. Throws AppError("usage") that names the argument as the user types it. */
export function parseArguments<T extends z.ZodMiniObject>(
	schema: T,
	values: Readonly<Record<string, unknown>>,
	positional: readonly string[] = [],
): z.infer<T> {
	const read = Object.entries(values).map(([name, value]) => [name, readValue(schema, name, value)]);
	const result = schema.safeParse(Object.fromEntries(read), {error: () => noMessage});
	if (result.success) {
		return result.data as z.infer<T>;
	}

	const [issue] = result.error.issues;
	throw refusalOf(String(issue?.path[0] ?? 'argument'), issue, positional);
}

/** Checks one argument of a command before the others are known. Throws AppError("usage"). */
export function checkArgument({args, positional = []}: Command, name: string, value: unknown): void {
	const schema = args.shape[name] as z.ZodMiniType | undefined;
	const result = schema?.safeParse(readValue(args, name, value), {error: () => noMessage});
	if (result?.success === false) {
		throw refusalOf(name, result.error.issues[0], positional);
	}
}

/** Returns the value as its schema reads it. Blank text, which JavaScript turns into 0, is no number. */
function readValue({shape}: z.ZodMiniObject, name: string, value: unknown): unknown {
	const type = shape[name];
	const isNumber = type !== undefined && innermost(type)._zod.def.type === 'number';
	return isNumber && isBlank(value) ? Number.NaN : value;
}

/** Returns whether a value is text without a character, such as that of `--data "$UNSET"`. */
export const isBlank = (value: unknown): boolean => typeof value === 'string' && value.trim() === '';

function refusalOf(name: string, issue: z.core.$ZodIssue | undefined, positional: readonly string[]): AppError {
	const shown = positional.includes(name) ? `<${flagOf(name)}>` : `--${flagOf(name)}`;
	return new AppError('usage', `${shown} ${wordsOf(issue)}.`);
}

/** Returns what is invalid, from the schema's own message, else from its check. */
function wordsOf(issue: z.core.$ZodIssue | undefined): string {
	if (issue && issue.message !== noMessage) {
		return issue.message;
	}

	switch (issue?.code) {
		case 'invalid_value':
			return `must be one of ${issue.values.join(', ')}`;
		case 'too_small':
			return `must be at least ${issue.minimum}`;
		case 'too_big':
			return `must be at most ${issue.maximum}`;
		case 'invalid_type':
			return issue.expected === 'int'
				? 'must be a whole number'
				: issue.expected === 'number'
					? 'must be a number'
					: vague;
		default:
			return vague;
	}
}
