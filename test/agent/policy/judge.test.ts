import {expect, test} from 'vitest';
import {parseRule} from '../../../src/agent/policy/rules/rule.ts';
import {openPolicy} from './judging.ts';

const {judgeCommand} = openPolicy({'src/a.ts': ''});

test.each([
	['node --test', 'run_command(node --test *)'],
	['node --test test/a.test.js', 'run_command(node --test *)'],
	['node --test test/*.test.js', 'run_command(node --test *)'],
	['n"od"e --test 2>&1', 'run_command(node --test *)'],
	['CI=1 npm test', 'run_command(npm test)'],
	['npm run test:unit', 'run_command(npm run test:*)'],
	["git commit -m 'fix *'", "run_command(git commit -m 'fix *')"],
])('[14] %s is allowed by %s', async (command, rule) => {
	expect(await judgeCommand(command, {allow: [rule]})).toMatchObject({effect: 'allow', by: [{name: `allow ${rule}`}]});
});

test.each([
	['node --test-reporter=x', 'run_command(node --test *)'],
	['node --test $(touch x)', 'run_command(node --test *)'],
	['node --test "$FILES"', 'run_command(node --test *)'],
	['node --test; rm -r src', 'run_command(node --test *)'],
	['node --test &', 'run_command(node --test *)'],
	['node --test > out.txt', 'run_command(node --test *)'],
	['NODE_OPTIONS=--require=./x.js node --test', 'run_command(node --test *)'],
	['PATH=.:/bin node --test', 'run_command(node --test *)'],
	['./node --test', 'run_command(node --test *)'],
	['npm test extra', 'run_command(npm test)'],
	["git commit -m 'fix all'", "run_command(git commit -m 'fix *')"],
	['node --test "', 'run_command'],
])('[14] %s is not allowed by %s', async (command, rule) => {
	expect(await judgeCommand(command, {allow: [rule]})).toMatchObject({effect: 'ask'});
});

test('suggests a rule for each command that needs one', async () => {
	expect(await judgeCommand('npm test -- -t "a b" && git add src/a.ts && rm "x y"')).toMatchObject({
		effect: 'ask',
		suggested: [
			parseRule('run_command(npm test *)'),
			parseRule('run_command(git add *)'),
			parseRule("run_command(rm 'x y')"),
		],
	});
});
