import {expect, test} from 'vitest';
import {describeRule} from '../../../../src/agent/policy/rules/describe-rule.ts';
import {parseRule} from '../../../../src/agent/policy/rules/rule.ts';

test.each([
	['run_command', 'every command'],
	['run_command(rm -r build)', 'exactly “rm -r build”'],
	['run_command(cd packages/a && make)', 'exactly “make” in packages/a'],
	[
		'run_command(npm test *)',
		'“npm test” with names in this folder and options such as --coverage, --watch, --verbose, --grep',
	],
	[
		'run_command(git stash *)',
		'“git stash” with options such as --include-untracked, --keep-index, --no-keep-index, --staged',
	],
	['run_command(git *)', '“git” with nothing else'],
	['run_command(sudo *)', '“sudo” with nothing else'],
	['run_command(mytool *)', '“mytool” with names in this folder'],
	['run_command(cd sub && mytool --force **)', '“mytool --force” with any words in sub'],
	['edit_file(src/**)', 'changes of src/**'],
	['read_file(./.env)', 'reading ./.env'],
	['fetch_url(example.com)', 'reading from example.com'],
	['mcp(docs:search)', 'the MCP tool docs:search'],
])('%s covers %s', (rule, words) => {
	expect(describeRule(parseRule(rule))).toBe(words);
});
