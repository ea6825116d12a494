import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {ruleOn} from '../../../src/agent/approval/ruling.ts';
import {changesStart, mayStart, selfStarting} from '../../../src/agent/policy/self-starting-files.ts';
import {openPolicy} from './judging.ts';

const {workspace, judge} = openPolicy({'a.txt': ''});

/** Files that another program obeys at its next start. */
const starting = `
	.vscode/tasks.json .vscode/launch.json .vscode/settings.json .vscode/extensions.json .vscode/mcp.json
	app.code-workspace packages/web/.vscode/tasks.json .VSCode/Tasks.json .idea/workspace.xml
	.idea/runConfigurations/a.xml .run/test.run.xml .fleet/run.json .zed/tasks.json .zed/settings.json .nova/Tasks/a.json
	a.sublime-project .vim/plugin/a.vim .exrc .vimrc .nvim.lua .lvimrc .dir-locals.el .emacs.d/init.el
	.helix/languages.toml .ycm_extra_conf.py .vs/tasks.vs.json .luarc.json .bsp/server.json
	.devcontainer/devcontainer.json .devcontainer.json .devcontainer/python/Dockerfile .gitpod.yml .replit
	.direnv/bin/a mise.toml .mise.toml .mise/config.toml .tool-versions devbox.json .rvmrc
	.claude/settings.json .claude/settings.local.json .claude/hooks/a.sh .claude/commands/a.md CLAUDE.md .mcp.json
	.cursor/mcp.json .cursor/rules/a.mdc .cursorrules .codex/config.toml .gemini/settings.json .windsurf/rules/a.md
	.windsurfrules .aider.conf.yml .continue/config.yaml opencode.json .opencode/plugin/a.js
	.github/copilot-instructions.md .roo/mcp.json .clinerules .clinerules/a.md .amazonq/mcp.json .kiro/hooks/a.json
	.service/hooks.json .service/mcp.json AGENTS.md
	.pnpmfile.cjs .yarn/releases/yarn-4.cjs .yarn/plugins/a.cjs .pnp.cjs bunfig.toml binding.gyp pip.conf
	.cargo/config.toml .cargo/config gradlew gradle/wrapper/gradle-wrapper.properties mvnw .mvn/jvm.config
	.mvn/extensions.xml .bundle/config .bazelrc tools/bazel nuget.config rust-toolchain.toml
	.github/workflows/ci.yml .github/actions/a/action.yml .gitlab-ci.yml .gitlab/ci/a.yml .circleci/config.yml
	azure-pipelines.yml Jenkinsfile .drone.yml .buildkite/pipeline.yml bitbucket-pipelines.yml .travis.yml .cirrus.yml
	.woodpecker/a.yml .forgejo/workflows/a.yml cloudbuild.yaml netlify.toml .readthedocs.yaml
	.pre-commit-config.yaml lefthook.yml .lefthook-local.yml .lintstagedrc.json lint-staged.config.mjs .husky/pre-push
	.githooks/commit-msg .hg/hgrc .gitmodules
	.gdbinit .lldbinit .pdbrc a-gdb.py sitecustomize.py lib/usercustomize.py
	venv/lib/python3.12/site-packages/a.pth .venv/pyvenv.cfg .pythonrc .ipython/profile_default/startup/a.py .irbrc
	.pryrc .Rprofile .Renviron .RData .julia/config/startup.jl .ghci .iex.exs .ocamlinit
	.psqlrc .sqliterc .mongorc.js .curlrc .wgetrc .inputrc .screenrc .tmux.conf .ackrc .ctags.d/a.ctags .ripgreprc
	ansible.cfg
	node_modules/.bin/tsc venv/bin/python .venv/bin/activate vendor/bin/phpunit app.desktop autorun.inf
	.vs​code/tasks.json`
	.trim()
	.split(/\s+/);

/** Files of a working day. */
const ordinary = `
	src/index.ts src/main.rs lib/a.py app/models/user.rb cmd/main.go index.html styles.css README.md docs/setup.md
	CHANGELOG.md LICENSE Makefile Dockerfile docker-compose.yml compose.yaml .gitignore .gitattributes .dockerignore
	.editorconfig .prettierrc .prettierrc.json .eslintrc.json eslint.config.js biome.json tsconfig.json jsconfig.json
	vite.config.ts vitest.config.ts webpack.config.js rollup.config.mjs next.config.js tailwind.config.ts babel.config.js
	.babelrc .browserslistrc jest.config.js playwright.config.ts package-lock.json pnpm-lock.yaml yarn.lock Cargo.toml
	Cargo.lock build.rs go.mod go.sum pyproject.toml setup.py setup.cfg requirements.txt tox.ini conftest.py
	tests/test_a.py Gemfile Gemfile.lock Rakefile pom.xml build.gradle build.gradle.kts settings.gradle gradle.properties
	CMakeLists.txt .nvmrc .node-version .python-version .ruby-version .npmignore .mailmap .github/CODEOWNERS
	.github/ISSUE_TEMPLATE/bug.md .github/pull_request_template.md .github/dependabot.yml .gitlab/issue_templates/a.md
	src/vscode/tasks.json src/claude/settings.json bin/cli.js scripts/build.sh tools/run.py terraform/main.tf
	k8s/deployment.yaml schema.sql migrations/001.sql src/workflows/ci.ts vscode.md docs/github/workflows/a.yml
	src/agents.md.ts public/robots.txt assets/a.svg prisma/schema.prisma openapi.yaml Procfile .env.example
	src/idea/a.kt composer.lock tslint.json .stylelintrc.json nodemon.json .swcrc turbo.json nx.json lerna.json`
	.trim()
	.split(/\s+/);

const edit = (path: string) => ({kind: 'edit', path: join(workspace(), path)}) as const;

test(`[13] a change of each of ${starting.length} files that another program obeys asks in every mode, and says why`, async () => {
	for (const path of starting) {
		const verdict = await judge(edit(path));
		expect([path, verdict]).toMatchObject([
			path,
			{effect: 'ask', mayBeDenied: true, why: expect.stringMatching(/^changes what/)},
		]);
		for (const mode of ['ask', 'edits', 'all'] as const) {
			expect([path, ruleOn(edit(path), mode, {effect: 'ask', suggestions: [], mayBeDenied: true}).effect]).toEqual([
				path,
				'ask',
			]);
		}
	}
});

test(`${ordinary.length} files of a working day are edited without a question`, async () => {
	for (const path of ordinary) {
		expect([path, await judge(edit(path))]).toMatchObject([path, {effect: 'ask', mayBeDenied: false}]);
	}
});

test('a rule that names such a file or its folder releases it, a wide one does not', async () => {
	const effect = async (path: string, rule: string) => (await judge(edit(path), {allow: [rule]})).effect;
	for (const [path, rule] of [
		['.github/workflows/ci.yml', 'edit_file(.github/workflows/**)'],
		['.github/workflows/ci.yml', 'edit_file(.github/**)'],
		['.vscode/tasks.json', 'write_file(.vscode/{tasks,launch}.json)'],
		['a.code-workspace', 'edit_file(*.code-workspace)'],
		['web/package.json', 'edit_file(package.json)'],
	] as const) {
		expect([path, rule, await effect(path, rule)]).toEqual([path, rule, 'allow']);
	}

	for (const rule of [
		'edit_file',
		'edit_file(**)',
		'edit_file(src/**)',
		'edit_file(**/*.json)',
		'edit_file(**/t*.json)',
		'edit_file(.*/**)',
	]) {
		expect([rule, await effect('src/.vscode/tasks.json', rule)]).toEqual([rule, 'ask']);
	}

	expect(await judge(edit('.vscode/tasks.json'), {deny: ['edit_file(**)']})).toMatchObject({effect: 'deny'});
});

describe('of a file that only partly runs by itself, the rest is edited freely', () => {
	const asks = (path: string, before: string | undefined, after: string) => {
		const found = selfStarting(path);
		return found !== undefined && changesStart(found, {before, after});
	};
	const base = {
		name: 'a',
		version: '1.0.0',
		scripts: {test: 'vitest', prettier: 'prettier .'},
		dependencies: {a: '^1.0.0'},
	};
	const changed = (change: object) =>
		asks('web/package.json', JSON.stringify(base), JSON.stringify({...base, ...change}));

	test.each([
		['a version', {version: '1.1.0'}],
		[
			'a dependency of the registry',
			{dependencies: {a: '^2.0.0', '@b/c': '~1', d: 'workspace:*', e: 'catalog:', f: 'npm:@x/y@1'}},
		],
		['development dependencies', {devDependencies: {typescript: '5.9.0'}}],
		[
			'a script that is called by its name',
			{scripts: {...base.scripts, lint: 'biome check', preview: 'vite preview', pack: 'x'}},
		],
		['the usual package manager', {packageManager: 'pnpm@10.2.1+sha512.abc'}],
		['exports', {exports: './a.js', type: 'module', files: ['dist'], engines: {node: '>=20'}}],
		['the order', Object.fromEntries(Object.entries(base).reverse())],
	])('package.json: %s does not ask', (_, change) => {
		expect(changed(change)).toBe(false);
	});

	test.each([
		['prepare', {scripts: {prepare: 'sh a'}}],
		['postinstall', {scripts: {...base.scripts, postinstall: 'sh a'}}],
		['what runs before a test', {scripts: {...base.scripts, pretest: 'sh a'}}],
		['what runs after prettier', {scripts: {...base.scripts, postprettier: 'sh a'}}],
		['pnpm:devPreinstall', {scripts: {'pnpm:devPreinstall': 'sh a'}}],
		['another package manager', {packageManager: 'yarn@https://example.com/a.js'}],
		['a dependency from elsewhere', {dependencies: {a: 'git+https://example.com/a.git'}}],
		['a dependency of GitHub', {optionalDependencies: {a: 'owner/name#main'}}],
		['a dependency in a file', {devDependencies: {a: 'file:../evil'}}],
		['lint-staged', {'lint-staged': {'*': 'sh a'}}],
		['simple-git-hooks', {'simple-git-hooks': {'pre-commit': 'sh a'}}],
		['overrides', {overrides: {a: '1'}}],
		['built dependencies', {pnpm: {onlyBuiltDependencies: ['a']}}],
	])('package.json: %s asks', (_, change) => {
		expect(changed(change)).toBe(true);
	});

	test('a new package.json asks for what starts, and one that can not be read asks', () => {
		expect(asks('package.json', undefined, JSON.stringify(base))).toBe(false);
		expect(asks('package.json', undefined, '{"scripts": {"install": "sh a"}}')).toBe(true);
		expect(asks('package.json', JSON.stringify(base), `${JSON.stringify(base)} // x`)).toBe(true);
	});

	test('composer.json asks for scripts around an install, pnpm-workspace.yaml for more than folders and versions', () => {
		expect(asks('composer.json', '{"require": {"a": "1"}}', '{"require": {"a": "2"}, "scripts": {"test": "x"}}')).toBe(
			false,
		);
		expect(asks('composer.json', '{}', '{"scripts": {"post-install-cmd": "x"}}')).toBe(true);
		expect(asks('composer.json', '{}', '{"config": {"allow-plugins": true}}')).toBe(true);
		const packages = 'packages:\n  - a\n';
		expect(asks('pnpm-workspace.yaml', packages, `${packages}  - b\n# x\ncatalog:\n  react: ^19\n`)).toBe(false);
		expect(asks('pnpm-workspace.yaml', packages, `${packages}dangerouslyAllowAllBuilds: true\n`)).toBe(true);
	});
});

test('the fast look over many paths leaves out none of them', () => {
	for (const path of starting) {
		expect([path, mayStart(`./${path}`), mayStart(`./a/b/${path}`)]).toEqual([path, true, true]);
	}

	expect(mayStart('./a/node_modules')).toBe(true);
	expect(mayStart('./src/index.ts')).toBe(false);
});
