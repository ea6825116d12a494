import {type Options, optionsOf} from '../options.ts';

/** What a subcommand of git may be called with to run unasked. */
export type GitCommand = {
	readonly options: Options;
	/** What else it takes: revisions and paths, a text first, or nothing. Without it, any further word is refused. */
	readonly operands?: 'any' | 'text-first';
	/** Only with one of these options it takes operands; without, they would create something. */
	readonly operandsOnlyWith?: readonly string[];
	readonly mostOperands?: number;
	/** The first argument must be one of these. */
	readonly verbs?: readonly string[];
	/** True if it also reads without a verb. */
	readonly verbOptional?: boolean;
	/** True if it may print what is in tracked files; or the options with which it does. */
	readonly content?: true | readonly string[];
	/** True if it compares files with the index: it looks into submodules, and filters run. */
	readonly compares?: boolean;
	/** True if it shows addresses of remotes. */
	readonly remotes?: boolean;
};

const diffOptions = `--stat? --shortstat --numstat --name-only --name-status -U? --unified= -p -u --patch -s --no-patch --no-color --color?
	--word-diff? --color-words? -w -b --ignore-all-space --ignore-space-change --ignore-blank-lines --ignore-space-at-eol
	--ignore-cr-at-eol --summary --check --raw -M? -C? -D --find-renames? --find-copies? --no-renames --diff-filter= -R -a
	--text --minimal --patience --histogram --diff-algorithm= --no-ext-diff --no-textconv --exit-code --quiet -q --relative?
	-z --abbrev? --full-index --function-context -W -S= -G= --pickaxe-regex --pickaxe-all --no-prefix --compact-summary
	--inter-hunk-context= --dirstat? --patch-with-stat`;
const logOptions = `${diffOptions} -n= -# --oneline --graph --all --decorate? --no-decorate --author= --committer= --grep= --since=
	--until= --after= --before= --reverse --merges --no-merges --first-parent --format= --pretty? --date= --abbrev-commit
	--no-abbrev-commit --follow --max-count= --skip= -i -E -F -P --all-match --invert-grep --branches? --tags? --remotes?
	--topo-order --date-order --author-date-order --left-right --cherry-pick --cherry-mark --full-history
	--simplify-by-decoration --cc -c -m --date= --relative-date --source --boundary --no-walk --no-notes --dense --sparse`;
const patches = [
	'-p',
	'-u',
	'--patch',
	'-U',
	'--unified',
	'-S',
	'-G',
	'--word-diff',
	'--color-words',
	'-W',
	'--cc',
	'-c',
	'-m',
	'--function-context',
	'--patch-with-stat',
	'--check',
] as const;

/**
 * Subcommands of git that only read, with the options that keep them so. None names a file to write or to read, a program
 * to start (`--ext-diff`, `--textconv`, `--open-files-in-pager`, `--show-signature`) or compares files outside of the
 * repository (`--no-index`). The settings of the repository are checked besides: see `git-repository.ts`.
 */
export const gitCommands: Readonly<Record<string, GitCommand>> = {
	status: {
		options: optionsOf(`-s --short -b --branch --porcelain? -u? --untracked-files? --long --show-stash -z --ignored?
			--ahead-behind --no-ahead-behind --no-renames --find-renames?`),
		operands: 'any',
		compares: true,
	},
	diff: {
		options: optionsOf(`${diffOptions} --cached --staged --merge-base`),
		operands: 'any',
		content: true,
		compares: true,
	},
	log: {options: optionsOf(logOptions), operands: 'any', content: patches},
	show: {options: optionsOf(logOptions), operands: 'any', content: true},
	shortlog: {options: optionsOf('-s -n -e -c --all --since= --until= --no-merges'), operands: 'any'},
	blame: {
		options: optionsOf('-L= -w -C -M -s -e -l -t -f -n --date= --porcelain --line-porcelain --show-name --show-email'),
		operands: 'any',
		compares: true,
	},
	grep: {
		options: optionsOf(`-n -i -w -l -L -c -v -E -F -P -G -e= -h -H -A= -B= -C= -W -p -q -z -I -a --count --name-only
			--files-with-matches --line-number --ignore-case --word-regexp --fixed-strings --extended-regexp --perl-regexp
			--cached --heading --break --max-depth= --and --or --not --all-match --no-color --color? --column`),
		operands: 'text-first',
		content: true,
	},
	'cat-file': {options: optionsOf('-t -s -p -e'), operands: 'any', content: true},
	'ls-files': {
		options:
			optionsOf(`-c -o -s -u -z -t -i --cached --others --stage --exclude-standard --full-name --error-unmatch --ignored
			--directory --unmerged`),
		operands: 'any',
	},
	'ls-tree': {
		options: optionsOf('-r -t -d -l -z --name-only --name-status --full-name --full-tree --long --abbrev?'),
		operands: 'any',
	},
	'rev-parse': {
		options:
			optionsOf(`--abbrev-ref? --short? --show-toplevel --show-prefix --show-cdup --git-dir --git-common-dir --verify -q
			--quiet --is-inside-work-tree --is-bare-repository --is-inside-git-dir --symbolic-full-name --absolute-git-dir`),
		operands: 'any',
	},
	'rev-list': {
		options:
			optionsOf(`--count --all -n= -# --max-count= --since= --until= --after= --before= --author= --merges --no-merges
			--first-parent --reverse --left-right --branches? --tags? --remotes? --parents --children`),
		operands: 'any',
	},
	'merge-base': {options: optionsOf('-a --all --is-ancestor --fork-point --octopus'), operands: 'any'},
	'name-rev': {options: optionsOf('--name-only --tags --all'), operands: 'any'},
	describe: {
		options: optionsOf('--tags --always --long --abbrev= --all --match= --exclude= --contains --exact-match'),
		operands: 'any',
	},
	'show-ref': {
		options: optionsOf('--head --heads --tags --branches -d --dereference --hash? -s --verify -q'),
		operands: 'any',
	},
	'for-each-ref': {
		options: optionsOf('--format= --sort= --count= --points-at= --merged= --no-merged= --contains= --ignore-case'),
		operands: 'any',
	},
	'symbolic-ref': {options: optionsOf('--short -q'), operands: 'any', mostOperands: 1},
	branch: {
		options: optionsOf(`-a -r -v --list --show-current --all --remotes --verbose --merged? --no-merged? --contains?
			--no-contains? --sort= --format= --no-color --color? --no-column --ignore-case`),
		operands: 'any',
		operandsOnlyWith: ['--list'],
	},
	tag: {
		options: optionsOf('-l --list -n? --sort= --format= --no-color --color? --no-column --ignore-case'),
		operands: 'any',
		operandsOnlyWith: ['-l', '--list'],
	},
	remote: {options: optionsOf('-v --verbose'), remotes: true},
	stash: {options: optionsOf(`${diffOptions} --oneline`), operands: 'any', verbs: ['list', 'show'], content: patches},
	reflog: {
		options: optionsOf('-n= -# --date= --oneline --format= --all'),
		operands: 'any',
		verbs: ['show'],
		verbOptional: true,
	},
	worktree: {options: optionsOf('--porcelain -v -z'), operands: 'any', verbs: ['list'], mostOperands: 1},
	'count-objects': {options: optionsOf('-v -H')},
	'check-ignore': {options: optionsOf('-v -q -n --no-index'), operands: 'any'},
	version: {options: optionsOf('')},
};
