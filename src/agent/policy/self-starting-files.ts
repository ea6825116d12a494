import {globSource} from './secret-files.ts';

/**
 * Files that run by themselves at the next start of another program: they run, or grant rights, when the user merely opens
 * the folder, starts a program of daily use there, or pushes, without having asked for that file to be run. So a change of
 * one outlives every sandbox. Source code isn't such a file, nor what a program builds or tests only when told to.
 *
 * Each row says who obeys its files, and when. An entry matches in any folder, whatever the case: a file of that name, a
 * path that ends like it, or, with `/**`, everything in a folder of that name. `*` stands for any characters of a name.
 */
const rows: readonly Row[] = [
	{
		program: 'your editor',
		when: 'when you open the folder',
		files: `.vscode/** *.code-workspace .vscode-server/** .vs/** .theia/** .idea/** .run/** *.ipr *.iws .fleet/** .zed/**
			.nova/** .atom/** .externalToolBuilders/** .project *.sublime-project *.sublime-workspace
			*.komodoproject .kateproject .kateconfig .vim/** .nvim/** .vimrc _vimrc .gvimrc .nvimrc .exrc _exrc .nvim.lua
			.lvimrc .local.vimrc .vimrc.local .vimspector.json .ycm_extra_conf.py .dir-locals.el .dir-locals-2.el .emacs
			.emacs.el .emacs.d/** .helix/** .nanorc .micro/** .kak/** .lite_project.lua .neoconf.json .nlsp-settings/**
			.luarc.json .luarc.jsonc .clangd .bsp/** .metals/** rust-analyzer.toml .rust-analyzer.toml
			.sourcekit-lsp/**`,
	},
	{
		program: 'a development container or workspace',
		when: 'when it opens the folder',
		files: `.devcontainer/** .devcontainer.json devcontainer.json .gitpod.yml .gitpod.yaml .gitpod.Dockerfile .gitpod/**
			.codesandbox/** .replit replit.nix .idx/** .ona/** .stackblitzrc .coder/** devfile.yaml .devfile.yaml`,
	},
	{
		program: 'your shell',
		when: 'when you enter the folder',
		files: `.envrc .envrc.* .direnv/** .direnvrc .autoenv .autoenv.* .rvmrc .mise/** mise.toml .mise.toml mise.*.toml
			.mise.*.toml mise/config.toml .config/mise.toml .rtx.toml .tool-versions devbox.json .devenv/** .config/fish/**
			Microsoft.PowerShell_profile.ps1`,
	},
	{
		program: 'another agent',
		when: 'at its next start here',
		files: `.service/** .claude/** .claude.json CLAUDE.md CLAUDE.local.md AGENTS.md AGENTS.override.md AGENT.md
			.agents/** .agent/** .mcp.json mcp.json .mcp/** .cursor/** .cursorrules .codex/** .gemini/** GEMINI.md .windsurf/**
			.windsurfrules .aider.* .aider/** .continue/** .continuerc.json .continuerules .opencode/** opencode.json
			opencode.jsonc .github/copilot* .github/copilot/** .github/instructions/** .github/prompts/**
			.github/chatmodes/** .github/agents/** .github/hooks/** .github/skills/** .roo/** .roorules* .roomodes .cline/**
			.clinerules .clinerules/** .clinerules-* .kilocode/** .kilocodemodes .amazonq/** .amazon-q/** .kiro/**
			.junie/** .goose/** .goosehints .augment/** .augment-guidelines .trae/** .qwen/** QWEN.md .crush/** .crush.json
			crush.json .factory/** .rovodev/** .openhands/** .devin/** .tabnine/** .warp/** WARP.md .rules .ai/**
			.openai/** .grok/** .amp/** .copilot/** .pi/**`,
	},
	{
		program: 'git',
		when: 'with your next command',
		files: `.husky/** .githooks/** .git-hooks/** .hooks/** .huskyrc .huskyrc.* .pre-commit-config.yaml
			.pre-commit-config.yml prek.toml lefthook.* .lefthook.* lefthook-local.* .lefthook-local.* .lefthook/**
			.lefthook-local/** .config/lefthook.* .lintstagedrc .lintstagedrc.* lint-staged.config.* .simple-git-hooks.*
			simple-git-hooks.* .overcommit.yml .captainhook.json captainhook.json grumphp.yml grumphp.yml.dist
			.cargo-husky/** .gitmodules .lfsconfig .gitconfig`,
	},
	{
		program: 'your version control',
		when: 'with your next command',
		files: `.hg/hgrc .hg/hgrc-not-shared .hgrc .jj/repo/config.toml .jj/repo/config .fossil-settings/** .gclient .p4config
			.reviewboardrc .arcrc .arcconfig`,
	},
	{
		program: 'your package manager',
		when: 'with your next command',
		files: `.npmrc .pnpmrc .pnpmfile.cjs .pnpmfile.mjs .pnpmfile.js pnpmfile.js .yarnrc .yarnrc.yml .yarn/releases/**
			.yarn/plugins/** .yarn/sdks/** .pnp.cjs .pnp.js .pnp.loader.mjs bunfig.toml .bunfig.toml binding.gyp pip.conf
			pip.ini .pip/** .pydistutils.cfg uv.toml .condarc .cargo/config .cargo/config.toml rust-toolchain
			rust-toolchain.toml gradlew gradlew.bat gradle/wrapper/** mvnw mvnw.cmd .mvn/** .sbtopts .jvmopts
			.sbtrc sbtx .bundle/** .gemrc nuget.config .nuget/** .config/dotnet-tools.json .bazelrc .bazeliskrc
			.bazelversion tools/bazel .buckconfig .buckconfig.local .luarocks/** .opam/** auth.json .pypirc .mavenrc`,
	},
	{
		program: 'your package manager',
		when: 'with your next install',
		files: 'package.json',
		part: startingPartOfPackage,
	},
	{
		program: 'Composer',
		when: 'with your next install',
		files: 'composer.json',
		part: startingPartOfComposer,
	},
	{
		program: 'pnpm',
		when: 'with your next install',
		files: 'pnpm-workspace.yaml',
		part: startingPartOfPnpm,
	},
	{
		program: 'your CI or hosting service',
		when: 'after a push',
		files: `.github/workflows/** .github/actions/** .gitlab-ci.yml .gitlab-ci.yaml .gitlab/ci/** .gitlab/agents/** .circleci/** .circle.yml
			circle.yml azure-pipelines.yml azure-pipelines.yaml azure-pipelines-*.yml azure-pipelines.*.yml .azure-pipelines/**
			.azuredevops/** Jenkinsfile Jenkinsfile.* *.Jenkinsfile .jenkins/** .drone.yml .drone.yaml .drone.star
			.drone.jsonnet .buildkite/** bitbucket-pipelines.yml .bitbucket/** .travis.yml appveyor.yml .appveyor.yml
			.cirrus.yml .cirrus.star .semaphore/** .woodpecker.yml .woodpecker.yaml .woodpecker/** .forgejo/** .gitea/**
			.teamcity/** cloudbuild.yaml cloudbuild.yml cloudbuild.json buildspec.yml buildspec.yaml amplify.yml
			codeship-steps.yml codeship-services.yml wercker.yml .builds/** .build.yml .tekton/** .screwdriver.yaml
			screwdriver.yaml bitrise.yml codemagic.yaml .readthedocs.yml .readthedocs.yaml readthedocs.yml netlify.toml
			vercel.json render.yaml .harness/** .werft/** .zuul.yaml .zuul.d/** .sourcehut.yml .cds/**`,
	},
	{
		program: 'your debugger',
		when: 'at its next start here',
		files: `.gdbinit .gdbearlyinit .gdbinit.d/** *-gdb.py *-gdb.gdb .lldbinit .lldbinit-* .cgdb/** .radare2rc .rizinrc
			.pdbrc .pdbrc.py .perldb .byebugrc .rdbgrc .rdbgrc.rb .valgrindrc .dbxinit .delve/**`,
	},
	{
		program: 'an interpreter or its console',
		when: 'at its next start here',
		files: `sitecustomize.py usercustomize.py *.pth pyvenv.cfg .pythonrc .pythonrc.py .pythonstartup .ipython/**
			ipython_config.py jupyter_*config.py jupyter_*config.json .jupyter/** .irbrc .pryrc .Rprofile Rprofile.site .Renviron
			.RData .julia/** .noderc .node_repl/** .ghci .iex.exs .erlang .ocamlinit .utoprc .octaverc startup.m .user.ini
			.guile .clisprc .sbclrc .eclrc .scalarc .jshellrc .groovy/** .luainit .maximarc`,
	},
	{
		program: 'a program of your terminal',
		when: 'at its next start here',
		files: `.psqlrc .sqliterc .mongorc.js .mongoshrc.js .mysqlrc .duckdbrc .usqlrc .curlrc _curlrc .wgetrc .inputrc .screenrc
			.tmux.conf .tmuxinator.yml .lesskey .less .lessfilter .ackrc .ctags .ctags.d/** .rgrc .ripgreprc .fdrc .gnuplot
			.ansible.cfg ansible.cfg .terraformrc terraform.rc .terraform/** .vagrantplugins`,
	},
	{
		program: 'your shell',
		when: 'when you call a tool by its name',
		files: `node_modules/.bin/** venv/bin/** .venv/bin/** env/bin/** venv/Scripts/** .venv/Scripts/** vendor/bin/** .bin/**
			.cargo/bin/**`,
	},
	{
		program: 'your desktop',
		when: 'when you open the folder or the disk',
		files: '*.desktop .directory autorun.inf .autorun .autorun.sh autorun.sh desktop.ini *.lnk *.webloc',
	},
];

type Row = {
	readonly program: string;
	readonly when: string;
	readonly files: string;
	/**
	 * Returns what of the file runs by itself, if it isn't the whole: a change of anything else doesn't count. `called` has the
	 * words of git's hooks, which may be names of scripts.
	 */
	readonly part?: (text: string, called?: ReadonlySet<string>) => string;
};

/** Who obeys a file, and when; `marked` is the end of its path that says so. */
export type SelfStarting = Pick<Row, 'program' | 'when' | 'part'> & {readonly marked: string};

type Matcher = {readonly row: Row; readonly expression: RegExp};

let compiled: readonly Matcher[] | undefined;

/** Returns who obeys a file at its next start; undefined for any other file. `path` has `/`. */
export function selfStarting(path: string): SelfStarting | undefined {
	compiled ??= rows.map(row => ({row, expression: expressionOf(row.files)}));
	const folded = path.normalize('NFC').replace(/\p{Cf}/gu, '');
	for (const {row, expression} of compiled) {
		const [, marked] = expression.exec(folded) ?? [];
		if (marked !== undefined) {
			const {program, when, part} = row;
			return {program, when, marked, ...(part && {part})};
		}
	}

	return undefined;
}

let names: {readonly whole: ReadonlySet<string>; readonly patterns: RegExp} | undefined;

/** True for every path that `selfStarting` knows, for folders of packages, and for few others. Much faster. */
export function mayStart(path: string): boolean {
	if (path.includes('/.') || path.startsWith('.', 1)) {
		return true;
	}

	names ??= namesOf(rows.flatMap(({files}) => files.toLowerCase().split(/\s+/)));
	const folded = path.toLowerCase();
	const slash = folded.lastIndexOf('/');
	const above = folded.slice(folded.lastIndexOf('/', slash - 1) + 1, Math.max(slash, 0));
	return names.whole.has(folded.slice(slash + 1)) || names.whole.has(above) || names.patterns.test(folded);
}

/** Returns the last names of entries: those that are whole, and the others as one expression. */
function namesOf(entries: readonly string[]) {
	const last = entries.map(
		entry =>
			entry
				.replace(/\/\*\*$/, '')
				.split('/')
				.at(-1) ?? '',
	);
	const patterns = last.filter(name => name.includes('*')).map(globSource);
	return {
		whole: new Set(['node_modules', ...last.filter(name => !name.includes('*'))]),
		patterns: new RegExp(`(?:^|/)(?:${patterns.filter(name => !name.startsWith('\\.')).join('|')})$`, 's'),
	};
}

function expressionOf(files: string): RegExp {
	const entries = files.split(/\s+/).map(entry => {
		const isFolder = entry.endsWith('/**');
		return `${globSource(isFolder ? entry.slice(0, -3) : entry)}${isFolder ? '(?:/.*)?' : ''}`;
	});
	return new RegExp(`(?:^|/)((?:${entries.join('|')}))$`, 'is');
}

/** True if a change makes another program run something else by itself. `before` is undefined for a new file. */
export function changesStart(
	{part}: SelfStarting,
	{before = '', after}: {readonly before?: string | undefined; readonly after: string},
	called?: ReadonlySet<string>,
): boolean {
	return part === undefined || part(before, called) !== part(after, called);
}

/** Scripts that npm runs unasked, beside those before and after another. */
const lifecycle =
	/^(?:install|prepare|prepack|publish|version|uninstall|dependencies|(?:pre|post)(?:install|prepare|publish|publishonly|pack|version|uninstall)|pnpm:\w+)$/i;
const hookTools =
	/^(?:husky|lint-staged|simple-git-hooks|gitHooks|git-hooks|ghooks|pre-?commit|pre-?push|trustedDependencies|pnpm|overrides|resolutions|allowScripts|lavamoat|dependenciesMeta|installConfig|gypfile)$/i;
/** A dependency that comes from elsewhere than a registry. */
const elsewhere =
	/^(?:file|link|portal|patch|exec|git|git\+\w+|https?|ssh|github|gitlab|bitbucket|gist):|^[\w.-]+\/[\w.-]+/i;

function startingPartOfPackage(text: string, called?: ReadonlySet<string>): string {
	const data = objectIn(text);
	if (data === undefined) {
		return text.trim();
	}

	const scripts = Object.entries(objectOf(data['scripts']));
	const names = new Set(scripts.map(([name]) => name));
	const starts = scripts.filter(
		([name]) =>
			called?.has(name) ||
			lifecycle.test(name) ||
			(/^(?:pre|post)./.test(name) && names.has(name.replace(/^(?:pre|post)/, ''))),
	);
	const manager = data['packageManager'];
	const isUsual =
		manager === undefined || /^(?:npm|pnpm|yarn|bun)@\d+\.\d+\.\d+(?:[-+][\w.-]+)*$/.test(String(manager));
	return stable([
		starts,
		isUsual ? '' : manager,
		Object.entries(data).filter(([key]) => hookTools.test(key)),
		Object.entries(data)
			.filter(([key]) => /dependencies$/i.test(key))
			.flatMap(([, value]) => Object.entries(objectOf(value)))
			.filter(([, source]) => elsewhere.test(String(source))),
	]);
}

function startingPartOfComposer(text: string): string {
	const data = objectIn(text);
	if (data === undefined) {
		return text.trim();
	}

	const starts = Object.entries(objectOf(data['scripts'])).filter(([name]) => /^(?:pre|post)-|^command$/.test(name));
	return stable([starts, objectOf(data['config'])['allow-plugins'], data['repositories']]);
}

/** Leaves out the lists of folders and versions. */
function startingPartOfPnpm(text: string): string {
	const kept: string[] = [];
	let isLeftOut = false;
	for (const line of text.split(/\r?\n/).filter(each => /^\s*[^\s#]/.test(each))) {
		if (/^[^\s-]/.test(line)) {
			isLeftOut = /^["']?(?:packages|catalogs?)["']?\s*:/.test(line) && !/[{&*!]/.test(line);
		}

		kept.push(...(isLeftOut ? [] : [line]));
	}

	return kept.join('\n');
}

function objectIn(text: string): Readonly<Record<string, unknown>> | undefined {
	try {
		const data: unknown = text.trim() === '' ? {} : JSON.parse(text.replace(/^\uFEFF/, ''));
		return data !== null && typeof data === 'object' ? objectOf(data) : undefined;
	} catch {
		return undefined;
	}
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
	return value !== null && typeof value === 'object' ? {...value} : {};
}

/** Returns a text that doesn't depend on the order of what it is made from. */
function stable(parts: readonly unknown[]): string {
	const sorted = parts.map(part => (Array.isArray(part) ? part.map(each => JSON.stringify(each)).sort() : part));
	return JSON.stringify(sorted);
}
