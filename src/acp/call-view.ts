import {resolve} from 'node:path';
import {codeFence} from '../core/code-fence.ts';
import type {JsonObject} from '../core/json.ts';
import type {ToolBlock} from '../core/session/block.ts';
import {type CallWords, callText, opensFile, readsFiles} from '../core/session/call-words.ts';
import type {FileChange} from '../core/session/event.ts';
import type {ToolCallContent, ToolCallLocation, ToolKind} from './protocol.ts';

/** Tools that do anything but work on files of the folder. All others are of the kind `other`. */
const kinds: Readonly<Record<string, ToolKind>> = {run_command: 'execute', fetch_url: 'fetch'};

/** Returns what a call does, as editors sort calls. */
export function kindOfCall(name: string): ToolKind {
	if (readsFiles(name)) {
		return opensFile(name) ? 'read' : 'search';
	}

	return opensFile(name) ? 'edit' : (kinds[name] ?? 'other');
}

/** Returns a call on one line. */
export function titleOfCall(name: string, args: JsonObject, words?: CallWords): string {
	return callText(name, args, words).replace(/\s+/g, ' ').trim();
}

/** Returns the file or the folder that a call works on, as an absolute path, with the line that it begins at. */
export function locationsOfCall(name: string, {path, offset}: JsonObject, folder: string): ToolCallLocation[] {
	const isOfFiles = readsFiles(name) || opensFile(name);
	const line = typeof offset === 'number' && Number.isInteger(offset) && offset > 0 ? {line: offset} : {};
	return isOfFiles && typeof path === 'string' && path !== '' ? [{path: resolve(folder, path), ...line}] : [];
}

/** Where a hunk begins in the new text. */
const hunkHead = /^@@ -\d+ \+(\d+) @@$/;

/** A place of a file that changes: what was there before and is afterwards, with the lines around. */
type Hunk = {readonly line: number; readonly before: string; readonly after: string};

/** Returns the hunks of a unified diff. */
export function hunksOf(diff: string): readonly Hunk[] {
	const hunks: {line: number; before: string[]; after: string[]}[] = [];
	let last = '';
	for (const line of diff.split('\n')) {
		const [, start] = hunkHead.exec(line) ?? [];
		const hunk = hunks.at(-1);
		if (start !== undefined) {
			hunks.push({line: Number(start), before: [], after: []});
		} else if (line.startsWith('\\') && hunk) {
			// The line before it has no line end.
			for (const side of last === '-' ? [hunk.before] : last === '+' ? [hunk.after] : [hunk.before, hunk.after]) {
				side.push((side.pop() ?? '').replace(/\n$/, ''));
			}
		} else if (hunk) {
			const text = `${line.slice(1)}\n`;
			last = line.charAt(0);
			hunk.before.push(...(last === '+' ? [] : [text]));
			hunk.after.push(...(last === '-' ? [] : [text]));
		}
	}

	return hunks.map(({line, before, after}) => ({line, before: before.join(''), after: after.join('')}));
}

/**
 * Returns a change of a file as diffs, one for each place in it. A text that wasn't there before is that of a new file: an
 * empty one looks the same.
 */
export function diffsOf({path, diff, removed}: FileChange, folder: string): ToolCallContent[] {
	const absolute = resolve(folder, path);
	const hunks = hunksOf(diff);
	const isNew = removed === 0 && hunks.length === 1 && hunks[0]?.before === '';
	return hunks.map(({before, after}) => ({
		type: 'diff',
		path: absolute,
		oldText: isNew ? null : before,
		newText: after,
	}));
}

/** Returns the places that a change of a file has. */
export function placesOf({path, diff}: FileChange, folder: string): ToolCallLocation[] {
	return hunksOf(diff).map(({line}) => ({path: resolve(folder, path), line: Math.max(1, line)}));
}

/** Most characters of an output that an editor gets: its end. The model reads more. */
const maxOutput = 16_384;

/** Returns the end of an output, from the beginning of a line. */
export function endOfOutput(text: string): string {
	if (text.length <= maxOutput) {
		return text;
	}

	const end = text.slice(-maxOutput);
	return `…\n${end.slice(end.indexOf('\n') + 1)}`;
}

/** Returns a text as the content of a call; none for an empty one. Commands and files are shown as they are. */
export function outputOf(text: string): ToolCallContent[] {
	const shown = endOfOutput(text);
	return shown.trim() ? [{type: 'content', content: {type: 'text', text: codeFence(shown)}}] : [];
}

type Ended = Pick<ToolBlock, 'output' | 'change'> & {readonly failed: boolean};

/** Returns what a call shows once it has ended: the change that it made, or else what it says. */
export function contentOfResult({output, change, failed}: Ended, folder: string): ToolCallContent[] {
	const diffs = change && !failed ? diffsOf(change, folder) : [];
	return diffs.length > 0 ? diffs : outputOf(output);
}
