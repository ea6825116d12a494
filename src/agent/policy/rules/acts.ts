import {type GitCommand, gitCommands} from '../command/git/git-commands.ts';

/** Which values of an option a rule covers: any text, a path inside the working folder, or those that match. */
export type OptionValue = 'text' | 'path' | RegExp;

type Option = {
	/** How it takes its value: not at all, attached or in the next word, or only attached, as in `--coverage=false`. */
	readonly takes: 'none' | 'value' | 'attached';
	readonly value: OptionValue;
};

export type ActOptions = ReadonlyMap<string, Option>;

/** What `*` covers behind the words of an act, such as `npm test`. */
export type RuleAct = {
	readonly options: ActOptions;
	/** False if no further operands are covered: they would say what the program does, as in `git stash clear`. */
	readonly hasOperands: boolean;
	/** Operands that aren't covered, because they select another act or mean more than a name. */
	readonly except?: RegExp;
	/** What the first operand must be; any name if absent. */
	readonly first?: RegExp;
	/** Options behind `--`, which belong to the program that this one starts. Without it, only operands stand there. */
	readonly inner?: ActOptions;
	/** True if letters share a dash, as in `-xvs`. Otherwise what follows a single dash is one name. */
	readonly bundles: boolean;
	/** True if a question suggests a rule that ends in `*` for it. */
	readonly isSuggested: boolean;
};

const number = /^-?[\d.]+(?:ms|s|m|h|%|x|[kKMG]B?)?$|^auto$/;

/**
 * Reads a list such as `-v --bail? --timeout=number --tb=short|long -k=text -p=path`. `?` stands for a value that may follow
 * behind `=`; without a kind it is `true` or `false`.
 */
function optionsOf(list: string): ActOptions {
	const read = (kind: string): OptionValue => {
		const names = kind || 'true|false';
		return kind === 'text' || kind === 'path' ? kind : kind === 'number' ? number : new RegExp(`^(?:${names})$`);
	};
	return new Map(
		list
			.split(/\s+/)
			.filter(Boolean)
			.map(option => {
				const [, name = '', sign, kind = ''] = /^([^=?]+)(?:([=?])(.*))?$/.exec(option) ?? [];
				const takes = sign === '=' ? 'value' : sign === '?' ? 'attached' : 'none';
				return [name, {takes, value: read(kind)}] as const;
			}),
	);
}

type Given = Partial<Omit<RuleAct, 'options' | 'inner'>> & {readonly inner?: string};

function act(options: string, {inner, ...given}: Given = {}): RuleAct {
	return {
		options: optionsOf(options),
		hasOperands: true,
		bundles: false,
		isSuggested: true,
		...given,
		...(inner !== undefined && {inner: optionsOf(inner)}),
	};
}

/** What most test runners, linters and builds behind a package script take. */
const script = `--coverage? --watch?false --verbose? --grep=text --filter=text --testNamePattern=text --test-name-pattern=text
	-t=path -g=path -k=path --run --no-watch --watchAll?false --no-coverage --silent? --quiet -q -v --bail? -b --ci -u
	--update --updateSnapshot --passWithNoTests --maxWorkers=number --testTimeout=number --timeout=number --retries=number
	--reporter=default|basic|dot|verbose|spec|tap|json|junit|min|list|line|github-actions --runInBand -i --forceExit
	--detectOpenHandles --onlyChanged --changed --project=[\\w.-]+ --shard=[\\d/]+ --seed=number --headed --fix --check --write
	--noEmit --max-warnings=number --mode=[\\w-]+ --color --no-color --help --version --debug?`;
const npm = `-s --silent --if-present --no-color --color?true|false|always -w=path --workspace=path --workspaces -ws
	--include-workspace-root --loglevel=silent|error|warn|notice|http|info|verbose|silly -d -q --quiet --verbose`;
const npmScript = act(npm, {inner: script});
const directScript = act(script, {inner: script});

const vitest = act(
	`--run --watch?false --no-watch -t=text --testNamePattern=text --coverage? --coverage.enabled?
	--coverage.reporter=text|html|json|lcov|text-summary|json-summary --no-coverage --silent? --bail=number -u --update --changed
	--reporter=default|basic|verbose|dot|json|tap|tap-flat|junit|hanging-process|github-actions|tree|agent
	--passWithNoTests --project=[\\w.*!-]+ --pool=threads|forks|vmThreads|vmForks --no-color --color --testTimeout=number
	--hookTimeout=number --teardownTimeout=number --retry=number --maxWorkers=number --minWorkers=number
	--no-file-parallelism --fileParallelism? --sequence.shuffle? --sequence.seed=number --hideSkippedTests --allowOnly?
	--logHeapUsage --typecheck? --isolate? --no-isolate --shard=[\\d/]+ --exclude=text --slowTestThreshold=number
	--maxConcurrency=number --expandSnapshotDiff --dangerouslyIgnoreUnhandledErrors --clearScreen?`,
	{except: /^init$/},
);
const jest = act(
	`-t=text --testNamePattern=text --coverage? --no-coverage --watch?false --watchAll?false --ci --silent --verbose --bail?\\d+
	-b --maxWorkers=number -w=number -i --runInBand -u --updateSnapshot -o --onlyChanged -f --onlyFailures --passWithNoTests
	--findRelatedTests --testPathPattern=text --testPathPatterns=text --testPathIgnorePatterns=text --forceExit
	--detectOpenHandles --listTests --colors --no-colors --errorOnDeprecated --testTimeout=number --shard=[\\d/]+
	--selectProjects=[\\w.-]+ --changedSince=[\\w./-]+ --json --logHeapUsage --no-cache --randomize --seed=number`,
);
const tsc =
	act(`--noEmit? -p=path --project=path -b --build -w --watch --pretty? --incremental? --strict? --skipLibCheck?
	--noEmitOnError? --listFiles --listFilesOnly --showConfig --explainFiles --extendedDiagnostics --diagnostics -v --version
	--verbose --dry -d --noUnusedLocals? --noUnusedParameters? --allowJs? --checkJs? --esModuleInterop?
	--target=[\\w.]+ --module=[\\w.]+ --moduleResolution=\\w+ --jsx=[\\w-]+ --lib=[\\w.,]+`);
const eslint =
	act(`--fix --fix-dry-run --fix-type=[\\w,]+ --quiet --max-warnings=number --ext=[\\w.,]+ --cache --no-cache --color
	--no-color -f=stylish|compact|unix|json|html|visualstudio|checkstyle|junit|tap
	--format=stylish|compact|unix|json|html|visualstudio|checkstyle|junit|tap --no-error-on-unmatched-pattern
	--report-unused-disable-directives --no-inline-config --no-warn-ignored --ignore-pattern=text --rule=text --debug --stats
	-v --version -h --help --pass-on-no-patterns --concurrency=number`);
const prettier = act(`-c --check -l --list-different -w --write --no-color --color --cache -u --ignore-unknown
	--log-level=silent|error|warn|log|debug --no-error-on-unmatched-pattern`);
const biome = act(`--write --fix --unsafe --staged --changed --error-on-warnings --colors=off|force --verbose
	--max-diagnostics=number --diagnostic-level=info|warn|error --no-errors-on-unmatched --files-ignore-unknown=true|false
	--reporter=default|json|summary|github`);

const playwright = act(
	`--headed --project=[\\w.-]+ -g=text --grep=text --grep-invert=text -x --workers=number -j=number --retries=number
	--timeout=number --max-failures=number --repeat-each=number --last-failed --list --forbid-only --fully-parallel --quiet
	--reporter=list|line|dot|html|json|junit|github|null --shard=[\\d/]+ -u --update-snapshots --pass-with-no-tests
	--trace=on|off|on-first-retry|retain-on-failure`,
);

const pytest = act(
	`-v -q -x -s -l -h -k=text -m=text -r=[A-Za-z]+ --verbose --quiet --exitfirst --lf --last-failed --ff --failed-first --nf
	--new-first --sw --stepwise --maxfail=number --tb=auto|long|short|line|native|no --durations=number
	--durations-min=number --co --collect-only --no-header --no-summary --capture=fd|sys|no|tee-sys --showlocals
	--no-showlocals --cov?path --cov-report=term|term-missing|html|xml|json|lcov|annotate|term:skip-covered|term-missing:skip-covered
	--cov-branch --no-cov --cov-append --cov-fail-under=number -n=number --numprocesses=number
	--dist=no|load|loadscope|loadfile|loadgroup|worksteal|each --timeout=number --color=yes|no|auto --strict-markers
	--strict-config --strict --disable-warnings --disable-pytest-warnings -W=error|ignore|default|always|once|module
	--deselect=text --ignore=path --ignore-glob=text --version --help --fixtures --markers --setup-show --setup-only
	--setup-plan --runxfail --reruns=number --reruns-delay=number -p=no:[\\w.-]+ --import-mode=prepend|append|importlib
	--cache-clear --cache-show --runslow --randomly-seed=number --snapshot-update --asyncio-mode=auto|strict --full-trace
	--doctest-modules --log-cli-level=\\w+ --log-level=\\w+`,
	{bundles: true},
);
const ruffCheck = act(
	`--fix --no-fix --unsafe-fixes --no-unsafe-fixes --fix-only --diff --select=[\\w,]+ --ignore=[\\w,]+ --extend-select=[\\w,]+
	--extend-ignore=[\\w,]+ --output-format=[\\w-]+ --statistics --show-fixes --show-files --show-settings -q --quiet -v --verbose
	-s --silent -n --no-cache -e --exit-zero --exit-non-zero-on-fix --exclude=text --extend-exclude=text --line-length=number
	--target-version=\\w+ --preview --no-preview -w --watch --ignore-noqa --respect-gitignore --force-exclude`,
	{bundles: true},
);
const ruffFormat = act(
	`--check --diff -q --quiet -v --verbose -s --silent -n --no-cache --exclude=text --line-length=number --target-version=\\w+
	--preview --no-preview --respect-gitignore --force-exclude --exit-non-zero-on-format`,
	{bundles: true},
);
const mypy = act(`--strict --ignore-missing-imports --no-incremental --pretty --show-error-codes --show-error-context
	--show-column-numbers --no-error-summary -p=[\\w.]+ --package=[\\w.]+ -m=[\\w.]+ --module=[\\w.]+ --namespace-packages
	--follow-imports=normal|silent|skip|error --explicit-package-bases --exclude=text --python-version=number -v --verbose
	--check-untyped-defs --no-color-output --disallow-untyped-defs --disallow-any-generics --warn-unused-ignores
	--warn-return-any --warn-unreachable --no-implicit-optional --show-traceback --tb --version`);

const cargo = `-p=[\\w@.-]+ --package=[\\w@.-]+ --workspace --all --exclude=[\\w-]+ -r --release --profile=[\\w-]+ --all-features
	--features=text -F=text --no-default-features --all-targets --lib --bins --bin=[\\w-]+ --examples --example=[\\w-]+ --tests
	--test=[\\w-]+ --benches --bench=[\\w-]+ -q --quiet -v --verbose -j=number --jobs=number --keep-going --locked --offline --frozen
	--message-format=[\\w,-]+ --color=auto|always|never --timings --future-incompat-report`;
const cargoBuild = act(cargo, {bundles: true, hasOperands: false});

const goBuild = `-v -x -n -a -race -msan -asan -cover -covermode=set|count|atomic -coverpkg=text -p=number -tags=[\\w,.]+
	-mod=readonly|vendor -trimpath -buildvcs=true|false|auto -json`;

/** A remote is named: a path or an address would be another one. */
const gitRepository = {isSuggested: false, bundles: true, except: /[:^]/, first: /^[\w-]+$/};

/** Verbs of git that only read, with the options of theirs that do. */
const gitReading = Object.fromEntries(
	Object.entries(gitCommands)
		.filter(([, {verbs}]) => verbs === undefined)
		.map(([name, command]) => [`git ${name}`, gitReadingAct(command)] as const),
);

function gitReadingAct({options, operands, operandsOnlyWith}: GitCommand): RuleAct {
	// Some formats start gpg.
	const value = /^(?!.*(?:%G|signature))/is;
	return {
		options: new Map([...options].map(([name, takes]) => [name, {takes, value}] as const)),
		hasOperands: operands !== undefined && operandsOnlyWith === undefined,
		bundles: true,
		isSuggested: false,
	};
}

const rspec =
	act(`-f=p|d|j|progress|documentation|json|failures --format=p|d|j|progress|documentation|json|failures -e=text
	--example=text -t=text --tag=text --fail-fast?\\d+ --seed=number --order=defined|rand|random -b --backtrace -c --color
	--no-color --force-color --only-failures -n --next-failure -P=path --pattern=path -w --warnings -p --profile?\\d+
	--dry-run`);

/** Test runners, checkers and formatters that are started by name or through a package manager. */
const nodeTools = {
	tsc,
	eslint,
	prettier,
	vitest,
	jest,
	'vitest run': vitest,
	'vitest watch': vitest,
	'vitest related': vitest,
	'playwright test': playwright,
	'biome check': biome,
	'biome lint': biome,
	'biome format': biome,
	'biome ci': biome,
};
const pythonTools = {pytest, mypy, 'ruff check': ruffCheck, 'ruff format': ruffFormat};

function startedBy(starters: readonly string[], tools: Readonly<Record<string, RuleAct>>): Record<string, RuleAct> {
	return Object.fromEntries(
		Object.entries(tools).flatMap(([name, tool]) => starters.map(starter => [`${starter} ${name}`, tool])),
	);
}

/** Programs whose first operand says what they do: of an act that isn't in the table, only its exact words are covered. */
const dispatchers = Object.fromEntries(
	'npm npx pnpm yarn bun bunx deno cargo go git docker podman kubectl helm terraform gh biome pip pip3 uv poetry bundle'
		.split(' ')
		.map(name => [name, act('', {hasOperands: false, isSuggested: false})] as const),
);

/**
 * What `*` covers, by the words that say what a program does. An option is listed only if it starts no other program, loads no
 * file as code or settings, writes nowhere but where the act does anyway, and throws nothing away. Names are exact: an
 * abbreviation isn't in the list.
 */
const acts: Readonly<Record<string, RuleAct>> = {
	...dispatchers,
	...nodeTools,
	...startedBy(['npx', 'pnpm', 'pnpm exec', 'yarn', 'bunx'], nodeTools),
	...pythonTools,
	ruff: {
		...ruffCheck,
		options: new Map([...ruffFormat.options, ...ruffCheck.options]),
		first: /^(?:check|format)$/,
		isSuggested: false,
	},
	...startedBy(['python -m', 'python3 -m', 'uv run', 'poetry run'], pythonTools),
	'npm test': npmScript,
	'npm t': npmScript,
	'npm run': npmScript,
	'npm run-script': npmScript,
	'pnpm test': directScript,
	'pnpm run': directScript,
	'yarn test': directScript,
	'yarn run': directScript,
	'bun run': directScript,
	'pnpm build': directScript,
	'pnpm lint': directScript,
	'yarn build': directScript,
	'yarn lint': directScript,
	'npm ci': act(
		`${npm} --ignore-scripts --no-audit --audit? --no-fund --fund? --omit=dev|optional|peer --include=dev|optional|peer
		--prefer-offline --offline --no-progress --progress? --legacy-peer-deps --no-optional`,
		{hasOperands: false},
	),
	'bun test':
		act(`-t=text --test-name-pattern=text --timeout=number --bail?\\d+ --coverage --watch --rerun-each=number --todo
		--only -u --update-snapshots`),
	'node --test':
		act(`--test-name-pattern=text --test-skip-pattern=text --test-only --test-reporter=spec|tap|dot|junit|lcov
		--test-concurrency=number --test-timeout=number --test-force-exit --test-shard=[\\d/]+ --experimental-test-coverage
		--test-coverage-include=text --test-coverage-exclude=text --test-isolation=none|process --test-update-snapshots --watch
		--no-warnings --enable-source-maps --experimental-strip-types --experimental-test-module-mocks
		--experimental-test-snapshots --trace-warnings --test-coverage-lines=number --test-coverage-branches=number
		--test-coverage-functions=number`),
	'deno test':
		act(`--filter=text --fail-fast?\\d+ --parallel -q --quiet --no-check --doc --shuffle --watch --trace-leaks
		--reporter=pretty|dot|junit|tap --no-run --permit-no-files`),
	tox: act('-e=[\\w,.-]+ -q -v -p --recreate -r -l', {
		bundles: true,
		hasOperands: false,
		inner: '-x -v -q -s -k=text -m=text',
	}),
	'cargo build': cargoBuild,
	'cargo check': cargoBuild,
	'cargo clippy': act(`${cargo} --fix --allow-dirty --allow-staged --no-deps`, {
		bundles: true,
		hasOperands: false,
		inner: '-D=[\\w:-]+ -W=[\\w:-]+ -A=[\\w:-]+ -F=[\\w:-]+ --deny=[\\w:-]+ --warn=[\\w:-]+ --allow=[\\w:-]+',
	}),
	'cargo test': act(`${cargo} --doc --no-run --no-fail-fast`, {
		bundles: true,
		inner: `--nocapture --no-capture --test-threads=number --ignored --include-ignored --exact --skip=text --list --show-output
			-q --quiet --format=pretty|terse --color=auto|always|never`,
	}),
	'cargo fmt': act('--all --check -p=[\\w-]+ --package=[\\w-]+ -v --verbose -q --quiet', {
		bundles: true,
		hasOperands: false,
		inner: '--check -l --files-with-diff -q --quiet -v --verbose --edition=\\d+ --color=auto|always|never',
	}),
	'go build': act(goBuild),
	'go vet': act(goBuild),
	'go test':
		act(`${goBuild} -run=text -skip=text -list=text -bench=text -benchmem -benchtime=number -count=number -short -failfast
		-timeout=number -parallel=number -cpu=[\\d,]+ -shuffle=on|off|\\d+ -vet=off|all -fullpath -fuzz=text -fuzztime=number
		-coverprofile=[\\w.-]+\\.out`),
	gofmt: act('-w -l -d -s -e'),
	...gitReading,
	'git add': act(
		'-A --all -u --update --no-all -v --verbose -n --dry-run -N --intent-to-add --ignore-errors --ignore-missing --refresh',
		{bundles: true},
	),
	'git commit': act(
		'-m=text --message=text -a --all -v --verbose -q --quiet -s --signoff --allow-empty --dry-run --short --trailer=text --status --no-status -o --only -i --include',
		{bundles: true},
	),
	'git stash': act(
		'-u --include-untracked -k --keep-index --no-keep-index -S --staged -q --quiet -m=text --message=text',
		{
			bundles: true,
			hasOperands: false,
		},
	),
	'git stash push': act(
		'-u --include-untracked -k --keep-index --no-keep-index -S --staged -q --quiet -m=text --message=text',
		{bundles: true},
	),
	'git push': act(
		'-u --set-upstream -v --verbose -q --quiet -n --dry-run --tags --follow-tags --progress --no-progress',
		gitRepository,
	),
	'git pull': act(
		'-r --rebase? --no-rebase --ff-only --ff -v --verbose -q --quiet --autostash --no-autostash --tags',
		gitRepository,
	),
	'git fetch': act(
		'-v --verbose -q --quiet --all -p --prune -t --tags --depth=number --unshallow --dry-run',
		gitRepository,
	),
	'git switch': act('-q --quiet -c=[\\w./-]+ --create=[\\w./-]+ -t --track --guess --no-guess', {
		isSuggested: false,
		bundles: true,
		except: /[:^]/,
	}),
	'dotnet build': act(`-c=\\w+ --configuration=\\w+ --no-restore --nologo -v=\\w+ --verbosity=\\w+ --no-incremental
		-f=[\\w.-]+ --framework=[\\w.-]+ --no-dependencies --tl`),
	'dotnet test': act(`-c=\\w+ --configuration=\\w+ --no-restore --no-build --nologo -v=\\w+ --verbosity=\\w+ -f=[\\w.-]+
		--framework=[\\w.-]+ --filter=text --list-tests -t --blame --tl --logger=trx|console|html`),
	rspec,
	'bundle exec rspec': rspec,
	rubocop:
		act(`-a -A --autocorrect --autocorrect-all --only=[\\w/,]+ --except=[\\w/,]+ -f=p|progress|s|simple|c|clang|j|json|q|quiet|o|offenses
		--format=p|progress|s|simple|c|clang|j|json|q|quiet|o|offenses -P --parallel -F --fail-fast -D --display-cop-names -L
		--list-target-files -l --lint -x --fix-layout --cache=true|false -S --display-style-guide --color --no-color --safe`),
	'mix test':
		act(`--trace --seed=number --failed --stale --only=text --exclude=text --include=text --cover --max-failures=number
		--slowest=number --color --no-color --warnings-as-errors`),
	'swift test': act(`--filter=text --skip=text --parallel --no-parallel --enable-code-coverage -v --verbose -q --quiet
		-c=debug|release --configuration=debug|release --list-tests --num-workers=number`),
	'zig build': act('--summary=all|new|failures|none --verbose -j=number', {hasOperands: false}),
	phpunit:
		act(`--filter=text --testsuite=text --group=[\\w,-]+ --exclude-group=[\\w,-]+ --testdox --colors?never|auto|always
		--stop-on-failure --stop-on-error --stop-on-defect --no-coverage -v --verbose --debug --no-progress --no-output
		--order-by=[\\w,]+ --random-order-seed=number --list-tests --fail-on-warning`),
	// Their operands are names of services.
	'docker compose up': act('-d --detach --wait --no-deps --no-build --no-recreate --quiet-pull'),
	'docker compose logs': act(
		`-f --follow -n=number --tail=\\d+|all -t --timestamps --no-color --no-log-prefix --since=text --until=text`,
	),
	'docker compose ps': act('-a --all -q --quiet --services --no-trunc'),
	mkdir: act('-p --parents -v --verbose', {bundles: true}),
	touch: act('-a -c --no-create -m -t=\\d[\\d.]* -d=text --date=text', {bundles: true}),
	rm: act('-v --verbose -i -I', {bundles: true, isSuggested: false}),
	cp: act('-v --verbose -n --no-clobber -p -r -R --recursive', {bundles: true, isSuggested: false}),
	mv: act('-v --verbose -n --no-clobber', {bundles: true, isSuggested: false}),
	make: act(
		'-s --silent --quiet -k --keep-going -n --dry-run -j?\\d+ --jobs?\\d+ -B --always-make --no-print-directory',
		{
			bundles: true,
			isSuggested: false,
		},
	),
};

/** Acts that end in the name of a script. */
const scriptRunners: readonly string[] = ['npm run', 'npm run-script', 'pnpm run', 'yarn run', 'bun run'];

/** Finds what words do: the longest act that they begin with, and the number of its words. */
export function findAct(words: readonly string[]): {readonly act: RuleAct; readonly length: number} | undefined {
	for (let count = Math.min(4, words.length); count > 0; count--) {
		const name = words.slice(0, count).join(' ');
		const act = Object.hasOwn(acts, name) ? acts[name] : undefined;
		if (act && scriptRunners.includes(name)) {
			// The name of the script is a part of the act.
			return words[count] === undefined || words[count]?.startsWith('-')
				? {act: {...act, hasOperands: false, options: new Map(), isSuggested: false}, length: count}
				: {act, length: count + 1};
		}

		if (act) {
			return {act, length: count};
		}
	}

	return undefined;
}

/** An option as it is written: its name, and its value if that is attached. */
export type WrittenOption = {readonly name: string; readonly option: Option; readonly attached: string | undefined};

/** Reads a word that begins with `-` by a list; undefined if a part of it isn't in the list, or has a value that it can't. */
export function readOption(word: string, options: ActOptions, bundles: boolean): readonly WrittenOption[] | undefined {
	const [, name = '', attached] = /^([^=]*)(?:=(.*))?$/s.exec(word) ?? [];
	const option = options.get(name);
	if (option) {
		return option.takes === 'none' && attached !== undefined ? undefined : [{name, option, attached}];
	}

	if (!bundles || word.startsWith('--')) {
		return undefined;
	}

	const read: WrittenOption[] = [];
	for (let at = 1; at < word.length; at++) {
		const letter = `-${word[at]}`;
		const known = options.get(letter);
		if (known === undefined) {
			return undefined;
		}

		if (known.takes !== 'none') {
			return [...read, {name: letter, option: known, attached: word.slice(at + 1) || undefined}];
		}

		read.push({name: letter, option: known, attached: undefined});
	}

	return read;
}
