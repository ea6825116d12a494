import {expect, test} from 'vitest';
import {loggingFaults} from '../../../src/server/kit/log.ts';

test('a fault that stays is logged once, until the work succeeds or fails for another reason', async () => {
	const errors: unknown[] = [];
	const attempt = loggingFaults(({error}) => errors.push(error), 'sandboxes');
	const failing = (reason: string) => async () => {
		throw new Error(reason);
	};
	for (const work of [failing('gone'), failing('gone'), failing('busy'), async () => undefined, failing('busy')]) {
		await attempt(work);
	}

	expect(errors).toEqual(['gone', 'busy', 'busy']);
});
