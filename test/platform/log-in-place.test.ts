import {expect, test} from 'vitest';
import {AppError} from '../../src/core/error.ts';
import {logInPlace} from '../../src/ui/submit.ts';
import {api, inOrg} from '../commands/api.ts';
import {testContext} from '../commands/context.ts';

const server = 'https://a.test';
const loggedOut = new AppError('auth', 'No.', {logInTo: server});

/** Runs an operation that fails with the given errors, then works. Returns the calls in between. */
async function outcome(errors: readonly unknown[], answer: boolean) {
	const did: string[] = [];
	const left = [...errors];
	const run = async () => {
		did.push('run');
		const [error] = left.splice(0, 1);
		if (error) {
			throw error;
		}

		return 'done';
	};
	const confirm = async (question: string) => {
		did.push(question);
		return answer;
	};
	const logIn = async (to: string) => did.push(`log in to ${to}`);
	const result = await logInPlace(run, confirm, logIn).catch((error: unknown) => error);
	return {result, did};
}

const question = `You aren't logged in to ${server}. Log in now?`;

test('a command that needs a login asks for it and runs again', async () => {
	expect(await outcome([loggedOut], true)).toEqual({
		result: 'done',
		did: ['run', question, `log in to ${server}`, 'run'],
	});
});

test('a declined login shows the original error', async () => {
	expect(await outcome([loggedOut], false)).toEqual({result: loggedOut, did: ['run', question]});
});

test('a login is offered only once', async () => {
	const {result, did} = await outcome([loggedOut, loggedOut], true);
	expect([result, did.length]).toEqual([loggedOut, 4]);
});

test('no other error offers a login', async () => {
	for (const error of [new AppError('auth', 'Not for you.'), new AppError('network', 'Gone.'), new Error('bug')]) {
		expect(await outcome([error], true)).toEqual({result: error, did: ['run']});
	}
});

test('an authentication error names its server, a permission error does not', async () => {
	const path = `GET ${inOrg}/credits/auto-refill`;
	const refusal = async (status: number) => {
		const {env, origin} = await api({[path]: {status, json: {code: status, detail: 'No'}}});
		const error: unknown = await testContext({env})
			.run('credits', 'show')
			.catch((thrown: unknown) => thrown);
		return [error instanceof AppError && error.logInTo, origin];
	};
	const [to, origin] = await refusal(401);
	expect(to).toBe(origin);
	expect((await refusal(403))[0]).toBe(undefined);

	const {run} = testContext({env: {SERVICE_SERVER: 'http://127.0.0.1:1'}});
	await expect(run('credits', 'show')).rejects.toMatchObject({logInTo: 'http://127.0.0.1:1'});
});
