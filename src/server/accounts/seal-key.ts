import {randomUUID} from 'node:crypto';
import {link, mkdir, readFile, rm, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import type {Environment} from '../../core/environment.ts';
import {AppError} from '../../core/error.ts';
import {errnoOf, explainFileError} from '../../storage/file-error.ts';
import type {Database} from '../database/tables.ts';
import {isSealed, makeSealKey, type Seal, sealKeyBytes} from './seal.ts';
import {totpPlace} from './second-factor.ts';

const variable = 'SERVICE_SEAL_KEY';
const fileName = 'seal.key';

/**
 * The key of a server: what `SERVICE_SEAL_KEY` says, else what `seal.key` in its folder does, which is made with mode 0600
 * where it is missing. Throws `usage` for what is no key, `failed` for a file that cannot be made or read.
 */
export async function loadSealKey(folder: string, env: Environment): Promise<Uint8Array> {
	const given = env[variable];
	if (given) {
		return parseKey(given, variable);
	}

	const path = join(folder, fileName);
	try {
		return parseKey(await readOrMake(folder, path), path);
	} catch (error) {
		throw error instanceof AppError ? error : explainFileError(error, 'read', path);
	}
}

async function readOrMake(folder: string, path: string): Promise<string> {
	const there = await readFile(path, 'utf8').catch((error: unknown) => {
		if (errnoOf(error) !== 'ENOENT') {
			throw error;
		}
	});
	if (there !== undefined) {
		return there;
	}

	// Whole or not at all, and the first one stays, also where several servers begin together.
	await mkdir(folder, {recursive: true, mode: 0o700});
	const made = `${path}.${randomUUID()}`;
	await writeFile(made, `${makeSealKey().toString('base64url')}\n`, {mode: 0o600, flush: true});
	await link(made, path).catch((error: unknown) => {
		if (errnoOf(error) !== 'EEXIST') {
			throw error;
		}
	});
	await rm(made);
	return await readFile(path, 'utf8');
}

function parseKey(text: string, from: string): Uint8Array {
	const key = Buffer.from(text.trim(), 'base64url');
	if (key.length !== sealKeyBytes || !/^[\w+/-]+=*$/.test(text.trim())) {
		throw new AppError('usage', `${from} holds no key of ${sealKeyBytes} bytes in base64.`, {
			hint: 'Put back the `seal.key` that the server made, or a copy of it.',
		});
	}

	return key;
}

/** What a database knows its key by. */
const fingerprint = 'seal-fingerprint';

/**
 * Makes sure that the secrets of a database were sealed with this key, and seals those that a server stored before there
 * was one. Throws `failed` for another key: nobody with a second factor could sign in.
 */
export async function applySeal(database: Database, seal: Seal): Promise<void> {
	const expected = seal.derive(fingerprint).toString('base64url');
	await database
		.insertInto('signing_keys')
		.values({name: fingerprint, value: expected, created_at: new Date().toISOString()})
		.onConflict(conflict => conflict.column('name').doNothing())
		.execute();
	const {value} = await database
		.selectFrom('signing_keys')
		.select('value')
		.where('name', '=', fingerprint)
		.executeTakeFirstOrThrow();
	if (value !== expected) {
		throw new AppError('failed', 'The secrets in this database were sealed with another key.', {
			hint: `Copy ${fileName} from the data folder of the server that was first, or set ${variable} to what stands in it.`,
		});
	}

	for (const column of ['totp_secret', 'totp_pending_secret'] as const) {
		const rows = await database
			.selectFrom('users')
			.select(['id', `${column} as secret`])
			.where(column, 'is not', null)
			.execute();
		for (const {id, secret} of rows.filter(row => !isSealed(row.secret ?? ''))) {
			await database
				.updateTable('users')
				.set({[column]: seal.close(secret ?? '', totpPlace(id))})
				.where('id', '=', id)
				.where(column, '=', secret)
				.execute();
		}
	}
}
