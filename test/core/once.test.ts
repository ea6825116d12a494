import {expect, test} from 'vitest';
import {once} from '../../src/core/once.ts';

test('the value is created at the first call, and once for all callers', async () => {
	let made = 0;
	const ask = once(async () => ++made);
	expect(made).toBe(0);
	expect(await Promise.all([ask(), ask()])).toEqual([1, 1]);
	expect(await ask()).toBe(1);
});

test('a failure reaches all callers, and the next call retries', async () => {
	let tries = 0;
	const ask = once(async () => {
		tries++;
		if (tries === 1) {
			throw new Error('not yet');
		}

		return tries;
	});
	expect((await Promise.allSettled([ask(), ask()])).map(({status}) => status)).toEqual(['rejected', 'rejected']);
	expect(await ask()).toBe(2);
});

test('a dropped value is created again', async () => {
	let made = 0;
	const forgets: (() => void)[] = [];
	const ask = once(async forget => {
		forgets.push(forget);
		return ++made;
	});
	expect(await ask()).toBe(1);
	forgets[0]?.();
	expect(await Promise.all([ask(), ask()])).toEqual([2, 2]);
});
