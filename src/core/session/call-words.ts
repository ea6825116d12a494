import type {Json, JsonObject} from '../json.ts';
import {todoItems, todoProgress} from './todo.ts';

/** A tool call in words: what it does, and to what. Untrusted, because the subject comes from the model. */
export type CallWords = {readonly verb: string; readonly subject: string};

type Words = {
	readonly verb: string;
	/** Returns undefined if the arguments don't fit. */
	readonly subject: (args: JsonObject) => string | undefined;
	/** What it does with files of the working folder: it reads or changes the one at `path`, or finds some. */
	readonly files?: 'read' | 'find' | 'change';
};

const maxSubject = 500;

/** What the model calls a tool of an MCP server. */
export const mcpName = /^mcp__(.+?)__(.+)$/;

const knownCalls: ReadonlyMap<string, Words> = new Map<string, Words>([
	['run_command', {verb: 'Run', subject: commandOf}],
	['job_output', {verb: 'Read', subject: args => given(args, 'job', job => `output of job ${job}`)}],
	['job_stop', {verb: 'Stop', subject: args => given(args, 'job', job => `job ${job}`)}],
	['write_file', {verb: 'Write', subject: args => text(args, 'path'), files: 'change'}],
	['edit_file', {verb: 'Edit', subject: args => text(args, 'path'), files: 'change'}],
	['read_file', {verb: 'Read', subject: args => given(args, 'path', path => path + rangeOf(args)), files: 'read'}],
	['list_files', {verb: 'List', subject: listed, files: 'find'}],
	['search_text', {verb: 'Search', subject: searched, files: 'find'}],
	['fetch_url', {verb: 'Fetch', subject: fetched}],
	['todo', {verb: 'Todo', subject: progressOf}],
	['ask_user', {verb: 'Ask', subject: args => text(args, 'question')}],
	['task', {verb: 'Task', subject: args => text(args, 'description') ?? text(args, 'prompt')}],
	['environment_logs', {verb: 'Read', subject: args => given(args, 'environment', id => `log of ${id.slice(0, 8)}`)}],
	['wait_for_log', {verb: 'Wait', subject: args => given(args, 'pattern', pattern => `for “${pattern}” in the log`)}],
]);

/**
 * Returns a call in words: its own if its tool said some. A call of an unknown tool, or with unexpected arguments, is its name
 * and its arguments.
 */
export function callWords(name: string, args: JsonObject, own?: CallWords): CallWords {
	if (own) {
		return {verb: own.verb, subject: own.subject.slice(0, maxSubject)};
	}

	const {verb = '', subject} = knownCalls.get(name) ?? {};
	const words = subject?.(args);
	return words === undefined
		? {verb: ownName(name), subject: summarize(args)}
		: {verb, subject: words.slice(0, maxSubject)};
}

/** Returns a call in words as one text. */
export function callText(name: string, args: JsonObject, own?: CallWords): string {
	const {verb, subject} = callWords(name, args, own);
	return subject ? `${verb} ${subject}` : verb;
}

/** True for a tool that only reads files, or finds them. */
export function readsFiles(name: string): boolean {
	const use = knownCalls.get(name)?.files;
	return use === 'read' || use === 'find';
}

/** True for a tool that works on the file at its `path`. */
export function opensFile(name: string): boolean {
	const use = knownCalls.get(name)?.files;
	return use === 'read' || use === 'change';
}

/** Returns the verb of a tool's calls; the name of an unknown tool, and of an MCP server's. */
export function callVerb(name: string): string {
	return knownCalls.get(name)?.verb ?? ownName(name);
}

/** Returns a tool of an MCP server as `server · tool`, by the names that the user and the server gave them. */
function ownName(name: string): string {
	const [, server, tool] = mcpName.exec(name) ?? [];
	return server && tool ? `${server} · ${tool}` : name;
}

function text(args: JsonObject, name: string): string | undefined {
	const value = args[name];
	return typeof value === 'string' && value !== '' ? value : undefined;
}

function given(args: JsonObject, name: string, say: (value: string) => string): string | undefined {
	const value = args[name];
	return (typeof value === 'string' && value !== '') || typeof value === 'number' ? say(String(value)) : undefined;
}

function commandOf(args: JsonObject): string | undefined {
	return given(args, 'command', command => (args['background'] === true ? `${command} in the background` : command));
}

/** Returns the lines to read as `:10-40`, or `:10-` up to the end. */
function rangeOf({offset, limit}: JsonObject): string {
	const count = typeof limit === 'number' ? limit : undefined;
	const first = typeof offset === 'number' ? offset : 1;
	const isWhole = first === 1 && count === undefined;
	return isWhole ? '' : `:${first}-${count === undefined ? '' : first + count - 1}`;
}

function listed(args: JsonObject): string {
	const folder = folderOf(args);
	const pattern = text(args, 'pattern');
	return pattern ? `${pattern}${folder ? ` in ${folder}` : ''}` : (folder ?? 'files');
}

function searched(args: JsonObject): string | undefined {
	const places = [folderOf(args), text(args, 'glob')].filter(place => place !== undefined);
	return given(args, 'pattern', pattern => `“${pattern}”${places.length > 0 ? ` in ${places.join(', ')}` : ''}`);
}

function folderOf(args: JsonObject): string | undefined {
	const path = text(args, 'path');
	return path === '.' ? undefined : path;
}

function fetched(args: JsonObject): string | undefined {
	const method = (text(args, 'method') ?? 'GET').toUpperCase();
	return given(args, 'url', url => (method === 'GET' ? url : `${url} (${method})`));
}

function progressOf(args: JsonObject): string | undefined {
	const items = todoItems(args);
	return items && todoProgress(items);
}

/** Arguments that would fill the line, and are shown as a diff. */
const isShownAsDiff: ReadonlySet<string> = new Set(['content', 'edits']);

/** Returns arguments on one line: strings unchanged, others as JSON; all but the first with their names. */
function summarize(args: JsonObject): string {
	return Object.entries(args)
		.filter(([name]) => !isShownAsDiff.has(name))
		.map(([name, value], index) => (index === 0 ? show(value) : `${name}=${show(value)}`))
		.join(' ')
		.slice(0, maxSubject);
}

function show(value: Json): string {
	return typeof value === 'string' ? value.slice(0, 300) : JSON.stringify(value).slice(0, 300);
}
