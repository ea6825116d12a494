import {join} from 'node:path';
import {expect, test} from 'vitest';
import {ruleOn} from '../../../../src/agent/approval/ruling.ts';
import {isGitHook} from '../../../../src/agent/policy/rules/git-hook.ts';
import {openPolicy} from '../judging.ts';

const {root, workspace, judge} = openPolicy({
	'.git/config': '[core]\n\tbare = false\n\thooksPath = tools/hooks\n',
	'tools/hooks/pre-commit': '',
	'inner/.git/config': '[core]\n\thookspath = "scripts/_"\n',
	'inner/scripts/pre-push': '',
});

test.each([
	['.husky/pre-commit', true],
	['.githooks/new-one', true],
	['tools/hooks/pre-commit', true],
	['tools/hooks/lib/a.sh', true],
	['inner/scripts/pre-push', true],
	['inner/tools/hooks/x', false],
	['tools/other.sh', false],
	['husky.ts', false],
])('%s is run by git: %s', async (path, expected) => {
	const places = {stateFolder: join(root(), '.service'), homeFolder: root()};
	expect(await isGitHook(join(workspace(), path), {workspace: workspace(), places})).toBe(expected);
});

test('[13] a change of a git hook asks in every mode, unless a rule names it', async () => {
	const act = {kind: 'edit', path: join(workspace(), 'tools/hooks/pre-commit')} as const;
	const verdict = await judge(act);
	expect(verdict).toMatchObject({effect: 'ask', why: 'changes what git runs'});
	for (const mode of ['ask', 'edits', 'all'] as const) {
		expect(ruleOn(act, mode, {effect: 'ask', suggestions: [], mayBeDenied: true}).effect).toBe('ask');
	}

	expect((await judge(act, {allow: ['edit_file(tools/hooks/*)']})).effect).toBe('allow');
});
