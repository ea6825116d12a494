import {expect, test} from 'vitest';
import {parseRule, ruleText} from '../../../../src/agent/policy/rules/rule.ts';

test.each([
	'run_command',
	'run_command(git diff *)',
	"run_command(git commit -m 'fix *')",
	'run_command(cd packages/a && npm test *)',
	'edit_file(src/**)',
	'write_file(./README.md)',
	'read_file(.env)',
	'fetch_url(api.example.com)',
	'fetch_url(*.example.com:8443)',
	'fetch_url([::1]:8080)',
])('reads the rule %s and writes it the same', text => {
	expect(ruleText(parseRule(text))).toBe(text);
});

test.each([
	['npm test', /Invalid rule “npm test”/],
	['bash(rm)', /Invalid rule/],
	['run_command()', /the pattern is empty/],
	['run_command(npm test && npm run lint)', /one command/],
	['run_command(cat $HOME)', /one command/],
	['run_command(echo `id`)', /one command/],
	["run_command(echo 'a)", /a quote/],
	['run_command(a\u001bb)', /control characters/],
	['edit_file(/etc/**)', /relative to the working folder/],
	['edit_file(src/../../x)', /relative to the working folder/],
	['edit_file(~/x)', /relative to the working folder/],
	['fetch_url(https://example.com/a)', /a host is a name/],
	['fetch_url(*)', /a host is a name/],
])('refuses the rule %s and says what is valid', (text, message) => {
	expect(() => parseRule(text)).toThrow(message);
});
