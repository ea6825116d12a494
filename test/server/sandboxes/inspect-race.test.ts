import {expect, test} from 'vitest';
import {localSandboxes} from './sandbox.ts';

test('a sandbox that ends during the inspection has ended, and is not gone', async () => {
	const {provider, shell} = await localSandboxes();
	const ids = await Promise.all(Array.from({length: 6}, () => shell('sleep 0.02')));
	// Many inspections without a pause, so that supervisors end during some of them.
	const readers = Array.from({length: 40}, () => ids).flat();
	const kinds = readers.map(async id => {
		for (;;) {
			const {kind} = await provider.inspect(id);
			if (kind === 'ended' || kind === 'gone') {
				return kind;
			}
		}
	});
	expect(await Promise.all(kinds)).toEqual(readers.map(() => 'ended'));
});
