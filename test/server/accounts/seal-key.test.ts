import {chmodSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import type {AppError} from '../../../src/core/error.ts';
import {createSeal, createSealKey} from '../../../src/server/accounts/seal.ts';
import {applySeal, forgetSealKey, loadSealKey} from '../../../src/server/accounts/seal-key.ts';
import {pendingSecret, removeSecondFactor, startEnrollment} from '../../../src/server/accounts/second-factor.ts';
import {findAccount} from '../../../src/server/accounts/user.ts';
import {temporaryFolder} from '../../storage/temporary.ts';
import {createTestServer} from '../harness.ts';

test('[10] the key is created once, even by concurrent servers, and only its owner can read it', async () => {
	const folder = join(temporaryFolder(), 'data');
	const keys = await Promise.all(Array.from({length: 8}, () => loadSealKey(folder, {})));
	expect(new Set(keys.map(key => Buffer.from(key).toString('hex'))).size).toBe(1);
	expect(readdirSync(folder)).toEqual(['seal.key']);
	expect(statSync(join(folder, 'seal.key')).mode & 0o777).toBe(0o600);
	expect(await loadSealKey(folder, {})).toEqual(keys[0]);

	// The file's content may be given to another server, which then creates no file.
	const other = join(temporaryFolder(), 'other');
	const given = readFileSync(join(folder, 'seal.key'), 'utf8');
	expect(await loadSealKey(other, {SERVICE_SEAL_KEY: given})).toEqual(keys[0]);
	expect(() => statSync(other)).toThrow();
});

test('[10] a copy that others can read is made private again, and a link is not followed', async () => {
	const [folder, other] = [temporaryFolder(), temporaryFolder()];
	const path = join(folder, 'seal.key');
	writeFileSync(path, createSealKey().toString('base64url'));
	chmodSync(path, 0o644);
	await loadSealKey(folder, {});
	expect(statSync(path).mode & 0o777).toBe(0o600);
	symlinkSync(path, join(other, 'seal.key'));
	await expect(loadSealKey(other, {})).rejects.toMatchObject({code: 'failed'});
});

test.each(['short', 'a'.repeat(42), 'a'.repeat(44), `${'a'.repeat(42)}!`, `${'a'.repeat(20)} ${'a'.repeat(23)}`])(
	'%j is not a key, in the variable or in the file, and the error does not repeat it',
	async text => {
		const folder = temporaryFolder();
		writeFileSync(join(folder, 'seal.key'), text);
		for (const env of [{SERVICE_SEAL_KEY: text}, {}]) {
			const error = await loadSealKey(folder, env).catch((thrown: unknown) => thrown);
			expect(error).toMatchObject({
				code: 'usage',
				message: expect.stringMatching(/ must be a key of 32 bytes in base64\.$/),
			});
			expect(String(error)).not.toContain(text);
		}
	},
);

test('no authenticator secret is in the database in plain text', async () => {
	const {services, owner, database} = await createTestServer();
	const secret = await startEnrollment(services, owner.id);
	expect(JSON.stringify(await database.selectFrom('users').selectAll().execute())).not.toContain(secret);
});

test('older plain secrets are sealed with the first key, and another key is rejected', async () => {
	const {owner, database, join: add} = await createTestServer();
	const member = await add('member');
	const clear = {totp_secret: 'JBSWY3DPEHPK3PXP', totp_pending_secret: 'KRSXG5CTMVRXEZLU'};
	await database.updateTable('users').set(clear).where('id', '=', owner.id).execute();
	const seal = createSeal(createSealKey());
	// Applying it again, or on several servers at once, changes nothing.
	await Promise.all([applySeal(database, seal), applySeal(database, seal)]);
	await applySeal(database, seal);
	const account = await findAccount({database}, owner.id);
	if (!account) {
		throw new Error('The owner is gone.');
	}

	expect(pendingSecret({seal}, account)).toBe(clear.totp_pending_secret);
	expect(seal.decrypt(account.totp_secret ?? '', `totp:${owner.id}`)).toBe(clear.totp_secret);
	expect(await findAccount({database}, member.id)).toMatchObject({totp_secret: null, totp_pending_secret: null});
	await expect(applySeal(database, createSeal(createSealKey()))).rejects.toMatchObject({
		code: 'failed',
		message: 'The secrets in this database were sealed with another key.',
	});
});

test('after the key is lost, another one is accepted only once nothing is sealed', async () => {
	const {services, database, owner, join: add} = await createTestServer();
	const member = await add('member');
	await applySeal(database, services.seal);
	const other = createSeal(createSealKey());
	const hint = async () => {
		await forgetSealKey(database);
		return await applySeal(database, other).then(
			() => 'taken',
			(error: AppError) => error.hint?.replace(/.*; /s, ''),
		);
	};
	await startEnrollment(services, member.id);
	await startEnrollment(services, owner.id);
	const drop = (email?: string) => `if it is lost, run serve password ${email} --drop-second-factor, and try again.`;
	const email = async (id: string) => (await findAccount({database}, id))?.email;
	expect(await hint()).toBe(drop(await email(member.id)));
	await removeSecondFactor({database}, member.id);
	expect(await hint()).toBe(drop(await email(owner.id)));
	await removeSecondFactor({database}, owner.id);
	expect(await hint()).toBe('taken');
	await expect(applySeal(database, services.seal)).rejects.toMatchObject({code: 'failed'});
});
