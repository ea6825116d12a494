import {expect, test} from 'vitest';
import {parseSettingsFile} from '../../../src/config/project/settings-file.ts';

test('settings may set when a conversation is compacted', () => {
	expect(parseSettingsFile('{"compact_at": 70}')).toEqual({
		settings: {hooks: [], deny: [], fields: {compact_at: 70}, ignored: []},
	});
	expect(parseSettingsFile('{}').settings?.fields).toEqual({});
});

test.each([
	['0', 'compact_at must be at least 20'],
	['-5', 'compact_at must be at least 20'],
	['1e308', 'compact_at must be at most 95'],
	['"70"', 'compact_at must be a number'],
	['null', 'compact_at must be a number'],
])('a share of %s is refused by name', (value, fault) => {
	expect(parseSettingsFile(`{"compact_at": ${value}}`)).toEqual({fault});
});
