import {Secret, TOTP} from 'otpauth';
import {expect, test} from 'vitest';
import {problemSchema} from '../../../src/contract/problem.ts';
import {checkSecondFactor, startEnrollment} from '../../../src/server/accounts/second-factor.ts';
import {findAccount} from '../../../src/server/accounts/user.ts';
import {createTestServer, type TestServer} from '../harness.ts';

const path = '/api/v1/auth/mfa/enroll/verify';

const verify = (server: TestServer, code: unknown) => server.send(path, {method: 'POST', body: {code}});
const codeOf = ({services}: TestServer, secret: string, seconds = 0) =>
	new TOTP({secret: Secret.fromBase32(secret)}).generate({timestamp: services.now().getTime() + seconds * 1000});

async function check(server: TestServer, code: string): Promise<string> {
	const account = await findAccount(server.services, server.owner.id);
	return account ? (await checkSecondFactor(server.services, account, code)).kind : 'nobody';
}

test('a code finishes an enrollment, and its recovery codes work once each', async () => {
	const server = await createTestServer();
	const secret = await startEnrollment(server.services, server.owner.id);
	const code = codeOf(server, secret);
	const {status, json} = await verify(server, ` ${code.slice(0, 3)} ${code.slice(3)} `);
	expect([status, json]).toEqual([200, {recovery_codes: expect.any(Array)}]);
	expect(json.recovery_codes).toHaveLength(10);

	// The code that finished the enrollment is used up, and the enrollment is over.
	expect([await check(server, code), (await verify(server, code)).status]).toEqual(['wrong', 409]);
	server.advance(30_000);
	expect([await check(server, codeOf(server, secret)), await check(server, codeOf(server, secret))]).toEqual([
		'right',
		'wrong',
	]);
	const [first, second] = json.recovery_codes;
	expect([await check(server, first.toUpperCase()), await check(server, first), await check(server, second)]).toEqual([
		'right',
		'wrong',
		'right',
	]);
	const stored = JSON.stringify(await server.database.selectFrom('recovery_codes').selectAll().execute());
	expect(stored).not.toContain(second);
});

test('[26] of two concurrent requests with the same code, one succeeds', async () => {
	const server = await createTestServer();
	const secret = await startEnrollment(server.services, server.owner.id);
	const answers = await Promise.all([1, 2].map(() => verify(server, codeOf(server, secret))));
	expect(answers.map(({status}) => status).sort()).toEqual([200, 409]);
	expect(await server.database.selectFrom('recovery_codes').selectAll().execute()).toHaveLength(10);

	server.advance(60_000);
	const code = codeOf(server, secret);
	const checks = await Promise.all([check(server, code), check(server, code), check(server, code)]);
	expect(checks.sort()).toEqual(['right', 'wrong', 'wrong']);
});

test('after six guesses the response is 429, and no code is accepted until the wait is over', async () => {
	const server = await createTestServer();
	const secret = await startEnrollment(server.services, server.owner.id);
	const wrong = codeOf(server, secret, 3600);
	for (let count = 0; count < 6; count += 1) {
		const {status, json} = await verify(server, wrong);
		expect([status, problemSchema.parse(json).type]).toEqual([400, 'token_error']);
	}

	const {status, headers, json} = await verify(server, codeOf(server, secret));
	expect([status, headers.get('retry-after'), json.type]).toEqual([429, '900', 'usage_limit_exceeded_error']);
	server.advance(900_000);
	expect((await verify(server, codeOf(server, secret))).status).toBe(200);
});

test('without an enrollment the response says where to start one', async () => {
	const {status, json} = await verify(await createTestServer(), '123456');
	expect([status, json.detail]).toEqual([
		409,
		'No enrollment is waiting for a code. Start one at http://127.0.0.1:8700/account/second-factor.',
	]);
});

test('an enrollment that was restarted accepts only codes of the new secret', async () => {
	const server = await createTestServer();
	const old = await startEnrollment(server.services, server.owner.id);
	const secret = await startEnrollment(server.services, server.owner.id);
	expect((await verify(server, codeOf(server, old))).status).toBe(400);
	expect((await verify(server, codeOf(server, secret))).status).toBe(200);
});

test.each([[''], ['x'.repeat(65)], [123456], [null]])('the code %j is 422', async code => {
	expect((await verify(await createTestServer(), code)).status).toBe(422);
});
