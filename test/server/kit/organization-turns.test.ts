import fc from 'fast-check';
import {expect, onTestFinished, test, vi} from 'vitest';
import {createTurns} from '../../../src/server/kit/organization-turns.ts';

/** Work that ends when it is told to, and says when it begins. */
function work() {
	const begun: string[] = [];
	const ends = new Map<string, () => void>();
	const named = (name: string) => () => {
		begun.push(name);
		return new Promise<string>(resolve => ends.set(name, () => resolve(name)));
	};
	return {begun, named, end: (name: string) => ends.get(name)?.()};
}

const refusal = {
	status: 429,
	message: 'Too many requests of this organization are waiting. Nothing was changed. Try again in 1 s.',
	options: {type: 'database_error', headers: {'retry-after': '1'}},
};

test('an organization has one turn at a time, in order, and others do not wait for it', async () => {
	const turns = createTurns({atOnce: 2});
	const {begun, named, end} = work();
	const all = ['a1', 'a2', 'a3', 'b1'].map(name => turns.take(name.slice(0, 1), named(name)));
	await expect.poll(() => begun).toEqual(['a1', 'b1']);
	end('a1');
	await all[0];
	await expect.poll(() => begun).toEqual(['a1', 'b1', 'a2']);
	end('a2');
	await all[1];
	await expect.poll(() => begun.at(-1)).toBe('a3');
	end('a3');
	end('b1');
	expect(await Promise.all(all)).toEqual(['a1', 'a2', 'a3', 'b1']);
});

test('more organizations than may have their turn at once take turns, however much the first one asks for', async () => {
	const turns = createTurns({atOnce: 1});
	const begun: string[] = [];
	const names = ['a1', 'a2', 'a3', 'b1', 'c1', 'b2'];
	await Promise.all(names.map(name => turns.take(name.slice(0, 1), async () => void begun.push(name))));
	expect(begun).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
});

test('too many waiting are refused in words before they begin', async () => {
	const turns = createTurns({maxWaiting: 2});
	const {begun, named, end} = work();
	const [first, second, third, fourth] = ['1', '2', '3', '4'].map(name => turns.take('a', named(name)));
	await expect(fourth).rejects.toMatchObject(refusal);
	for (const [name, each] of [
		['1', first],
		['2', second],
		['3', third],
	] as const) {
		await expect.poll(() => begun).toContain(name);
		end(name);
		expect(await each).toBe(name);
	}

	expect(begun).toEqual(['1', '2', '3']);
});

test('what waits for too long is refused, and those behind it follow', async () => {
	vi.useFakeTimers();
	onTestFinished(() => void vi.useRealTimers());
	const turns = createTurns({atOnce: 1, timeoutMs: 1000});
	const {begun, named, end} = work();
	const first = turns.take('a', named('a1'));
	const late = [turns.take('a', named('a2')), turns.take('b', named('b1'))].map(each =>
		expect(each).rejects.toMatchObject(refusal),
	);
	await vi.advanceTimersByTimeAsync(500);
	const next = turns.take('b', named('b2'));
	await vi.advanceTimersByTimeAsync(500);
	await Promise.all(late);
	expect(begun).toEqual(['a1']);
	end('a1');
	await first;
	await vi.advanceTimersByTimeAsync(0);
	expect(begun).toEqual(['a1', 'b2']);
	end('b2');
	expect(await next).toBe('b2');
});

test('a failure ends a turn, and nothing runs twice, or beside its own organization', async () => {
	const organization = fc.constantFrom('a', 'b', 'c', 'd');
	await fc.assert(
		fc.asyncProperty(
			fc.scheduler(),
			fc.array(fc.record({organization, fails: fc.boolean()}), {maxLength: 20}),
			async (scheduler, asked) => {
				const turns = createTurns({atOnce: 2});
				const running: string[] = [];
				const seen: number[] = [];
				const all = asked.map((each, index) =>
					turns.take(each.organization, async () => {
						expect(running).not.toContain(each.organization);
						running.push(each.organization);
						expect(running.length).toBeLessThanOrEqual(2);
						seen.push(index);
						await scheduler.schedule(Promise.resolve());
						running.splice(running.indexOf(each.organization), 1);
						if (each.fails) {
							throw new Error('no');
						}
					}),
				);
				const settled = Promise.allSettled(all);
				await scheduler.waitFor(settled);
				expect((await settled).map(({status}) => status === 'rejected')).toEqual(asked.map(({fails}) => fails));
				expect(seen.toSorted((a, b) => a - b)).toEqual(asked.map((_, index) => index));
			},
		),
	);
});
