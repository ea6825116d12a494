import {relative, sep} from 'node:path';
import {structuredPatch} from 'diff';
import {AppError} from '../../../core/error.ts';
import {hasRedactable, redactKnownLines, redactLines} from '../../../core/secrets/redact.ts';
import {mask} from '../../../core/secrets/secret.ts';
import type {FileChange} from '../../../core/session/event.ts';
import type {ToolContext} from '../../../core/session/tool.ts';
import {pathText} from '../../paths/path-text.ts';
import {locateTarget, openLocated, writeBoundsOf} from '../../policy/bounds.ts';
import type {Places} from '../../policy/protected-places.ts';
import {refusal} from '../../policy/rules/rule.ts';
import {isSecretFile} from '../../policy/secret-files.ts';
import {headOf} from '../../unseen/committed-files.ts';
import {identifyContent, identifyFile} from '../../unseen/file-identity.ts';
import {type LedgerPlace, noteSeen, noteUnseen} from '../../unseen/unseen-ledger.ts';
import {withLf} from './apply-edits.ts';
import {contentHash, encodeText, type FileText, maxFileBytes, readOpened, splitLines, utf8} from './read-text.ts';
import {replaceFile} from './replace-file.ts';

/** Returns the new text of a file; `text` is undefined for a new one. Throws `AppError` for what can't be changed. */
type Compute = (text: string | undefined, shown: string) => string;

/**
 * Changes a file of the workspace as a whole, once the user allows the exact result. The model must have read the file as
 * it is now. Returns a sentence for the model. Throws `AppError` if anything is in the way; then nothing was written.
 */
export async function changeFile(
	path: string,
	compute: Compute,
	places: Places,
	context: ToolContext,
): Promise<string> {
	const {workspace, signal, approve, onChange, readFiles} = context;
	const bounds = await writeBoundsOf(workspace, places);
	const {exists, ...located} = await locateTarget(path, bounds);
	const current = exists ? await readOpened(await openLocated(located, bounds), signal) : undefined;
	const name = pathText(located.shown);
	if (current) {
		assertRead(current, name, readFiles);
	}

	const {text = '', encode = (given: string) => encodeText(given, utf8)} = current ?? {};
	const computed = compute(current?.text, name);
	// Half a surrogate pair has no bytes, but in a file of UTF-16 that has one already.
	const next = /\p{Cs}/u.test(text) ? computed : computed.replace(/\p{Cs}/gu, '\uFFFD');
	const bytes = encode(next);
	assertWritable(text, next, bytes, name);
	const isSecret = isSecretFile(located.real);
	const {exact, recorded} = describeChange(located.shown, text, next, isSecret);
	const {selfStarting} = await import('../../policy/self-starting-files.ts');
	const isPartial = selfStarting(located.shown)?.part !== undefined;
	const summary = `${exists ? 'Change' : 'Create'} ${name}?`;
	let isSeen = false;
	const permission = await approve({
		act: {
			kind: isSecret ? 'edit-secret' : 'edit',
			path: located.real,
			...(isPartial && {text: {before: current?.text, after: next}}),
		},
		summary: isSecret ? `${summary} Its name suggests secrets.` : summary,
		subject: `write ${located.real}\n${contentHash(bytes)}`,
		change: recorded,
		exactChange: exact,
		onSeen() {
			isSeen = true;
		},
	});
	if (!permission.allowed) {
		throw refusal(`The user did not allow this change of “${name}”. Nothing was written.`, permission.reason);
	}

	const place = {stateFolder: places.stateFolder, folder: workspace};
	const note = createEditNote(place, {path: located.real, bytes, isSeen});
	const target = {...located, replaces: current?.hash};
	const hadOtherNames = await replaceFile(target, bytes, {bounds, signal, beforeWrite: note.before});
	await note.after();
	readFiles.set(located.real, contentHash(bytes));
	onChange(recorded);
	const {added, removed} = exact;
	const others = hadOtherNames ? ' Its other names (hard links) keep the old content.' : '';
	return `${exists ? 'Changed' : 'Created'} ${name} (+${added} -${removed} lines).${others}`;
}

function assertRead(
	{real, hash, text, encode, bytes, uncertain}: FileText,
	name: string,
	readFiles: ToolContext['readFiles'],
) {
	const known = readFiles.get(real);
	if (known === undefined) {
		throw new AppError('conflict', `“${name}” exists, but you have not read it in this session.`, {
			hint: 'Call read_file first.',
		});
	}

	if (known !== hash) {
		throw new AppError('conflict', `“${name}” was changed since you read it.`, {
			hint: 'Call read_file again, then repeat the change.',
		});
	}

	if (uncertain || !encode(text).equals(bytes)) {
		const [first = '<encoding>'] = uncertain ?? [];
		const guess = uncertain && uncertain.length > 0 ? ` It may be in ${uncertain.join(' or ')}.` : '';
		throw new AppError(
			'failed',
			`“${name}” is not UTF-8, and its encoding is not certain, so it can't be changed without damage.`,
			{
				hint: `${guess} Ask the user which it is. Then convert it, edit it, and convert it back: iconv -f ${first} -t utf-8.`.trim(),
			},
		);
	}
}

function assertWritable(before: string, after: string, bytes: Buffer, name: string): void {
	if (bytes.length > maxFileBytes) {
		throw new AppError('failed', `“${name}” would be too large. Nothing was written.`, {
			hint: 'A file can have 16 MB.',
		});
	}

	if (after.includes('\0') && !before.includes('\0')) {
		throw new AppError('usage', 'A text file has no NUL characters. Nothing was written.');
	}

	if (writesMask(before, after)) {
		throw new AppError('usage', `This would replace a credential in “${name}” by ***. Nothing was written.`, {
			hint: '*** hides a value that you may not see. Edit other lines only, and leave that one as it is.',
		});
	}
}

/**
 * True if a change would replace a credential by the `***` that the model saw in its place: a line with a hidden value
 * is gone, and there are more masks than before.
 */
function writesMask(before: string, after: string): boolean {
	if (masks(after) <= masks(before) || !hasRedactable(before)) {
		return false;
	}

	const lines = splitLines(before);
	const kept = new Set(splitLines(after));
	return redactKnownLines(lines).some((safe, index) => {
		const line = lines[index] ?? '';
		return safe !== line && !kept.has(line);
	});
}

function masks(text: string): number {
	return text.split(mask).length - 1;
}

type Hunk = {readonly oldStart: number; readonly newStart: number; readonly lines: readonly string[]};
type Counts = Pick<FileChange, 'added' | 'removed'>;

/** Lines around each change. */
const context = 3;
/** More differences are not sought: the whole of both texts is shown instead. */
const maxEdits = 1000;
/** Most characters of a diff in the journal. */
const maxRecorded = 64_000;

/** A change as the user sees it, and as the journal keeps it: without credentials (SAFETY 8) and of limited length. */
type DescribedChange = {readonly exact: FileChange; readonly recorded: FileChange};

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

type Edit = {
	/** Absolute. */
	readonly path: string;
	/** What the file will hold. */
	readonly bytes: Buffer;
	/** True if the user was asked about exactly this change. */
	readonly isSeen: boolean;
};

/**
 * Creates the note of an edit, `before` and `after` the file is written: if this program is killed in between, the file is
 * noted as well. Both throw AppError("failed"): an edit that can't be noted isn't made.
 */
function createEditNote(place: LedgerPlace, {path, bytes, isSeen}: Edit) {
	const {folder} = place;
	const name = relative(folder, path).replaceAll(sep, '/');
	let before = '';
	let expected = '';
	const note = async (identity: string) => {
		if (isSeen) {
			await noteSeen(place, name, before, identity);
			return;
		}

		const head = await headOf(folder);
		await noteUnseen(place, new Map([[name, identity]]), 'edit', {before: head, after: head, atMs: Date.now()});
	};
	return {
		async before() {
			before = await identifyFile(path);
			expected = identifyContent(bytes, before.startsWith('program:'));
			await note(expected);
		},
		async after() {
			const now = await identifyFile(path);
			// A large file, or one whose mode isn't the usual one.
			await (now === expected ? undefined : note(now));
		},
	};
}
