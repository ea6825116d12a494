import {lstat} from 'node:fs/promises';
import {AppError} from '../../core/error.ts';

/** Throws `AppError("not-found")` for the path of something that can't be opened, and that no file may take the place of. */
export async function assertNothingAt(real: string, path: string): Promise<void> {
	if (path.includes('\uFFFD')) {
		throw new AppError('not-found', `“${path}” can't be opened: its name isn't UTF-8.`, {
			hint: 'Rename the file with a command first.',
		});
	}

	const stats = await lstat(real).catch(() => undefined);
	if (stats?.isSymbolicLink()) {
		throw new AppError('not-found', `“${path}” is a link that leads to no file.`, {
			hint: 'Remove the link with a command, or create the file that it names.',
		});
	}
}
