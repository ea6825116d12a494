import {structuredPatch} from 'diff';
import {hasRedactable, redactKnownLines} from '../../../core/secrets/redact.ts';
import type {FileChange} from '../../../core/session/event.ts';
import {withLf} from './apply-edits.ts';

type Hunk = {readonly oldStart: number; readonly newStart: number; readonly lines: readonly string[]};
type Counts = Pick<FileChange, 'added' | 'removed'>;

/** Lines around each change. */
const context = 3;
/** More differences are not sought: the whole of both texts is shown instead. */
const maxEdits = 1000;
/** Most characters of a diff in the journal. */
const maxRecorded = 64_000;

/** A change as the user sees it, and as the journal keeps it: without credentials (SAFETY 8) and of limited length. */
export type DescribedChange = {readonly exact: FileChange; readonly recorded: FileChange};

/** Describes the change of a text, as a unified diff. Empty `before` is a new file. */
export function describeChange(path: string, before: string, after: string): DescribedChange {
	// Line ends that stay the same aren't part of the change.
	const isCrlf = [before, after].every(text => !/(?:^|[^\r])\n/.test(text));
	const [old, now] = isCrlf ? [withLf(before), withLf(after)] : [before, after];
	const hunks = hunksOf(old, now);
	const counts = countChanges(hunks);
	const exact = {path, ...counts, diff: diffText(hunks)};
	const safe = [old, now].some(hasRedactable) ? diffText(redacted(hunks, old, now)) : exact.diff;
	return {exact, recorded: {...exact, diff: shortened(safe)}};
}

function hunksOf(before: string, after: string): readonly Hunk[] {
	const patch = structuredPatch('', '', before, after, '', '', {context, maxEditLength: maxEdits});
	return patch?.hunks ?? [replacedWhole(before, after)];
}

function replacedWhole(before: string, after: string): Hunk {
	const lines = [...linesOf(before).map(line => `-${line}`), ...linesOf(after).map(line => `+${line}`)];
	return {oldStart: 1, newStart: 1, lines};
}

function countChanges(hunks: readonly Hunk[]): Counts {
	const count = (sign: string) =>
		hunks.reduce((sum, {lines}) => sum + lines.filter(line => line.startsWith(sign)).length, 0);
	return {added: count('+'), removed: count('-')};
}

function diffText(hunks: readonly Hunk[]): string {
	return hunks
		.map(({oldStart, newStart, lines}) => [`@@ -${oldStart} +${newStart} @@`, ...lines].join('\n'))
		.join('\n');
}

/** Hides credentials. Lines are redacted within their whole text, because a private key is known by its first line. */
function redacted(hunks: readonly Hunk[], before: string, after: string): readonly Hunk[] {
	const [safeBefore, safeAfter] = [redactKnownLines(before.split('\n')), redactKnownLines(after.split('\n'))];
	return hunks.map(hunk => {
		let [old, now] = [hunk.oldStart - 1, hunk.newStart - 1];
		const lines = hunk.lines.map(line => {
			const sign = line[0] ?? ' ';
			const safe = sign === '-' ? safeBefore[old] : sign === '\\' ? line.slice(1) : safeAfter[now];
			old += sign === '-' || sign === ' ' ? 1 : 0;
			now += sign === '+' || sign === ' ' ? 1 : 0;
			return `${sign}${safe ?? ''}`;
		});
		return {...hunk, lines};
	});
}

/** Keeps whole lines of a long diff. */
function shortened(diff: string): string {
	if (diff.length <= maxRecorded) {
		return diff;
	}

	const end = diff.lastIndexOf('\n', maxRecorded);
	return diff.slice(0, end > 0 ? end : maxRecorded);
}

function linesOf(text: string): readonly string[] {
	const lines = text.split('\n');
	return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}
