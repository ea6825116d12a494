import {relative, sep} from 'node:path';
import {headOf} from './committed-files.ts';
import {identifyContent, identifyFile} from './file-identity.ts';
import {type LedgerPlace, noteSeen, noteUnseen} from './unseen-ledger.ts';

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
export function createEditNote(place: LedgerPlace, {path, bytes, isSeen}: Edit) {
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
		await noteUnseen(place, new Map([[name, identity]]), 'edit', {before: head, after: head});
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
