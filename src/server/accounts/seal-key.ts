import {randomUUID} from 'node:crypto';
import {link, rm, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import type {Environment} from '../../core/environment.ts';
import {AppError} from '../../core/error.ts';
import {errnoOf, explainFileError} from '../../storage/file-error.ts';
import {readPrivateFile, syncFolder} from '../../storage/private-file.ts';
import {makeFolder} from '../../storage/private-folder.ts';
import type {Database} from '../database/tables.ts';
import {createSealKey, isSealed, type Seal, sealKeyBytes} from './seal.ts';
import {totpContext} from './second-factor.ts';

const variable = 'SERVICE_SEAL_KEY';
const fileName = 'seal.key';
const maxFileBytes = 4096;

/** Returns the key that `loadSealKey` would return without creating one; undefined if it would. Throws what that throws. */
export function findSealKey(folder: string, env: Environment): Uint8Array | undefined {
	const given = env[variable];
	if (given) {
		return parseKey(given, variable);
	}

	const path = join(folder, fileName);
	try {
		const existing = readPrivateFile(path, maxFileBytes);
		return existing === undefined ? undefined : parseKey(existing, path);
	} catch (error) {
		throw error instanceof AppError ? error : explainFileError(error, 'read', path);
	}
}

/**
 * Returns the server's key: from `SERVICE_SEAL_KEY`, else from `seal.key` in its folder, which is created with mode
 * 0600 if missing. Throws AppError("usage") for an invalid key, and AppError("failed") if the file can't be created or
 * read, is a link, or belongs to another user (SAFETY 10).
 */
export async function loadSealKey(folder: string, env: Environment): Promise<Uint8Array> {
	const found = findSealKey(folder, env);
	if (found) {
		return found;
	}

	const path = join(folder, fileName);
	try {
		return parseKey(await createFile(folder, path), path);
	} catch (error) {
		throw error instanceof AppError ? error : explainFileError(error, 'read', path);
	}
}

/** Creates the file atomically, and returns what it has: if several servers start together, the first one wins. */
async function createFile(folder: string, path: string): Promise<string> {
	makeFolder(folder);
	const temporary = `${path}.${randomUUID()}`;
	try {
		await writeFile(temporary, `${createSealKey().toString('base64url')}\n`, {flag: 'wx', mode: 0o600, flush: true});
		await link(temporary, path).catch((error: unknown) => {
			if (errnoOf(error) !== 'EEXIST') {
				throw error;
			}
		});
	} finally {
		await rm(temporary, {force: true});
	}

	// The key must be on disk before anything is sealed with it. Otherwise a power failure could lose the key but keep
	// the database.
	await syncFolder(folder);
	return readPrivateFile(path, maxFileBytes) ?? '';
}

function parseKey(text: string, from: string): Uint8Array {
	const key = Buffer.from(text.trim(), 'base64url');
	if (key.length !== sealKeyBytes || !/^[\w+/-]+=*$/.test(text.trim())) {
		throw new AppError('usage', `${from} must be a key of ${sealKeyBytes} bytes in base64.`, {
			hint: 'Restore the `seal.key` that the server created, or a copy of it.',
		});
	}

	return key;
}

/** The name under which a database stores the fingerprint of its key. */
const fingerprint = 'seal-fingerprint';

/** The columns of users that hold sealed secrets. */
const secrets = ['totp_secret', 'totp_pending_secret'] as const;

/**
 * Verifies that a database's secrets were sealed with this key, and seals those that an older version stored in plain
 * text. Throws AppError("failed") for another key, since users with a second factor couldn't log in.
 */
export async function applySeal(database: Database, seal: Seal): Promise<void> {
	await database
		.insertInto('signing_keys')
		.values({name: fingerprint, value: fingerprintOf(seal), created_at: new Date().toISOString()})
		.onConflict(conflict => conflict.column('name').doNothing())
		.execute();
	await verifySeal(database, seal);
	for (const column of secrets) {
		const rows = await database
			.selectFrom('users')
			.select(['id', `${column} as secret`])
			.where(column, 'is not', null)
			.execute();
		for (const {id, secret} of rows.filter(row => !isSealed(row.secret ?? ''))) {
			await database
				.updateTable('users')
				.set({[column]: seal.encrypt(secret ?? '', totpContext(id))})
				.where('id', '=', id)
				.where(column, '=', secret)
				.execute();
		}
	}
}

/**
 * Throws AppError("failed") if a database's secrets were sealed with another key than this one, or, for a server that has none yet,
 * with any.
 */
export async function verifySeal(database: Database, seal: Seal | undefined): Promise<void> {
	const stored = await database
		.selectFrom('signing_keys')
		.select('value')
		.where('name', '=', fingerprint)
		.executeTakeFirst();
	if (stored && stored.value !== (seal && fingerprintOf(seal))) {
		const email = await findUserToReset(database);
		throw new AppError('failed', 'The secrets in this database were sealed with another key.', {
			hint:
				`Copy ${fileName} from the first server's data folder, or set ${variable} to its contents; ` +
				`if it is lost, run serve password ${email} --drop-second-factor, and try again.`,
		});
	}
}

const fingerprintOf = (seal: Seal) => seal.derive(fingerprint).toString('base64url');

/**
 * Returns the e-mail address of a user whose second factor must be dropped if the key is lost. Users with a second
 * factor come first.
 */
async function findUserToReset(database: Database): Promise<string> {
	const found = await database
		.selectFrom('users')
		.select('email')
		.orderBy(({eb, or}) =>
			eb
				.case()
				.when(or(secrets.map(column => eb(column, 'is not', null))))
				.then(0)
				.else(1)
				.end(),
		)
		.orderBy('email')
		.executeTakeFirst();
	return found?.email ?? '<email>';
}

/**
 * Lets a database accept another key once it has no sealed secrets: the recovery for a lost key. Running servers keep
 * theirs, and store its fingerprint when they start again.
 */
export async function forgetSealKey(database: Database): Promise<void> {
	const sealed = database
		.selectFrom('users')
		.select('id')
		.where(({eb, or}) => or(secrets.map(column => eb(column, 'is not', null))));
	await database
		.deleteFrom('signing_keys')
		.where('name', '=', fingerprint)
		.where(({not, exists}) => not(exists(sealed)))
		.execute();
}
