import {AppError} from '../../../core/error.ts';
import type {ToolContext} from '../../../core/session/tool.ts';
import type {Places} from '../../policy/protected-places.ts';
import {isSecretFile} from '../../policy/secret-files.ts';
import {createEditNote} from '../../unseen/note-edit.ts';
import {refusal} from '../refusal.ts';
import {locateTarget, openLocated, writeBoundsOf} from './bounds.ts';
import {describeChange} from './file-diff.ts';
import {writesMask} from './masked-values.ts';
import {pathText} from './path-text.ts';
import {contentHash, type FileText, maxFileBytes, readOpened} from './read-text.ts';
import {replaceFile} from './replace-file.ts';
import {encodeText, utf8} from './text-encoding.ts';

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
	// Half a surrogate pair has no bytes.
	const next = compute(current?.text, name).replace(/\p{Cs}/gu, '\uFFFD');
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
	await replaceFile({...located, replaces: current?.hash}, bytes, {bounds, signal, beforeWrite: note.before});
	await note.after();
	readFiles.set(located.real, contentHash(bytes));
	onChange(recorded);
	const {added, removed} = exact;
	return `${exists ? 'Changed' : 'Created'} ${name} (+${added} -${removed} lines).`;
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

	if (after.includes('\0')) {
		throw new AppError('usage', 'A text file has no NUL characters. Nothing was written.');
	}

	if (writesMask(before, after)) {
		throw new AppError('usage', `This would replace a credential in “${name}” by ***. Nothing was written.`, {
			hint: '*** hides a value that you may not see. Edit other lines only, and leave that one as it is.',
		});
	}
}
