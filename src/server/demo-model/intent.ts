import type {JsonObject} from '../../core/json.ts';
import {uuidSource} from '../../core/uuid.ts';

/** A tool to call, by its name in the client. */
export type IntendedCall = {
	readonly name:
		| 'list_files'
		| 'read_file'
		| 'write_file'
		| 'edit_file'
		| 'search_text'
		| 'run_command'
		| 'fetch_url'
		| 'environment_logs'
		| 'wait_for_log';
	readonly arguments: JsonObject;
};

/** The user's intent, as far as a few patterns can recognize it. */
export type Intent =
	| {readonly kind: 'calls'; readonly calls: readonly IntendedCall[]}
	| {readonly kind: 'hello' | 'help' | 'table' | 'code' | 'long' | 'thanks' | 'other'};

/** Only the start of longer prompts is read. */
const maxPromptLength = 500;

const kinds = [
	['help', /^\W*help\b|what can (?:you|i) do|how (?:do|does|can) .{0,40}(?:work|use)|who are you|what are you/i],
	['table', /\btable\b/i],
	['long', /\blong (?:answer|text|story|reply)\b/i],
	['code', /\b(?:some|example|sample|write|show).{0,20}\bcode\b/i],
	['thanks', /^\W*(?:thanks|thank you|thx)\b/i],
	['hello', /^\W*(?:hi|hello|hey|hallo|moin|servus|good (?:morning|day|evening))\b/i],
] as const;

/** Reads a prompt. Calls take precedence: “hello, list the files” is a request for files. */
export function readIntent(prompt: string): Intent {
	const text = prompt.slice(0, maxPromptLength).trim();
	const log = logCalls(text);
	// “Find out from the log …” is not a search.
	const calls = log.length > 0 ? log : [...listCalls(text), ...readCalls(text), ...searchCalls(text)];
	if (calls.length > 0) {
		return {kind: 'calls', calls};
	}

	return {kind: kinds.find(([, pattern]) => pattern.test(text))?.[0] ?? 'other'};
}

function listCalls(text: string): readonly IntendedCall[] {
	const wanted = /\b(?:list|show|what|which|see)\b[^.?!\n]{0,40}\bfiles\b|^\W*ls\b/i.test(text);
	const folder =
		/\bfiles (?:in|of|under|below) (?:the (?:folder |directory )?)?[`"']?([\w@.-]*\/[\w@./-]*|src|test|docs)\b/i.exec(
			text,
		)?.[1];
	return wanted ? [{name: 'list_files', arguments: folder ? {path: folder} : {}}] : [];
}

/** A path has a slash or an extension, or is a name that every project has. */
const path = String.raw`[\w@.-]*(?:\/[\w@.-]+)+|[\w@-][\w@.-]*\.\w{1,8}|\.\w[\w.]{2,}|README|LICENSE|Makefile|Dockerfile`;
const readPattern = new RegExp(
	String.raw`\b(?:read|open|show|cat|print|and|typos? in|spelling (?:of|in))\b(?: me)?(?: the)?(?: file)? [\x60"']?(${path})(?=[\x60"',;:?!\s]|\.?$|\.\s)`,
	'gi',
);

function readCalls(text: string): readonly IntendedCall[] {
	const wanted = /\b(?:read|open|show|cat|print|fix)\b|(?<!\S)@\S/i.test(text);
	return (wanted ? namedFiles(text) : []).map(found => ({name: 'read_file', arguments: {path: found}}));
}

const mentionPattern = new RegExp(String.raw`(?<!\S)@(${path})`, 'g');

/** Returns the first files that a prompt names, as in “read src/a.ts”, “the typo in README” or “explain @src/a.ts”. */
export function namedFiles(prompt: string): readonly string[] {
	const text = prompt.slice(0, maxPromptLength);
	const named = [...text.matchAll(readPattern), ...text.matchAll(mentionPattern)];
	const paths = named.map(match => (match[1] ?? '').replace(/^@|\.$/g, ''));
	return [...new Set(paths)].slice(0, 5);
}

function searchCalls(text: string): readonly IntendedCall[] {
	const [, quoted, plain] =
		/\b(?:search|find|grep|look(?= for\b))(?: for)?(?: the (?:word|text))? (?:[`"“']([^`"”'\n]+)[`"”']|([^\n]+))/i.exec(
			text,
		) ?? [];
	const pattern = quoted ?? plain?.replace(/\s+in (?:the|this|these|all|my) .*$/i, '').replace(/[\s.?!]+$/, '');
	return pattern ? [{name: 'search_text', arguments: {pattern: pattern.slice(0, 200), literal: true}}] : [];
}

const uuid = String.raw`(${uuidSource})\b`;
const ofLog = new RegExp(
	String.raw`\blogs?\b[^.?!\n]{0,20} (?:of|from|for|in) [^.?!\n]{0,30}?${uuid}|\b${uuid}[^.?!\n]{0,20}\blogs?\b`,
	'i',
);

/** Matches “what does the log of 0b5e… say” and “wait for `listens` in the log of 0b5e…”. */
function logCalls(text: string): readonly IntendedCall[] {
	const [, before, behind] = ofLog.exec(text) ?? [];
	const environment = before ?? behind;
	if (!environment) {
		return [];
	}

	const pattern = /\bwait (?:for|until)\b[^`"“\n]{0,40}[`"“]([^`"”\n]+)[`"”]/i.exec(text)?.[1];
	return [
		pattern
			? {name: 'wait_for_log', arguments: {environment, pattern, timeout_seconds: 30}}
			: {name: 'environment_logs', arguments: {environment, lines: 20}},
	];
}
