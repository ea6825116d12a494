import {AppError} from '../core/error.ts';

const denied = ['permission denied', 'Give your user read and write permission.'] as const;
const causes: Readonly<Record<string, readonly [reason: string, hint: string]>> = {
	ENOSPC: ['disk full', 'Free some disk space and try again.'],
	EDQUOT: ['disk quota exceeded', 'Free some space within your quota and try again.'],
	EFBIG: ['file too large', 'Free some space, or raise the limit for file sizes.'],
	EACCES: denied,
	EPERM: denied,
	EROFS: ['read-only file system', 'Set SERVICE_HOME to a writable folder.'],
	EBUSY: ['it is a mount point, or in use', 'Mount its folder instead, or set SERVICE_HOME to another folder.'],
	EXDEV: ['it is on another file system', 'Mount its folder instead, or set SERVICE_HOME to another folder.'],
	EEXIST: ['it already exists', 'Move it away and try again.'],
	ENOENT: ['no such file or folder', 'Check that the path exists.'],
	ENOTDIR: ['part of the path is not a folder', 'Check the path, or set SERVICE_HOME to another folder.'],
	ENAMETOOLONG: ['the name is too long', 'Choose a shorter name.'],
	EISDIR: ['it is a folder', 'Move that folder away and try again.'],
	ELOOP: ['it is a symbolic link', 'Replace the link with the file or folder itself.'],
	EMFILE: ['too many open files', 'Close some programs and try again.'],
	ENFILE: ['too many open files', 'Close some programs and try again.'],
	EIO: ['disk error', 'Check the disk, or set SERVICE_HOME to a folder on another one.'],
};

/** Returns the `code` of a file system error (`ENOENT`); undefined for any other error. */
export function errnoOf(error: unknown): string | undefined {
	const code = error instanceof Error && 'code' in error ? error.code : undefined;
	return typeof code === 'string' && /^E[A-Z\d]+$/.test(code) ? code : undefined;
}

/** Returns why a file can't be read or written, in a few words for a status line; undefined if the error is a bug. */
export function fileReason(error: unknown): string | undefined {
	if (error instanceof AppError) {
		return fileReason(error.cause) ?? error.message;
	}

	const code = errnoOf(error);
	return code && (causes[code]?.[0] ?? code);
}

/**
 * Returns a file system error as AppError("failed"): `Cannot <action> <path>: disk full.` Any other error is returned as it
 * is, so that a bug stays a bug.
 */
export function explainFileError(error: unknown, action: 'read' | 'write' | 'create' | 'lock', path: string): unknown {
	const code = errnoOf(error);
	if (error instanceof AppError || !code) {
		return error;
	}

	const [reason, hint] = causes[code] ?? [code, 'Check the path, or set SERVICE_HOME to another folder.'];
	// What is only read may be anywhere; a container without a home folder for its user can't change permissions.
	const isOwn = reason === denied[0] && action !== 'read';
	return new AppError('failed', `Cannot ${action} ${path}: ${reason}.`, {
		hint: isOwn ? hint.replace(/\.$/, ', or set SERVICE_HOME to another folder.') : hint,
		cause: error,
	});
}
