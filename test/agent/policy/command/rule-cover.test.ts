import {writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {flagsFor} from '../../../../src/agent/approval/unasked.ts';
import {openPolicy} from '../judging.ts';
import {workingDay} from '../working-day.ts';

const {workspace, judgeCommand} = openPolicy({
	'package.json': '{}',
	'src/a.ts': '',
	'src/b.ts': '',
	'test/a.test.js': '',
	'tests/test_a.py': '',
	'data.txt': '',
	'app.db': '',
	Makefile: '',
	'.env': 'KEY=1',
	'loose/--config=evil.js': '',
	'loose/a.js': '',
});

async function suggestedFor(command: string): Promise<readonly string[]> {
	const verdict = await judgeCommand(command);
	return verdict.effect === 'ask' ? verdict.suggestions : [];
}

/** Programs that may do what they read: those behind a pipe or `<`. */
const readers = [
	'sh',
	'bash',
	'bash -s',
	'zsh',
	'dash',
	'fish',
	'node',
	'node -',
	'python3',
	'python3 -',
	'perl',
	'ruby',
	'php',
	'lua',
	'xargs rm',
	'xargs',
	'xargs -n1 sh -c',
	'parallel',
	'sqlite3 app.db',
	'sqlite3',
	'psql',
	'mysql app',
	'redis-cli',
	'tee src/a.ts',
	'tee',
	'tee -a Makefile',
	'dd of=src/a.ts',
	'sponge src/a.ts',
	'cpio -i',
	'tar x',
	'patch -p1',
	'ed src/a.ts',
	'git apply',
	'git am',
	'git fast-import',
	'git update-index --index-info',
	'git commit -F -',
	'git hash-object -w --stdin',
	'make -f -',
	'sed -f -',
	'sed -f /dev/stdin src/a.ts',
	'awk -f -',
	'gdb -x -',
	'vim -s -',
	'ex src/a.ts',
	'at now',
	'batch',
	'crontab -',
	'ssh host',
	'docker run -i alpine sh',
	'docker exec -i web sh',
	'kubectl apply -f -',
	'terraform console',
	'bc',
	'gnuplot',
	'sudo sh',
	'env sh',
	'timeout 5 sh',
	'nice bash',
	'npx tsx',
	'npx',
	'busybox sh',
	'sort -o src/a.ts',
	'osascript',
	'pbcopy',
	'npm test',
	'source /dev/stdin',
	'eval',
	'read x',
	'./run.sh',
	'tools/load',
	'unknown-program',
	'cat - x > src/b.ts',
	'find -files0-from -',
];

test.each(readers)('[14] no rule covers %j behind a pipe or with a file as its input', async reader => {
	const program = reader.split(' ')[0] ?? '';
	const allow = [
		`run_command(${reader.split(' > ')[0]})`,
		`run_command(${program} *)`,
		`run_command(${program} **)`,
		'run_command(**)',
	];
	for (const command of [
		`echo anything | ${reader}`,
		`(cat data.txt) | ${reader}`,
		`${reader} < data.txt`,
		`cat data.txt | { ${reader}; }`,
	]) {
		expect(await suggestedFor(command), command).toEqual([]);
		expect(await judgeCommand(command, {allow}), command).toMatchObject({effect: 'ask', suggestions: []});
	}
});

test.each(['sh', 'bash', 'node', 'python3', 'perl', 'xargs', 'env', 'npx'])(
	'[14] no rule is suggested for %s alone, which reads its orders',
	async program => {
		expect(await suggestedFor(program)).toEqual([]);
	},
);

test('what only filters its input is covered as ever', async () => {
	const allow = ['run_command(npm test *)', 'run_command(grep -c a - ../outside.txt)'];
	for (const command of [
		'npm test 2>&1 | tail -5',
		'npm test | grep -c ok | sort -n',
		'cat data.txt | grep -c a - ../outside.txt',
	]) {
		expect((await judgeCommand(command, {allow})).effect, command).toBe('allow');
	}
});

/** What a rule that ends in `*` must not cover, by that rule. */
const hostile: Readonly<Record<string, readonly string[]>> = {
	'npm test *': [
		'npm test --script-shell ./x',
		'npm test --script-shell=./x',
		'npm test -script-shell=./x',
		'npm test --script-sh=./x',
		'npm test --node-options=--require=./x.js',
		'npm test --prefix ../x',
		'npm test -C ../x',
		'npm test --userconfig=x',
		'npm test --globalconfig x',
		'npm test -- --config evil.js',
		'npm test -- -c evil.js',
		'npm test -- -r ./x.js',
		'npm test -- --require=./x.js',
		'npm test -- --reporter=./x.js',
		'npm test -- --reporter evil',
		'npm test -- --globalSetup x',
		'npm test -- --import ./x.js',
		'npm test @args.txt',
		'npm test +x',
		'npm test https://example.com/x',
		'npm test SHELL=x',
		'npm test -- .env',
		'npm test /etc/passwd',
		'npm test -- ../x',
		'npm test -w ../x',
		'npm test -',
		'npm test file:///x',
	],
	'npm *': [
		'npm test',
		'npm publish',
		'npm install left-pad',
		'npm exec x',
		'npm --script-shell=x test',
		'npm run build',
	],
	'npm run *': ['npm run build', 'npm run deploy', 'npm run --script-shell=x build'],
	'npm run build *': [
		'npm run build --script-shell=x',
		'npm run build -- --plugin ./x.js',
		'npm run build -- -o /tmp/x',
	],
	'npm ci *': ['npm ci --script-shell=x', 'npm ci left-pad', 'npm ci --registry https://x.test', 'npm ci --prefix=..'],
	'yarn test *': ['yarn test --config evil.js', 'yarn test --setupFiles=./x.js', 'yarn test --env=./x.js'],
	'node --test *': [
		'node --test --import ./x.mjs',
		'node --test --import=./x.mjs',
		'node --test -r ./x.js',
		'node --test --require=./x.js',
		'node --test --loader ./x.mjs',
		'node --test --experimental-loader=./x.mjs',
		'node --test --env-file=.env',
		'node --test -e 1',
		'node --test --eval=1',
		'node --test -p 1',
		'node --test --test-reporter=./x.mjs',
		'node --test --test-reporter ./x.mjs',
		'node --test --test-reporter-destination=src/a.ts',
		'node --test --inspect',
		'node --test --build-snapshot x.js',
		'node --test --test-global-setup=./x.mjs',
		'node --test -C development',
		'node --test --openssl-config=x',
		'node --test ../x.js',
		'node --test --test-conc 1',
		'node --test --cpu-prof',
		'node --test --icu-data-dir=x',
		'node --test .env',
	],
	'npx vitest *': [
		'npx vitest --config evil.ts',
		'npx vitest -c evil.ts',
		'npx vitest --root ..',
		'npx vitest --dir=..',
		'npx vitest init browser',
		'npx vitest --reporter=./x.ts',
		'npx vitest --outputFile=src/a.ts',
		'npx vitest --environment ./x',
		'npx vitest --globalSetup=x',
		'npx vitest --browser',
		'npx vitest --ui',
		'npx vitest --api',
		'npx vitest --execArgv=--import=./x',
		'npx vitest --coverage.provider=x',
	],
	'npx *': ['npx evil', 'npx -y evil', 'npx vitest', 'npx --package=evil x'],
	'eslint *': [
		'eslint -c evil.js src',
		'eslint --config evil.js',
		'eslint --rulesdir x',
		'eslint --plugin x',
		'eslint --parser ./x.js',
		'eslint -f ./x.js src',
		'eslint --format=./x.js',
		'eslint -o src/a.ts',
		'eslint --resolve-plugins-relative-to=x',
		'eslint --init',
		'eslint --output-file src/a.ts src',
		'eslint --cache-location=src/a.ts',
		'eslint --env-inf',
	],
	'tsc *': [
		'tsc @args',
		'tsc --outFile package.json',
		'tsc --outDir ..',
		'tsc --tsBuildInfoFile=x',
		'tsc --generateTrace src',
		'tsc --init',
		'tsc --noem',
	],
	'pytest *': [
		'pytest -- -p evil',
		'pytest tests -- -pevil',
		'pytest -p evil',
		'pytest -pevil',
		'pytest -c evil.ini',
		'pytest --rootdir=..',
		'pytest --confcutdir=..',
		'pytest -o addopts=-pevil',
		'pytest --override-ini=x=y',
		'pytest --basetemp=src',
		'pytest --junitxml=src/a.ts',
		'pytest --pdb',
		'pytest --pdbcls=x:y',
		'pytest @args',
		'pytest --pastebin=all',
		'pytest -W error::evil.X',
		'pytest -xp evil',
		'pytest --pyargs os',
		'pytest ../tests',
		'pytest --cov-config=x',
		'pytest --log-file=src/a.ts',
		'pytest -n 2 -d --tx popen//python=./x',
		'pytest --html=src/a.ts',
	],
	'python3 *': ['python3 tools/x.py', 'python3 -c 1', 'python3 -m http.server', 'python3 data.txt'],
	'ruff check *': [
		'ruff check --config x.toml',
		'ruff check -o src/a.ts',
		'ruff check --add-noqa',
		'ruff check --cache-dir=..',
		'ruff check ..',
	],
	'ruff *': ['ruff clean', 'ruff server', 'ruff check --config x'],
	'cargo test *': [
		'cargo test --config target.x.runner=./x',
		'cargo test -Z unstable-options',
		'cargo test --manifest-path ../Cargo.toml',
		'cargo test --target-dir=/tmp/x',
		'cargo test -C ..',
		'cargo test -- --logfile src/a.ts',
		'cargo test --target x.json',
	],
	'cargo clippy *': ['cargo clippy -- -C linker=./x', 'cargo clippy -- -Clinker=./x', 'cargo clippy --config x'],
	'cargo fmt *': ['cargo fmt -- --config-path ..', 'cargo fmt -- --emit files', 'cargo fmt --manifest-path=x'],
	'cargo *': ['cargo test', 'cargo run', 'cargo install evil', 'cargo publish', 'cargo evil'],
	'go test *': [
		'go test -exec ./x ./...',
		'go test -exec=./x',
		'go test --exec=./x',
		'go test -toolexec ./x',
		'go test -vettool=./x',
		'go test -o x',
		'go test -ldflags=-extld=./x',
		'go test -gcflags=x',
		'go test -overlay=x',
		'go test -modfile=x',
		'go test -C ..',
		'go test ./... -args x',
		'go test -pkgdir=/x',
		'go test -coverprofile=src/a.ts',
		'go test -cpuprofile=x',
		'go test -vexec=./x',
		'go test ../...',
	],
	'go build *': [
		'go build -o src/a.ts',
		'go build -toolexec=./x',
		'go build -buildmode=plugin',
		'go build -ldflags=-extld=x',
	],
	'go *': ['go run evil.go', 'go generate', 'go install x', 'go test'],
	'make *': [
		'make SHELL=./x',
		'make CC=./x all',
		'make -f evil.mk',
		'make -fevil.mk',
		'make --file=x',
		'make -C ..',
		'make --eval=x',
		'make -I..',
		'make X:=y',
		'make X+=y',
		'make -e',
	],
	'git stash *': [
		'git stash clear',
		'git stash drop',
		'git stash pop',
		'git stash apply',
		'git stash branch x',
		'git stash -p',
		'git stash save x',
	],
	'git commit *': [
		'git commit --amend',
		'git commit --amend --no-edit',
		'git commit --am -m x',
		'git commit -C HEAD',
		'git commit -F data.txt',
		'git commit --fixup=HEAD',
		'git commit --no-verify -m x',
		'git commit -n -m x',
		'git commit -anm x',
		'git commit -S -m x',
		'git commit -t data.txt',
		'git commit --gpg-sign=x',
		'git commit --reset-author',
		'git commit -m x -- .env',
		'git commit -e',
		'git commit --template=data.txt',
		'git commit --pathspec-from-file=x',
		'git commit -p',
		'git commit --interactive',
	],
	'git add *': [
		'git add -f .env',
		'git add --force src',
		'git add -p',
		'git add -i',
		'git add -e',
		'git add --chmod=+x src',
		'git add :/',
		'git add --pathspec-from-file=x',
		'git add ../x',
		'git add .env',
	],
	'git push *': [
		'git push ./x',
		'git push sub/x main',
		'git push --force',
		'git push -f',
		'git push origin +main',
		'git push origin :main',
		'git push --delete origin x',
		'git push --mirror',
		'git push --receive-pack=./x origin',
		'git push --exec=./x',
		'git push ext::sh x',
		'git push https://x.test/y',
		'git push host:x',
		'git push -uf origin x',
	],
	'git fetch *': [
		'git fetch --upload-pack=./x origin',
		'git fetch ext::./x',
		'git fetch ../x',
		'git fetch -f origin a:b',
	],
	'git *': [
		'git push',
		'git reset --hard',
		'git -c core.pager=x log',
		'git clean -fd',
		'git config x y',
		'git commit -m x',
		'git bisect run x',
	],
	'git checkout *': ['git checkout .', 'git checkout main', 'git checkout src/a.ts', 'git checkout -f'],
	'git reset *': ['git reset --hard', 'git reset HEAD~1'],
	'docker *': ['docker run x', 'docker compose down', 'docker system prune', 'docker exec web sh'],
	'docker compose *': [
		'docker compose down',
		'docker compose exec web sh',
		'docker compose -f ../x.yml up',
		'docker compose run web sh',
	],
	'kubectl *': ['kubectl delete pod x', 'kubectl exec x', 'kubectl --context prod delete x'],
	'kubectl get *': ['kubectl get --kubeconfig=x', 'kubectl get pods'],
	'rm *': [
		'rm -rf src',
		'rm -r src',
		'rm -f src/a.ts',
		'rm ../x',
		'rm --no-preserve-root src',
		'rm .env',
		'rm -- .env',
	],
	'sed *': [
		"sed -i 's/a/b/' src/a.ts",
		"sed 's/a/b/e' src/a.ts",
		"sed -n 'w x' src/a.ts",
		'sed --in-place=x p src/a.ts',
		"sed '1e id' src/a.ts",
		'sed -f x src/a.ts',
	],
	'find *': [
		'find . -exec rm {} +',
		'find . -delete',
		'find . -fprint src/a.ts',
		'find . -ok rm x',
		'find . -execdir x',
		'find ..',
	],
	'awk *': ["awk '{system($1)}' data.txt", 'awk \'{print > "x"}\' data.txt', 'awk -f x data.txt'],
	'grep *': ['grep -f .env x', 'grep x ../y', 'grep x .env'],
	'sort *': ['sort -o src/a.ts data.txt', 'sort --compress-program=./x data.txt', 'sort --files0-from=x'],
	'sh *': ['sh -c id', 'sh data.txt', 'sh ./x.sh'],
	'bash *': ['bash -c id', 'bash tools/x.sh', 'bash -i'],
	'env *': ['env sh', 'env -S id', 'env ls'],
	'sudo *': ['sudo ls', 'sudo rm x', 'sudo -i'],
	'timeout 5 *': ['timeout 5 rm src/a.ts', 'timeout 5 sh', 'timeout 5 ./x.sh'],
	'xargs *': ['xargs rm', 'xargs ./x.sh'],
	'nice *': ['nice ./x.sh', 'nice -n 5 id'],
	'ssh *': ['ssh host', 'ssh host.example.com id'],
	'mytool *': [
		'mytool --config=x',
		'mytool -x',
		'mytool delete',
		'mytool @x',
		'mytool a=b',
		'mytool +x',
		'mytool /etc/x',
		'mytool ../x',
		'mytool https://x.test',
		'mytool -- x',
		'mytool .env',
		'mytool x.txt --exec ./x',
	],
	'mytool --verbose *': ['mytool --verbose delete', 'mytool --verbose --exec=x', 'mytool --verbose x.txt'],
	'./run.sh *': ['./run.sh --exec x', './run.sh ../x', './run.sh a=b', './run.sh .env'],
	'npm test --*': ['npm test --script-shell=x', 'npm test --prefix=x'],
	'cat src/*': ['cat src/../.env', 'cat src/../../outside.txt'],
	'*': ['npm test', 'rm src/a.ts', 'mytool x.txt'],
	'mkdir *': ['mkdir -m 777 x', 'mkdir ../x', 'mkdir .git/hooks'],
	'touch *': ['touch -r ../x src/a.ts', 'touch ../x', 'touch .env'],
	'npx prettier *': [
		'npx prettier --config x src',
		'npx prettier --plugin=./x.js src',
		'npx prettier --find-config-path x',
	],
	'rubocop *': ['rubocop -r ./x.rb', 'rubocop --require=./x', 'rubocop -c x.yml', 'rubocop -o src/a.ts'],
	'bundle exec rspec *': [
		'bundle exec rspec -r ./x',
		'bundle exec rspec -I x',
		'bundle exec rspec -f ./X',
		'bundle exec rspec -O x',
		'bundle exec rspec --out src/a.ts',
	],
	'dotnet test *': [
		'dotnet test --settings x',
		'dotnet test -p:X=y',
		'dotnet test /p:X=y',
		'dotnet test @x.rsp',
		'dotnet test --test-adapter-path x',
		'dotnet test -o ..',
		'dotnet test -- RunConfiguration.TestAdaptersPaths=x',
	],
	'mypy *': [
		'mypy --config-file x',
		'mypy --python-executable ./x',
		'mypy --install-types',
		'mypy @x',
		'mypy --cache-dir=.. src',
	],
	'phpunit *': ['phpunit --bootstrap x.php', 'phpunit -c x', 'phpunit --printer X', 'phpunit --log-junit src/a.ts'],
	'mix test *': ['mix test -r x', 'mix test --require x', 'mix test --formatter X'],
	'docker compose up *': [
		'docker compose -f x up -d',
		'docker compose up --build',
		'docker compose up --force-recreate',
		'docker compose up -V',
		'docker compose up -df x',
		'docker compose up --scale x=1',
	],
	'playwright test *': [
		'playwright test -c x.ts',
		'playwright test -xc x.ts',
		'playwright test --reporter=./x.js',
		'playwright test --output=..',
		'playwright test --ui-host=0.0.0.0',
	],
	'pnpm lint *': ['pnpm lint -c x.js', 'pnpm lint -- -c x.js', 'pnpm lint -C ..', 'pnpm -r lint'],
	'deno test *': [
		'deno test -A',
		'deno test --allow-all',
		'deno test --import-map=x',
		'deno test https://x.test/y.ts',
		'deno test npm:evil',
		'deno test jsr:@x/y',
		'deno test data:text/javascript,x',
		'deno test -c x',
	],
	'bun test *': ['bun test --preload ./x.ts', 'bun test -r ./x.ts', 'bun test --config=x', 'bun test --define x:y'],
	'zig build *': ['zig build run', 'zig build --build-file x', 'zig build -Dx=y'],
	'tox *': ['tox -c x', 'tox -x a=b', 'tox --workdir=..', 'tox -e py -- -p evil'],
	'swift test *': ['swift test -Xswiftc -load', 'swift test --package-path ..', 'swift test --scratch-path=..'],
	'gofmt *': ['gofmt -cpuprofile=src/a.ts .', 'gofmt -w ../x.go'],
	'biome check *': ['biome check --config-path=..', 'biome check --vcs-root=..'],
	'jest *': [
		'jest --config x',
		'jest -c x',
		'jest --globalSetup=x',
		'jest --reporters=./x',
		'jest --runner x',
		'jest --env=./x',
		'jest --rootDir=..',
		'jest --outputFile=src/a.ts',
		'jest --resolver=x',
		'jest --transform=x',
	],
};

const cases = Object.entries(hostile).flatMap(([rule, commands]) => commands.map(command => [command, rule] as const));

test.each([
	['npm test *', 'npm test -- -t "login: adds" src/a.test.ts:12'],
	['pytest *', 'pytest -- tests/test_a.py::TestA::test_b'],
	['deno test *', 'deno test a.test.ts'],
	['docker compose up *', 'docker compose up -d web'],
	['docker compose logs *', 'docker compose logs --tail=50 -f web'],
	['npx playwright test *', 'npx playwright test src/a.spec.ts --project=chromium'],
	['pnpm vitest run *', 'pnpm vitest run src/a.test.ts'],
	['pnpm lint *', 'pnpm lint --fix'],
])('the rule %s covers %s', async (rule, command) => {
	expect(await judgeCommand(command, {allow: [`run_command(${rule})`]})).toMatchObject({effect: 'allow'});
});

test.each(cases)('[14] %s asks beside the rule %s', async (command, rule) => {
	const verdict = await judgeCommand(command, {allow: [`run_command(${rule})`]});
	expect(verdict).toMatchObject({effect: 'ask'});
});

test('[14] a file that is named like an option is none of the operands that a rule covers', async () => {
	const allow = ['run_command(cd loose && eslint *)', 'run_command(touch *)', 'run_command(eslint *)'];
	expect((await judgeCommand('cd loose && eslint *.js', {allow})).effect).toBe('ask');
	await writeFile(join(workspace(), 'plain.js'), '');
	expect((await judgeCommand('eslint *.js', {allow})).effect).toBe('allow');
	// The first command may create such a file before the second one reads the pattern.
	expect((await judgeCommand('touch x && eslint *.js', {allow})).effect).toBe('ask');
});

test('the question says which word no rule covers, and the rule that lists it', async () => {
	const allow = ['run_command(npm test *)'];
	expect(await judgeCommand('npm test --script-shell=./x', {allow})).toMatchObject({
		effect: 'ask',
		why: 'uses “--script-shell=./x”, which run_command(npm test *) does not cover',
		suggestions: ['run_command(npm test --script-shell=./x *)'],
	});
});

test('a run without a user is told the flag that allows what its rules do not cover', async () => {
	const command = 'git commit --amend --no-edit';
	const verdict = await judgeCommand(command, {allow: ['run_command(git commit *)']});
	const suggestions = verdict.effect === 'ask' ? verdict.suggestions : [];
	const act = {kind: 'command', command, folder: workspace(), containment: 'network'} as const;
	expect(flagsFor({act, verdict: {effect: 'ask', suggestions}})).toBe(
		'--allow "run_command(git commit --amend --no-edit *)"',
	);
	expect((await judgeCommand(command, {allow: suggestions})).effect).toBe('allow');
});

test.each([
	[
		'npx vitest run --config x.config.ts test/a.test.js',
		'npx vitest run --config x.config.ts *',
		'npx vitest run --config x.config.ts src',
	],
	['git commit --amend -m "a b"', 'git commit --amend *', 'git commit --amend -m other'],
	['pytest --basetemp out tests', 'pytest --basetemp out *', 'pytest --basetemp out tests/test_a.py -x'],
	['ruff check .', 'ruff check *', 'ruff check src --fix'],
])('a yes to %j keeps %j, which covers the next such command', async (command, pattern, next) => {
	const allow = await suggestedFor(command);
	expect(allow).toEqual([`run_command(${pattern})`]);
	expect((await judgeCommand(command, {allow})).effect).toBe('allow');
	expect((await judgeCommand(next, {allow})).effect).toBe('allow');
	expect((await judgeCommand(`${next} --exec=./x`, {allow})).effect).toBe('ask');
});

test.each([
	['ruff *', 'ruff check src --fix'],
	['ruff *', 'ruff format --check .'],
	['make *', 'make -j test'],
	['git push origin *', 'git push origin topic/a'],
	['git pull *', 'git pull --rebase origin main'],
	['git fetch *', 'git fetch --all --prune'],
	['cargo *', 'cargo'],
	['mytool **', 'mytool delete --config=../x -- y'],
	['npm test **', 'npm test --script-shell ./x'],
	['git stash **', 'git stash clear'],
	['mytool *', 'mytool x.txt src/a.ts'],
	['mytool *', 'mytool'],
	['mytool sub *', 'mytool sub x.txt'],
	['./run.sh *', './run.sh deploy'],
	['python3 tools/gen.py *', 'python3 tools/gen.py src'],
	['make *', 'make -j4 test lint'],
	['git push *', 'git push -u origin topic'],
	['git diff *', 'git diff --stat HEAD~1'],
	['rm *', 'rm src/a.ts src/b.ts'],
	['node test/*', 'node test/a.test.js'],
	['npm run test:*', 'npm run test:unit'],
	['git -C sub *', 'git -C sub'],
	['npm test --reporter=*', 'npm test --reporter=x'],
])('the rule %s covers %j', async (rule, command) => {
	expect((await judgeCommand(command, {allow: [`run_command(${rule})`]})).effect).toBe('allow');
});

test('the rules of a list are merged', async () => {
	expect(await suggestedFor('npm test && npm test -- -t a && npm run build && npm run build')).toEqual([
		'run_command(npm test *)',
		'run_command(npm run build *)',
	]);
	expect(await suggestedFor('rm -r a && rm -r a && make')).toEqual(['run_command(rm -r a)', 'run_command(make)']);
});

/** Words that start other programs, load code or settings, write elsewhere or throw something away. */
const dangerousWords = [
	'--script-shell=./x',
	'--import=./x',
	'--require=./x',
	'--loader=./x',
	'-exec=./x',
	'--exec=./x',
	'--config=evil',
	'--amend',
	'--force',
	'-f=evil',
	'--hard',
	'--rootdir=..',
	'--basetemp=src',
	'-pevil',
	'-Clinker=./x',
	'--upload-pack=./x',
	'--plugin=./x',
	'--reporter=./x',
	'--format=./x',
	'--output=src/a.ts',
	'--outFile=src/a.ts',
	'--prefix=..',
	'--manifest-path=..',
	'--eval=1',
	'SHELL=./x',
	'@args',
	'+x',
	'https://x.test/y',
	'/etc/passwd',
	'../x',
	'.env',
	'.git/hooks/x',
	'--node-options=--import=./x',
	'--preload=./x',
	'--rulesdir=x',
	'--settings=x',
	'--kubeconfig=x',
	'--toolexec=./x',
	'-toolexec=./x',
	'-vettool=./x',
	'--env-file=.env',
];
const surroundings: ReadonlyArray<(command: string) => string> = [
	command => `echo x | ${command}`,
	command => `${command} < data.txt`,
	command => `NODE_OPTIONS=--import=./x ${command}`,
	command => `PATH=. ${command}`,
	command => `${command} > src/a.ts`,
	command => `${command} | sh`,
	command => `${command} | tee src/a.ts`,
	command => `${command} &`,
	command => `${command}; ./x.sh`,
	command => `env ${command}`,
	command => `xargs ${command}`,
	command => `${command} $(./x.sh)`,
];

test('[14] a rule that a question suggests covers no dangerous word in any place, and no way to run one', async () => {
	const asking = workingDay.filter(([, , fresh]) => fresh === 'asks').map(([command]) => command);
	const kept = new Map(await Promise.all(asking.map(async command => [command, await suggestedFor(command)] as const)));
	const simple = asking.filter(command => !/[|&]/.test(command));
	await fc.assert(
		fc.asyncProperty(
			fc.constantFrom(...simple),
			fc.constantFrom(...dangerousWords),
			fc.nat(),
			fc.boolean(),
			fc.constantFrom(...surroundings),
			async (command, word, position, isSplit, surround) => {
				const allow = kept.get(command) ?? [];
				// A text in quotes is one word.
				const words = command.match(/"[^"]*"|'[^']*'|[^\s"']+(?:"[^"]*"|'[^']*')?/g) ?? [];
				const added = isSplit && word.startsWith('--') ? word.split('=') : [word];
				const at = 1 + (position % words.length);
				const before = words[at - 1] ?? '';
				// The value of an option such as `-t` is a text.
				fc.pre(!/^(?:-[tkm]|-am|-run|--max-warnings|-p)$/.test(before));
				// To cargo it is a package.
				fc.pre(word !== '-pevil' || !command.startsWith('cargo'));
				const mutated = [...words.slice(0, at), ...added, ...words.slice(at)].join(' ');
				expect(await judgeCommand(mutated, {allow}), mutated).toMatchObject({effect: 'ask'});
				expect(await judgeCommand(surround(command), {allow}), surround(command)).toMatchObject({effect: 'ask'});
			},
		),
		{numRuns: 150},
	);
});
