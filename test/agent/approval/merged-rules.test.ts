import {expect, test} from 'vitest';
import {mergeRules} from '../../../src/agent/approval/ruling.ts';

test.each([
	[['run_command(npm test)', 'run_command(npm test)'], ['run_command(npm test)']],
	[['run_command(npm test)', 'run_command(npm test *)'], ['run_command(npm test *)']],
	[
		['run_command(npm test *)', 'run_command(npm run lint *)'],
		['run_command(npm test *)', 'run_command(npm run lint *)'],
	],
	// The star of a shorter rule may cover nothing of this one.
	[
		['run_command(npm *)', 'run_command(npm test *)'],
		['run_command(npm *)', 'run_command(npm test *)'],
	],
	[
		['fetch_url(a.example)', 'mcp(a.example *)'],
		['fetch_url(a.example)', 'mcp(a.example *)'],
	],
])('[4] the rules %j are merged to %j before they are read', (rules, merged) => {
	expect(mergeRules(rules)).toEqual(merged);
});
