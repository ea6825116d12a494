import {expect, test} from 'vitest';
import {shownSetting} from '../../../src/config/settings/setting-value.ts';

test.each([
	['prices', {'custom/own': ['3', '15'], other: [1, 2]}, 'custom/own: 3, 15; other: 1, 2'],
	['windows', {'custom/own': 128_000}, 'custom/own: 128000'],
	['prices', {}, '{}'],
	['hooks', {after_run: [{command: 'make'}]}, '{"after_run":[{"command":"make"}]}'],
	['windows', undefined, 'as known'],
] as const)('%s of %j is shown as %j', (key, value, shown) => {
	expect(shownSetting(key, value)).toBe(shown);
});
