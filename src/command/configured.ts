import type {LineCounter, Scalar, YAMLMap} from 'yaml';
import type {Environment} from '../core/environment.ts';
import {AppError} from '../core/error.ts';
import {type ArgumentField, checkArgument, fieldsOf, flagOf, isBlank} from './arguments.ts';
import {closest} from './closest.ts';
import type {Command} from './context.ts';

/** Where the values of flags come from, besides the command line. */
export type ConfigSources = {
	/** How variables begin: `SERVICE_SERVE_`. `<prefix>PORT` sets `--port`, and `<prefix>PORT_FILE` names a file with its value. */
	readonly prefix: string;
	/** The command whose flags variables and the file may set; others leave out what they don't have. */
	readonly main: Command;
	readonly env: Environment;
	/** Returns the text of a file. Throws AppError if it can't be read. */
	readonly read: (path: string) => string;
};

type Values = Readonly<Record<string, unknown>>;

/** Values of flags, and what a sentence calls the source of each that isn't the command line. */
type Configured = {readonly values: Values; readonly origins: ReadonlyMap<string, string>};

/**
 * Adds to the flags of a command line what variables say, then what the file of `--config` says. Throws AppError("usage") that
 * names the source: for an unknown variable or key, with the nearest one, and for a value that the command doesn't take.
 */
export async function readConfigured(command: Command, given: Values, sources: ConfigSources): Promise<Configured> {
	const known = fieldsOf(sources.main.args);
	const variables = readVariables(known, sources);
	assertNotBlank('--config', given['config']);
	const path = given['config'] ?? variables.get('config')?.value;
	const keys = path === undefined ? new Map<string, Setting>() : await readKeys(String(path), known, sources);
	const values: Record<string, unknown> = {...given};
	const origins = new Map<string, string>();
	for (const {name, type, multiple} of known) {
		const setting = variables.get(name) ?? keys.get(name);
		if (values[name] !== undefined) {
			assertNotBlank(`--${flagOf(name)}`, values[name]);
			continue;
		}

		if (!setting || !(name in command.args.shape)) {
			continue;
		}

		assertNotBlank(setting.origin, setting.value);

		const one = type === 'boolean' ? toBoolean(setting) : setting.value;
		// As PATH has folders.
		const value = multiple ? setting.value.split(':') : one;
		try {
			checkArgument(command, name, value);
		} catch (error) {
			throw error instanceof AppError
				? new AppError('usage', error.message.replace(`--${flagOf(name)}`, setting.origin), {hint: error.hint})
				: error;
		}

		values[name] = value;
		origins.set(name, setting.origin);
	}

	return {values, origins};
}

/** Throws AppError("usage") for a blank value. No flag of a server takes one. */
function assertNotBlank(origin: string, value: unknown): void {
	if (isBlank(value)) {
		throw new AppError('usage', `${origin} is empty.`, {hint: 'Leave it out for the default.'});
	}
}

/** Returns the error with the sources of the flags that it names, if those aren't on the command line. */
export function nameOrigins(error: unknown, origins: Configured['origins']): unknown {
	if (!(error instanceof AppError) || error.code !== 'usage') {
		return error;
	}

	const named = [...origins].filter(([name]) =>
		new RegExp(`--${flagOf(name)}(?![\\w-])`).test(`${error.message} ${error.hint ?? ''}`),
	);
	if (named.length === 0) {
		return error;
	}

	const where = named.map(([name, origin]) => `--${flagOf(name)} is set by ${origin}.`);
	const hint = error.hint?.replace(/([^.:?!])$/, '$1.');
	return new AppError('usage', error.message, {hint: [hint, ...where].join(' ').trim(), cause: error});
}

/** A value and where it stands, as a sentence names it. */
type Setting = {readonly value: string; readonly origin: string};
type Fields = readonly ArgumentField[];

/** Returns what the variable of a flag is called behind the prefix. */
export const variableOf = (name: string): string => flagOf(name).replaceAll('-', '_').toUpperCase();

/** Reads the variables of all flags. An empty one counts as none, because that is how compose files leave one out. */
function readVariables(fields: Fields, {prefix, env, read}: ConfigSources): ReadonlyMap<string, Setting> {
	const byVariable = new Map(fields.map(({name}) => [variableOf(name), name]));
	const settings = new Map<string, Setting>();
	for (const [variable, value] of Object.entries(env)) {
		if (!variable.startsWith(prefix) || !value) {
			continue;
		}

		const rest = variable.slice(prefix.length);
		const isFile = !byVariable.has(rest) && rest.endsWith('_FILE');
		const name = byVariable.get(isFile ? rest.slice(0, -'_FILE'.length) : rest);
		if (name === undefined) {
			const [, plain = '', ending = ''] = /^(.*?)(_FILE)?$/.exec(rest.toUpperCase()) ?? [];
			const near = closest(plain, [...byVariable.keys()]);
			const meant = near ? ` Did you mean ${prefix}${near}${ending}?` : '';
			throw new AppError('usage', `Unknown variable ${variable}.${meant}`, {
				hint: 'Flags as variables: `$ serve --help`',
			});
		}

		if (settings.has(name)) {
			const plain = `${prefix}${variableOf(name)}`;
			throw new AppError('usage', `${plain} and ${plain}_FILE are both set.`, {hint: 'Unset one of them.'});
		}

		settings.set(name, {value: isFile ? readSecret(read, value) : value, origin: variable});
	}

	return settings;
}

/** Returns the text of a file with one value, without the line break at its end. */
export function readSecret(read: ConfigSources['read'], path: string): string {
	return read(path).replace(/\r?\n$/, '');
}

/** Reads the keys of a file of YAML. Throws AppError("usage") that names the line. */
async function readKeys(path: string, fields: Fields, {read}: ConfigSources): Promise<ReadonlyMap<string, Setting>> {
	const {default: yaml} = await import('yaml');
	const lines = new yaml.LineCounter();
	const document = yaml.parseDocument(read(path), {lineCounter: lines, schema: 'core', stringKeys: true});
	const fault = document.errors[0] ?? document.warnings[0];
	if (fault) {
		const [first = ''] = fault.message.split('\n');
		throw invalid(path, lines.linePos(fault.pos[0]).line, first.replace(/ at line .*$/, '').replace(/:?$/, '.'));
	}

	const root = document.contents;
	if (root === null) {
		return new Map();
	}

	if (!yaml.isMap(root)) {
		throw new AppError('usage', `${path} must have lines such as “port: 8700”.`);
	}

	return readPairs(path, fields, {root, lines, isScalar: yaml.isScalar});
}

type Parsed = {
	readonly root: YAMLMap<unknown, unknown>;
	readonly lines: LineCounter;
	readonly isScalar: (node: unknown) => node is Scalar;
};

function readPairs(path: string, fields: Fields, {root, lines, isScalar}: Parsed): ReadonlyMap<string, Setting> {
	const byKey = new Map(fields.filter(({name}) => name !== 'config').map(({name}) => [flagOf(name), name]));
	const settings = new Map<string, Setting>();
	for (const {key, value} of root.items) {
		const line = lines.linePos(isScalar(key) ? (key.range?.[0] ?? 0) : 0).line;
		const text = isScalar(key) ? String(key.value) : '';
		const name = byKey.get(text);
		if (name === undefined) {
			const near = closest(text, [...byKey.keys()]);
			throw invalid(path, line, `Unknown key “${text}”.${near ? ` Did you mean “${near}”?` : ''}`);
		}

		if (!isScalar(value) || value.value === null) {
			throw invalid(path, line, `“${text}” needs one value.`);
		}

		// As it is written: 1.10 is the number 1.1.
		const written = value.type === 'PLAIN' ? value.source : undefined;
		settings.set(name, {value: written ?? String(value.value), origin: `“${text}” in line ${line} of ${path}`});
	}

	return settings;
}

function invalid(path: string, line: number, what: string): AppError {
	return new AppError('usage', `${path}, line ${line}: ${what}`, {hint: 'Flags as keys: `$ serve --help`'});
}

const booleans: Readonly<Record<string, boolean>> = {true: true, yes: true, 1: true, false: false, no: false, 0: false};

function toBoolean({value, origin}: Setting): boolean {
	const isTrue = booleans[value.trim().toLowerCase()];
	if (isTrue === undefined) {
		throw new AppError('usage', `${origin} must be true or false, not “${value}”.`);
	}

	return isTrue;
}
