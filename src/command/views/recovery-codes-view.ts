import {originalOf} from '../../contract/lenient.ts';
import {reportError} from '../../core/error.ts';
import type {Result} from '../result.ts';

type Options = {
	/** The file to save the codes to, if any. */
	readonly save: string | undefined;
	readonly writeFile: (path: string, content: string) => Promise<string>;
	readonly say: (text: string) => void;
};

/**
 * Returns the recovery codes of a new second factor. They are always shown: if the file can't be written, there is no other
 * copy.
 */
export async function recoveryCodes(
	enrollment: {readonly recovery_codes?: readonly string[]},
	{save, writeFile, say}: Options,
): Promise<Result> {
	const {recovery_codes: codes = []} = enrollment;
	const data = originalOf(enrollment);
	if (codes.length === 0) {
		return {kind: 'text', text: 'Two-factor authentication is on. The server returned no recovery codes.', data};
	}

	const saved = save === undefined ? undefined : await trySave(save, codes, writeFile, say);
	return {
		kind: 'group',
		parts: [
			{kind: 'text', text: 'Two-factor authentication is on. Each recovery code logs you in once without your app:'},
			{kind: 'lines', lines: codes},
			{
				kind: 'text',
				text: saved ? `Saved to ${saved}.` : "Copy them now; they won't be shown again.",
			},
		],
		data,
	};
}

async function trySave(
	path: string,
	codes: readonly string[],
	writeFile: Options['writeFile'],
	say: Options['say'],
): Promise<string | undefined> {
	try {
		return await writeFile(path, codes.map(code => `${code}\n`).join(''));
	} catch (error) {
		say(`The recovery codes were not saved: ${reportError(error).message}`);
		return undefined;
	}
}
