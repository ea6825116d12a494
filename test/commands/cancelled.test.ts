import {expect, test} from 'vitest';
import {done, said, start, toRecords, user} from '../core/records.ts';
import {testContext} from './context.ts';

/** The commands that open a picker, a list or a dialog by themselves. */
const asking = [
	...['theme use', 'model use', 'effort', 'config edit', 'copy', 'rewind', 'pin add', 'memory edit', 'profile use'],
	...['keys set', 'keys remove', 'vim', 'rename', 'login', 'mfa verify', 'env show', 'runtime stop', 'api-key revoke'],
] as const;

test('a command that only asked, and was cancelled, leaves nothing on the screen: each that opens one', async () => {
	const left: string[] = [];
	let cancelled = 0;
	for (const path of asking) {
		const here = testContext({env: {CUSTOM_API_KEY: 'key-0123456789abcd', CUSTOM_BASE_URL: 'http://127.0.0.1:1/v1'}});
		const {session} = here.store.getState().transcript;
		here.store
			.getState()
			.applyRecords(toRecords([start, user('Hello'), said('Hi.'), done]).map(record => ({...record, session})));
		const result = await here.runInApp(...path.split(' ')).catch(() => undefined);
		if (result?.kind === 'text' && here.asked.length > 0) {
			cancelled++;
			left.push(...(result.leavesNothing ? [] : [`${path}: ${result.text}`]));
		}
	}

	expect(left).toEqual([]);
	expect(cancelled).toBeGreaterThan(8);
});
