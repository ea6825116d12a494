import type {Hunk, HunkLine} from '../../agent/changes/hunks.ts';
import type {ReviewedFile} from '../../agent/changes/review.ts';
import {pathText} from '../../agent/paths/path-text.ts';
import {formatAmount} from '../../core/format.ts';
import type {Result} from '../result.ts';

/** Returns the changes of the agent as a unified diff, with the same as data. */
export function diffResult(files: readonly ReviewedFile[]): Result {
	return files.length === 0
		? {kind: 'text', text: noChanges, data: {files: []}}
		: {kind: 'lines', lines: files.flatMap(unifiedLines), data: {files: files.map(dataOf)}};
}

/** What the diff of a session without changes says. */
export const noChanges = 'No changes by the agent.';

/** Returns `2 files, +10 -3`. */
export function totalOf(files: readonly ReviewedFile[]): string {
	const sum = (side: 'added' | 'removed') => files.reduce((total, file) => total + file[side], 0);
	return `${formatAmount(files.length, 'file')}, +${sum('added')} −${sum('removed')}`;
}

/** Returns the change of a file as a unified diff. */
export function unifiedLines({path, kind, note, hunks}: ReviewedFile): readonly string[] {
	const name = pathText(path);
	return [
		`--- ${kind === 'created' ? '/dev/null' : `a/${name}`}`,
		`+++ ${kind === 'deleted' ? '/dev/null' : `b/${name}`}`,
		...(hunks.length === 0 && note ? [`# ${note}`] : []),
		...hunks.flatMap(hunk => [headOf(hunk), ...hunk.lines.flatMap(lineOf)]),
	];
}

function headOf({oldStart, newStart, lines}: Hunk): string {
	const count = (without: HunkLine['sign']) => lines.filter(({sign}) => sign !== without).length;
	const [old, now] = [count('+'), count('-')];
	// A side without lines begins before its first line.
	return `@@ -${old === 0 ? oldStart - 1 : oldStart},${old} +${now === 0 ? newStart - 1 : newStart},${now} @@`;
}

function lineOf({sign, text, hasEnd}: HunkLine): readonly string[] {
	return [`${sign}${text}`, ...(hasEnd ? [] : ['\\ No newline at end of file'])];
}

function dataOf({path, kind, added, removed, note, isUsersToo, hunks}: ReviewedFile) {
	return {
		path,
		kind,
		added,
		removed,
		note,
		changed_by_you: isUsersToo,
		hunks: hunks.map(({oldStart, newStart, lines}) => ({
			old_start: oldStart,
			new_start: newStart,
			lines: lines.map(({sign, text}) => `${sign}${text}`),
		})),
	};
}
