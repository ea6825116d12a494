import type {JsonObject} from '../../core/json.ts';
import {uuidSource} from '../../core/uuid.ts';

/** A tool that should be called, by the name that the client's tools have. */
export type WishedCall = {
	readonly name: 'list_files' | 'read_file' | 'search_text' | 'environment_logs' | 'wait_for_log';
	readonly arguments: JsonObject;
};

/** What the person wants, as far as a few patterns can tell. */
export type Wish =
	| {readonly kind: 'calls'; readonly calls: readonly WishedCall[]}
	| {readonly kind: 'hello' | 'help' | 'table' | 'code' | 'long' | 'thanks' | 'other'};

/** Longer prompts are not looked at in full. */
const longestPrompt = 500;

const kinds = [
	['help', /^\W*help\b|what can (?:you|i) do|how (?:do|does|can) .{0,40}(?:work|use)|who are you|what are you/i],
	['table', /\btable\b/i],
	['long', /\blong (?:answer|text|story|reply)\b/i],
	['code', /\b(?:some|example|sample|write|show).{0,20}\bcode\b/i],
	['thanks', /^\W*(?:thanks|thank you|thx)\b/i],
	['hello', /^\W*(?:hi|hello|hey|hallo|moin|servus|good (?:morning|day|evening))\b/i],
] as const;

/** Reads a prompt. Calls come first: "hello, list the files" is a wish for files. */
export function readWish(prompt: string): Wish {
	const text = prompt.slice(0, longestPrompt).trim();
	const log = readingLog(text);
	// “Find out from the log …” is no search.
	const calls = log.length > 0 ? log : [...listing(text), ...reading(text), ...searching(text)];
	if (calls.length > 0) {
		return {kind: 'calls', calls};
	}

	return {kind: kinds.find(([, pattern]) => pattern.test(text))?.[0] ?? 'other'};
}

function listing(text: string): readonly WishedCall[] {
	const wanted = /\b(?:list|show|what|which|see)\b[^.?!\n]{0,40}\bfiles\b|^\W*ls\b/i.test(text);
	const folder =
		/\bfiles (?:in|of|under|below) (?:the (?:folder |directory )?)?[`"']?([\w@.-]*\/[\w@./-]*|src|test|docs)\b/i.exec(
			text,
		)?.[1];
	return wanted ? [{name: 'list_files', arguments: folder ? {path: folder} : {}}] : [];
}

/** A path has a slash or an extension, or is one of the names that every project has. */
const path = String.raw`[\w@.-]*(?:\/[\w@.-]+)+|[\w@-][\w@.-]*\.\w{1,8}|\.\w[\w.]{2,}|README|LICENSE|Makefile|Dockerfile`;
const readPattern = new RegExp(
	String.raw`\b(?:read|open|show|cat|print|and)\b(?: me)?(?: the)?(?: file)? [\x60"']?(${path})(?=[\x60"',;:?!\s]|\.?$|\.\s)`,
	'gi',
);

function reading(text: string): readonly WishedCall[] {
	const wanted = /\b(?:read|open|show|cat|print)\b/i.test(text);
	const paths = wanted ? [...text.matchAll(readPattern)].map(match => (match[1] ?? '').replace(/\.$/, '')) : [];
	return [...new Set(paths)].slice(0, 5).map(found => ({name: 'read_file', arguments: {path: found}}));
}

function searching(text: string): readonly WishedCall[] {
	const [, quoted, plain] =
		/\b(?:search|find|grep|look)(?: for)?(?: the (?:word|text))? (?:[`"“']([^`"”'\n]+)[`"”']|([^\n]+))/i.exec(text) ??
		[];
	const pattern = quoted ?? plain?.replace(/\s+in (?:the|this|these|all|my) .*$/i, '').replace(/[\s.?!]+$/, '');
	return pattern ? [{name: 'search_text', arguments: {pattern: pattern.slice(0, 200), literal: true}}] : [];
}

const uuid = String.raw`(${uuidSource})\b`;
const ofLog = new RegExp(
	String.raw`\blogs?\b[^.?!\n]{0,20} (?:of|from|for|in) [^.?!\n]{0,30}?${uuid}|\b${uuid}[^.?!\n]{0,20}\blogs?\b`,
	'i',
);

/** “what does the log of 0b5e… say”, “wait for `listens` in the log of 0b5e…”. */
function readingLog(text: string): readonly WishedCall[] {
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
