import {type Arguments, type Options, optionsOf} from './options.ts';
import type {Use} from './paths.ts';

/** What a program may be called with to run unasked. */
export type ProgramRule = {
	/** The only options that it may have; see `optionsOf`. */
	readonly options: Options;
	/** What its operands are: paths, or `text` that is never a path. Without it, it takes no operands. */
	readonly operands?: Use | 'text';
	/** The first operand is a pattern or a script instead, unless one of these options is given. */
	readonly firstIsText?: readonly string[];
	readonly mostOperands?: number;
	/** The options that make it read whole folders; `always` if it does anyway. Without a path it reads its own folder. */
	readonly recursive?: readonly string[];
	/** The options with which a recursive program reads hidden files; `always` if it does anyway. */
	readonly hidden?: readonly string[];
	/** True if patterns and ignore files make it read hidden files, too. */
	readonly reveals?: boolean;
	/** True if it follows links in the folders that it reads. */
	readonly followsLinks?: boolean;
	/** With one of these options it prints only names. */
	readonly namesOnly?: readonly string[];
	/** True if an option after an operand would be taken for an operand, such as a file to write. */
	readonly optionsFirst?: boolean;
	/**
	 * True if it reads its options by itself, so that only those that stand alone mean what they say: to `xxd`, `-ps` is `-p`,
	 * and the letters after `-L` of `tree` are further options.
	 */
	readonly aloneOnly?: boolean;
	/** A further check of the arguments. */
	readonly accepts?: (args: Arguments) => boolean;
};

const sums = {options: optionsOf('-b -t -z --tag --binary --text'), operands: 'content'} as const;
const grepOptions = `-n -i -v -w -x -c -l -L -o -q -s -h -H -E -F -G -P -r -I -z -b -a -T -Z -u -y -A= -B= -C= -m= -e= -# --include=
	--exclude= --exclude-dir= --color? --colour? --line-number --ignore-case --no-ignore-case --invert-match --word-regexp
	--line-regexp --count --files-with-matches --files-without-match --only-matching --quiet --silent --no-messages
	--with-filename --no-filename --extended-regexp --fixed-strings --basic-regexp --perl-regexp --recursive --text --null
	--after-context= --before-context= --context= --max-count= --regexp= --byte-offset --initial-tab --binary-files=`;
const grep: ProgramRule = {
	options: optionsOf(grepOptions),
	operands: 'content',
	firstIsText: ['-e', '--regexp'],
	recursive: ['-r', '--recursive'],
	hidden: ['always'],
};
const ripgrepOptions = `-n -N -i -S -s -v -w -x -c -l -o -q -F -P -U -H -I -0 -a -p -u -. -A= -B= -C= -m= -e= -g= -t= -T= -d= -M= -j= -r=
	-V --glob= --iglob= --type= --type-not= --type-list --max-depth= --max-columns= --max-count= --max-filesize= --threads=
	--replace= --regexp= --after-context= --before-context= --context= --sort= --sortr= --color= --colors= --engine=
	--no-heading --heading --hidden --no-hidden --json --stats --trim --vimgrep --column --no-column --count --count-matches
	--files --files-with-matches --files-without-match --multiline --multiline-dotall --pcre2 --fixed-strings --ignore-case
	--smart-case --case-sensitive --word-regexp --line-regexp --invert-match --only-matching --line-number --no-line-number
	--with-filename --no-filename --passthru --crlf --null --no-config --no-messages --no-ignore --no-ignore-vcs --text
	--quiet --version --byte-offset --one-file-system --pretty --no-unicode --unrestricted`;

/** `sed` may print and delete lines and replace text; no command that writes, reads or runs something. */
const sedText = String.raw`(?:[^/\\\n[\]]|\\[^\n]|\[\^?[^/\\\n[\]]+\])*`;
const sedAddress = String.raw`(?:\d+|\$|/${sedText}/)`;
const sedCommand = String.raw`(?:${sedAddress}(?:,(?:${sedAddress}|\+\d+))?)?(?:[pdq=]|s/${sedText}/[^/\\\n]*/[gpIi\d]*)`;
const sedScript = new RegExp(`^ *${sedCommand}(?: *; *${sedCommand})* *;? *$`);

/** `awk` may print columns of chosen lines: no function, no redirection, no pipe. */
const awkScript =
	/^(?:(?:NR|NF|\$\d+)\s*(?:==|>=|<=|!=)\s*(?:\d+|"[\w .:-]*")\s*|\/[\w .:#-]+\/\s*)?(?:\{\s*print\s*(?:(?:\$(?:\d+|NF)|NR|NF|"[^"\\]*"|,)\s*)*;?\s*\})?$/;

const isVersion = {
	options: optionsOf('--version -v -V'),
	accepts: ({options}: Arguments) => options.size === 1,
} as const;

/** `printf` without `%n` and `-v`, which set variables. */
const printfFormat = /^(?:[^%]|%%|%[-+ #]?\d{0,4}(?:\.\d{1,4})?[sbdiuoxXfeEgGcq])*$/s;

/**
 * Programs that only read, with the options that keep them so. An option is in the list only if it neither writes nor
 * starts anything nor names a further file to read, on Linux, macOS and BusyBox. Programs of their own language (`find`,
 * `git`, `test`) are in `read-only.ts`.
 */
export const programs: Readonly<Record<string, ProgramRule>> = {
	ls: {
		options: optionsOf(`-a -A -l -h -R -t -r -S -1 -d -F -i -n -o -g -G -p -s -c -u -C -x -m -k -X -v -U -Q -N -b -q
			--all --almost-all --human-readable --recursive --reverse --size --directory --inode --color? --classify?
			--group-directories-first --sort= --time= --time-style= --full-time --hide= --ignore= --numeric-uid-gid`),
		operands: 'names',
	},
	cat: {
		options: optionsOf(
			'-n -b -s -e -t -v -u -A -E -T --number --number-nonblank --squeeze-blank --show-all --show-ends --show-tabs',
		),
		operands: 'content',
	},
	tac: {options: optionsOf(''), operands: 'content'},
	rev: {options: optionsOf(''), operands: 'content'},
	nl: {options: optionsOf('-b= -v= -w= -s= -n= -i='), operands: 'content'},
	head: {options: optionsOf('-n= -c= -q -v -# --lines= --bytes= --quiet --silent --verbose'), operands: 'content'},
	tail: {options: optionsOf('-n= -c= -q -v -r -# --lines= --bytes= --quiet --silent --verbose'), operands: 'content'},
	wc: {
		options: optionsOf('-l -c -w -m -L --lines --bytes --words --chars --max-line-length --total='),
		operands: 'content',
	},
	stat: {options: optionsOf('-c= -t -x -s -f --format= --printf= --terse'), operands: 'names'},
	file: {options: optionsOf('-b -i -h -k -I --brief --mime --mime-type --mime-encoding'), operands: 'names'},
	du: {
		options: optionsOf('-s -h -a -c -k -m -d= -b -x --max-depth= --apparent-size --summarize --human-readable --total'),
		operands: 'names',
	},
	df: {options: optionsOf('-h -k -m -T -i -P'), operands: 'names'},
	tree: {
		options: optionsOf(
			'-a -d -L= -I= -P= -f -i -s -h -D -t -r -n -C -F -p -u -g -x --dirsfirst --noreport --prune --filelimit=',
		),
		operands: 'names',
		aloneOnly: true,
	},
	realpath: {options: optionsOf('-e -m -s -q'), operands: 'names'},
	readlink: {options: optionsOf('-f -e -m -n'), operands: 'names'},
	basename: {options: optionsOf('-a -s= -z'), operands: 'text'},
	dirname: {options: optionsOf('-z'), operands: 'text'},
	pwd: {options: optionsOf('-L -P')},
	true: {options: optionsOf(''), operands: 'text'},
	false: {options: optionsOf(''), operands: 'text'},
	printf: {
		options: optionsOf(''),
		operands: 'text',
		accepts: ({operands}) => operands[0]?.isFile === false && printfFormat.test(operands[0].value),
	},
	which: {options: optionsOf('-a'), operands: 'text'},
	type: {options: optionsOf('-a -t -p -P'), operands: 'text'},
	command: {
		options: optionsOf('-v -V'),
		operands: 'text',
		optionsFirst: true,
		accepts: ({options}) => options.size > 0,
	},
	date: {
		options: optionsOf('-u -R -I? --utc --universal --iso-8601? --rfc-3339= --rfc-email -d= --date='),
		operands: 'text',
		optionsFirst: true,
		accepts: ({operands}) => operands.every(({value}) => value.startsWith('+')),
	},
	uname: {options: optionsOf('-a -s -r -m -n -o -p -v -i')},
	whoami: {options: optionsOf('')},
	hostname: {options: optionsOf('')},
	arch: {options: optionsOf('')},
	nproc: {options: optionsOf('--all')},
	uptime: {options: optionsOf('-p')},
	id: {options: optionsOf('-u -g -n -G'), operands: 'text'},
	sort: {
		options:
			optionsOf(`-n -r -u -k= -t= -h -V -f -b -d -i -g -M -R -s -c -C -z -m --numeric-sort --reverse --unique --key=
			--field-separator= --human-numeric-sort --version-sort --ignore-case --stable`),
		operands: 'content',
	},
	uniq: {
		options: optionsOf(
			'-c -d -u -i -f= -s= -w= -z --count --repeated --unique --ignore-case --skip-fields= --skip-chars=',
		),
		operands: 'content',
		mostOperands: 1,
		optionsFirst: true,
	},
	cut: {
		options: optionsOf(
			'-d= -f= -c= -b= -s -z --delimiter= --fields= --characters= --complement --only-delimited --output-delimiter=',
		),
		operands: 'content',
	},
	paste: {options: optionsOf('-d= -s -z'), operands: 'content'},
	comm: {options: optionsOf('-1 -2 -3 -i'), operands: 'content', mostOperands: 2},
	tr: {options: optionsOf('-d -s -c -C -t'), operands: 'text'},
	fold: {options: optionsOf('-w= -s -b'), operands: 'content'},
	column: {options: optionsOf('-t -x -s= -c='), operands: 'content'},
	xxd: {
		options: optionsOf('-l= -s= -c= -g= -p -u -b'),
		operands: 'content',
		mostOperands: 1,
		optionsFirst: true,
		aloneOnly: true,
	},
	hexdump: {options: optionsOf('-C -n= -s= -v -b -c -d -o -x'), operands: 'content'},
	od: {options: optionsOf('-c -x -A= -t= -N= -j= -v -b -d -o -a'), operands: 'content'},
	cmp: {options: optionsOf('-s -l -b -n='), operands: 'content', mostOperands: 2},
	md5sum: sums,
	sha1sum: sums,
	sha256sum: sums,
	sha512sum: sums,
	b2sum: sums,
	cksum: {options: optionsOf(''), operands: 'content'},
	diff: {
		options:
			optionsOf(`-u -r -q -N -w -b -B -i -a -y -W= -s -U= -c -C= -x= -t -p --unified? --context? --brief --recursive
			--new-file --ignore-all-space --ignore-space-change --ignore-blank-lines --ignore-case --side-by-side
			--suppress-common-lines --color? --width= --label= --strip-trailing-cr --text --exclude= --report-identical-files`),
		operands: 'content',
		mostOperands: 2,
		recursive: ['always'],
		hidden: ['always'],
		followsLinks: true,
	},
	grep,
	egrep: grep,
	fgrep: grep,
	rg: {
		options: optionsOf(ripgrepOptions),
		operands: 'content',
		firstIsText: ['-e', '--regexp', '--files', '--type-list'],
		recursive: ['always'],
		hidden: ['--hidden', '-.', '-u', '--unrestricted'],
		reveals: true,
		namesOnly: ['--files', '--type-list'],
	},
	fd: {
		options: optionsOf(
			'-e= -t= -H -I -d= -i -s -a -g -F -p -1 -E= --extension= --type= --hidden --no-ignore --max-depth= --glob --exclude=',
		),
		operands: 'names',
		firstIsText: [],
	},
	jq: {
		options: optionsOf(
			'-r -c -e -s -n -S -M -C -j -a --raw-output --compact-output --slurp --sort-keys --tab --indent= --exit-status --join-output --null-input',
		),
		operands: 'content',
		firstIsText: [],
		// Modules are read from any folder that the filter names.
		accepts: ({operands}) => !/\b(?:import|include|env|ENV|modulemeta)\b/.test(operands[0]?.value ?? ''),
	},
	sed: {
		options: optionsOf('-n -E -r --quiet --silent --regexp-extended'),
		operands: 'content',
		firstIsText: [],
		accepts: ({operands}) => sedScript.test(operands[0]?.value ?? ''),
	},
	awk: {
		options: optionsOf('-F='),
		operands: 'content',
		firstIsText: [],
		accepts: ({operands}) => awkScript.test(operands[0]?.value ?? '') && !!operands[0]?.value,
	},
	node: isVersion,
	npm: {...isVersion, options: optionsOf('--version -v')},
	python: {...isVersion, options: optionsOf('--version -V')},
	python3: {...isVersion, options: optionsOf('--version -V')},
	bash: {...isVersion, options: optionsOf('--version')},
	gcc: {...isVersion, options: optionsOf('--version')},
};
