import {AppError} from '../core/error.ts';

const causes: Readonly<Record<string, readonly [reason: string, hint: string]>> = {
	ENOSPC: ['disk full', 'Make room on the disk and try again.'],
	EDQUOT: ['disk quota used up', 'Make room within your quota and try again.'],
	EFBIG: ['file too large', 'Make room or raise the limit of file sizes.'],
	EACCES: ['permission denied', 'Give your user the permission to read and write it.'],
	EPERM: ['permission denied', 'Give your user the permission to read and write it.'],
	EROFS: ['read-only file system', 'Set SERVICE_HOME to a folder that can be written.'],
	EEXIST: ['it exists already', 'Move it away and try again.'],
	ENOENT: ['no such file or folder', 'Check that the path exists.'],
	ENOTDIR: ['part of the path is not a folder', 'Check the path; set SERVICE_HOME to another folder if need be.'],
	EISDIR: ['it is a folder', 'Move that folder away and try again.'],
	ELOOP: ['it is a symbolic link', 'Replace the link by the file or folder itself.'],
	EMFILE: ['too many open files', 'Close some programs and try again.'],
	ENFILE: ['too many open files', 'Close some programs and try again.'],
	EIO: ['the disk reports an error', 'Check the disk, and set SERVICE_HOME to a folder on another one.'],
};

/** The `code` of an error of the file system (`ENOENT`), undefined for anything else that was thrown. */
export function errnoOf(error: unknown): string | undefined {
	const code = error instanceof Error && 'code' in error ? error.code : undefined;
	return typeof code === 'string' && /^E[A-Z\d]+$/.test(code) ? code : undefined;
}

/** Why a file could not be read or written, in a few words for a status line; undefined where the error is a bug. */
export function fileReason(error: unknown): string | undefined {
	if (error instanceof AppError) {
		return fileReason(error.cause) ?? error.message;
	}

	const code = errnoOf(error);
	return code && (causes[code]?.[0] ?? code);
}

/**
 * Words an error of the file system for people: `Cannot <action> <path>: disk full.` An `AppError` and anything that no
 * file system throws come back as they are, so that a bug stays a bug.
 */
export function explainFileError(error: unknown, action: 'read' | 'write' | 'create' | 'lock', path: string): unknown {
	const code = errnoOf(error);
	if (error instanceof AppError || !code) {
		return error;
	}

	const [reason, hint] = causes[code] ?? [code, 'Check the path, and set SERVICE_HOME to another folder if need be.'];
	return new AppError('failed', `Cannot ${action} ${path}: ${reason}.`, {hint, cause: error});
}
