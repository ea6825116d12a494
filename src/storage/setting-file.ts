import {readFileSync} from 'node:fs';
import {AppError} from '../core/error.ts';
import {errnoOf, explainFileError} from './file-error.ts';

/** More than any configuration needs. */
const maxBytes = 1_000_000;

/** Returns the text of a file that an operator named. Throws AppError("failed") if it can't be read, and AppError("usage") for a large one. */
export function readSetting(path: string): string {
	let text: string;
	try {
		text = readFileSync(path, 'utf8');
	} catch (error) {
		throw errnoOf(error) === 'EISDIR'
			? new AppError('failed', `Cannot read ${path}: it is a folder.`, {hint: 'Name a file in it.', cause: error})
			: explainFileError(error, 'read', path);
	}

	if (text.length > maxBytes) {
		throw new AppError('usage', `${path} is too large for a setting.`);
	}

	return text;
}

/** The secrets that are variables without a flag. */
const secretVariables = ['SERVICE_SEAL_KEY', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN'];

/**
 * Returns the environment with the secrets that `<name>_FILE` names a file for, as images of databases do. Throws
 * AppError("usage") if both are set, and AppError("failed") if a file can't be read.
 */
export function withSecretFiles<Env extends Readonly<Record<string, string | undefined>>>(env: Env): Env {
	const read = secretVariables.flatMap(name => {
		const path = env[`${name}_FILE`];
		if (!path) {
			return [];
		}

		if (env[name]) {
			throw new AppError('usage', `${name} and ${name}_FILE are both set.`, {hint: 'Unset one of them.'});
		}

		return [[name, readSetting(path).trim()]];
	});
	return read.length === 0 ? env : {...env, ...Object.fromEntries(read)};
}
