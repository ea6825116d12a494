import {structuredPatch} from 'diff';
import {hasRedactable, redactKnownLines, redactLines} from '../../../core/secrets/redact.ts';
import type {FileChange} from '../../../core/session/event.ts';
import {withLf} from './apply-edits.ts';
import {splitLines} from './read-text.ts';

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

/**
 * Describes the change of a text, as a unified diff. Empty `before` is a new file. In a file whose name suggests secrets,
 * any value may be one.
 */
export function describeChange(path: string, before: string, after: string, isSecret = false): DescribedChange {
	// Line ends that stay the same aren't part of the change.
	const isCrlf = [before, after].every(text => !/(?:^|[^\r])\n/.test(text));
	const [old, now] = isCrlf ? [withLf(before), withLf(after)] : [before, after];
	const hunks = hunksOf(old, now);
	const counts = countChanges(hunks);
	const exact = {path, ...counts, diff: diffText(hunks)};
	const hide = isSecret ? redactLines : [old, now].some(hasRedactable) ? redactKnownLines : undefined;
	const safe = hide ? diffText(redacted(hunks, hide(splitLines(old, '\n')), hide(splitLines(now, '\n')))) : exact.diff;
	return {exact, recorded: {...exact, diff: shortened(safe)}};
}

function hunksOf(before: string, after: string): readonly Hunk[] {
	const patch = structuredPatch('', '', before, after, '', '', {context, maxEditLength: maxEdits});
	return patch?.hunks ?? [replacedWhole(before, after)];
}

function replacedWhole(before: string, after: string): Hunk {
	const lines = [
		...splitLines(before, '\n').map(line => `-${line}`),
		...splitLines(after, '\n').map(line => `+${line}`),
	];
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

/**
 * Returns the hunks with safe lines instead of those of the texts. Whole texts are made safe, because a private key is
 * known by its first line.
 */
function redacted(
	hunks: readonly Hunk[],
	safeBefore: readonly string[],
	safeAfter: readonly string[],
): readonly Hunk[] {
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
