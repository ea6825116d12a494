import {scryptSync} from 'node:crypto';
import type {TestServer} from '../harness.ts';

/** Sets a user's password with a cheap hash: verifying it costs what the stored hash says. */
export async function storePassword({database}: TestServer, userId: string, password: string): Promise<void> {
	const hash = scryptSync(password, 'test', 32, {N: 1024, r: 8, p: 1});
	const stored = ['scrypt', 1024, 8, 1, Buffer.from('test').toString('base64url'), hash.toString('base64url')].join(
		'$',
	);
	await database.updateTable('users').set({password_hash: stored}).where('id', '=', userId).execute();
}
