import {mkdtemp, readFile, rm, stat, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {AppError} from '../../core/error.ts';
import {expandedText, setComposerText} from '../../editor/editor.ts';
import type {AppStore} from '../../store/store.ts';
import type {SessionInteraction} from '../interaction.ts';

type Dependencies = {
	readonly store: AppStore;
	readonly interact: Pick<SessionInteraction, 'editFile' | 'say'>;
	/** Returns the milliseconds on the clock of `typedAt`. */
	readonly now: () => number;
};

/** More text than a prompt can have. */
const maxBytes = 8 * 1024 * 1024;

/**
 * Opens the prompt, with every paste in full, in the user's editor, and replaces it with what was saved there. If the editor
 * is missing or fails, the prompt stays and a toast says why. Only the user can read the file, and it is deleted at the end.
 */
export async function editPrompt({store, interact, now}: Dependencies): Promise<void> {
	try {
		const before = expandedText(store.getState().composer);
		const edited = await editText(before, interact);
		const {composer, editPrompt: change} = store.getState();
		// Keys that were meant for the editor must not answer a question that appeared meanwhile.
		change({typedAt: now(), completion: -1, ...(edited !== before && {composer: setComposerText(composer, edited)})});
	} catch (error) {
		interact.say(failureText(error));
	}
}

async function editText(text: string, {editFile}: Dependencies['interact']): Promise<string> {
	const folder = await mkdtemp(join(tmpdir(), 'service-prompt-'));
	try {
		const path = join(folder, 'prompt.md');
		// As in any text file, so that what is appended is a line of its own.
		const written = text === '' || text.endsWith('\n') ? text : `${text}\n`;
		await writeFile(path, written, {mode: 0o600});
		await editFile?.(path);
		if ((await stat(path)).size > maxBytes) {
			throw new AppError('failed', 'The text is larger than 8 MB.');
		}

		const edited = (await readFile(path, 'utf8')).replaceAll(/\r\n?/g, '\n');
		// Editors end the last line.
		return edited === written ? text : edited.replace(/\n$/, '');
	} finally {
		await rm(folder, {recursive: true, force: true});
	}
}

function failureText(error: unknown): string {
	if (error instanceof AppError && error.code !== 'failed') {
		return `${error.message} ${error.hint ?? ''}`.trim();
	}

	return `${error instanceof Error ? error.message : String(error)} Your draft is unchanged.`;
}
