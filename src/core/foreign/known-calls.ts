import {isJsonObject, type Json, type JsonObject} from '../json.ts';
import {listOf, member, textOf} from './foreign-session.ts';

type Call = {readonly name: string; readonly arguments: JsonObject};

/**
 * Returns a call of another client as one of ours, if it does the same: the screen draws it as such, and the model goes on
 * with tools that it has. What ours doesn't know stays beside it; a call of any other tool stays as it is.
 */
export function knownCall(name: string, args: JsonObject): Call {
	const own = Object.hasOwn(calls, name) ? calls[name]?.(args) : undefined;
	return own ?? {name: name || 'unknown', arguments: args};
}

const calls: Readonly<Record<string, (args: JsonObject) => Call | undefined>> = {
	// Claude Code
	Bash: args =>
		renamed('run_command', args, {command: 'command', run_in_background: 'background', description: 'description'}),
	Read: args => renamed('read_file', args, {file_path: 'path', offset: 'offset', limit: 'limit'}),
	Write: args => renamed('write_file', args, {file_path: 'path', content: 'content'}),
	Edit: args => edited(args, [args]),
	MultiEdit: args => edited(args, listOf(args['edits'])),
	Grep: args => renamed('search_text', args, {pattern: 'pattern', path: 'path'}),
	WebFetch: args => renamed('fetch_url', args, {url: 'url'}),
	Task: args => renamed('task', args, {prompt: 'prompt', description: 'description'}),
	Agent: args => renamed('task', args, {prompt: 'prompt', description: 'description'}),
	TodoWrite: args => planned(listOf(args['todos']), 'content'),
	// Codex
	shell: args => ran(args, args['command']),
	local_shell: args => ran(args, args['command']),
	shell_command: args => ran(args, args['command']),
	exec_command: args => ran(args, args['cmd']),
	update_plan: args => planned(listOf(args['plan']), 'step'),
};

/** Returns the call with other names of its arguments; undefined if it lacks the first of them. */
function renamed(name: string, args: JsonObject, names: Readonly<Record<string, string>>): Call | undefined {
	const [needed = ''] = Object.keys(names);
	return typeof args[needed] === 'string'
		? {name, arguments: Object.fromEntries(Object.entries(args).map(([key, value]) => [names[key] ?? key, value]))}
		: undefined;
}

function edited({file_path: path, ...rest}: JsonObject, found: readonly unknown[]): Call | undefined {
	const edits = found.flatMap((edit): Json[] => {
		const [old, changed] = [member(edit, 'old_string'), member(edit, 'new_string')];
		return typeof old === 'string' && typeof changed === 'string'
			? [{old_text: old, new_text: changed, ...(member(edit, 'replace_all') === true && {replace_all: true})}]
			: [];
	});
	const {old_string: _, new_string: __, replace_all: ___, edits: ____, ...others} = rest;
	return typeof path === 'string' && edits.length > 0 && edits.length === found.length
		? {name: 'edit_file', arguments: {path, edits, ...others}}
		: undefined;
}

const shells = /^(?:\/(?:usr\/)?bin\/)?(?:ba|z|da)?sh$/;

/** Returns a command line; of `bash -lc "line"` that is the line. */
function ran({command: _, cmd: __, ...others}: JsonObject, given: Json | undefined): Call | undefined {
	const words = listOf(given).map(textOf);
	const [program = '', flags = '', line] = words;
	const isLine = words.length === 3 && shells.test(program) && /^-l?c$/.test(flags);
	const command = typeof given === 'string' ? given : isLine ? (line ?? '') : words.join(' ');
	return command ? {name: 'run_command', arguments: {command, ...others}} : undefined;
}

const states: Readonly<Record<string, string>> = {pending: 'pending', in_progress: 'active', completed: 'done'};

function planned(items: readonly unknown[], name: string): Call | undefined {
	const known = items.flatMap((item): Json[] => {
		const [text, state] = [member(item, name), states[textOf(member(item, 'status'))]];
		return typeof text === 'string' && state !== undefined ? [{text, state}] : [];
	});
	return known.length > 0 && known.length === items.length ? {name: 'todo', arguments: {items: known}} : undefined;
}

/** Returns JSON text as an object, as Codex keeps arguments; any other text as it is. */
export function parsedArguments(text: unknown): unknown {
	if (typeof text !== 'string') {
		return text;
	}

	try {
		const value: unknown = JSON.parse(text);
		return isJsonObject(value) ? value : text;
	} catch {
		return text;
	}
}
