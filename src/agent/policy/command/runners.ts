import type {Command, Pipeline, Word} from 'unbash';
import type {GivenWord} from '../rules/match-command.ts';
import {readWord} from './word.ts';

/** Programs that run what they are given: as further words, as a text, or from their input. */
const runners = new Set(
	`env sudo doas su xargs nice ionice nohup timeout time stdbuf setsid chroot unshare nsenter strace ltrace watch parallel
	find fd fdfind command builtin exec eval source . trap busybox toybox flock script ssh runuser systemd-run entr bash sh
	zsh dash ksh mksh ash fish csh tcsh pwsh npx pnpx bunx uvx pipx uv poetry bundle caffeinate unbuffer rlwrap chronic
	chrt taskset prlimit setarch firejail bwrap proot fakeroot torsocks proxychains setpriv runcon capsh cpulimit faketime
	awk gawk mawk nawk perl python python3 ruby node deno bun php lua tclsh expect osascript tmux screen at
	batch cron crontab alias function coproc time hash enable declare export local readonly typeset mapfile readarray
	complete corepack pipenv conda mamba cross-env dotenv dotenvx direnv nix-shell xvfb-run dbus-run-session dumb-init tini
	valgrind catchsegv gdb hyperfine nodemon concurrently`.split(/\s+/),
);

/** Shells, which run what they read. */
const shells = new Set(['sh', 'bash', 'zsh', 'dash', 'ksh', 'mksh', 'ash', 'fish', 'csh', 'tcsh', 'pwsh']);

/** Programs that run the file which their first word names. */
const interpreters = new Set([
	...shells,
	'python',
	'python3',
	'node',
	'perl',
	'ruby',
	'php',
	'lua',
	'tclsh',
	'deno',
	'bun',
]);

/**
 * True if further words may be what a program runs: behind `xargs`, `sudo` and `sh -c`, but not behind a script that is named as
 * a path, as in `python3 tools/build.py`.
 */
export function mayRunWords([name = '', script = '', ...rest]: readonly string[]): boolean {
	const isScript = interpreters.has(baseName(name)) && !script.startsWith('-') && /[./]/.test(script);
	return !isScript && runsOthers([name, script, ...rest].map(value => ({value})));
}

/** Variables whose text a program runs. */
const commandVariable = /^(?:ENV|BASH_ENV|\w*(?:COMMAND|PAGER|EDITOR|VISUAL|BROWSER|ASKPASS|_SSH|_EXTERNAL_DIFF))$/;

/** True for a command that runs what its words say: `sudo rm x`, `npm exec rm`, `git rebase -x 'rm x'`. */
export function runsOthers(words: readonly GivenWord[]): boolean {
	const [name, ...rest] = words.map(({value}) => value);
	const program = baseName(name ?? '');
	return runners.has(program) || (program === 'git' ? gitRuns(rest) : /^(?:exec|dlx)$/.test(rest[0] ?? ''));
}

function gitRuns(words: readonly string[]): boolean {
	const has = (...wanted: readonly string[]) => wanted.every(word => words.includes(word));
	return (
		['filter-branch', 'difftool', 'mergetool'].some(verb => has(verb)) ||
		has('submodule', 'foreach') ||
		has('bisect', 'run') ||
		(has('rebase') && words.some(word => /^(?:-x|--exec)/.test(word)))
	);
}

/** True for a command to which what is read adds words. */
export function isFed([name]: readonly GivenWord[]): boolean {
	return /^(?:xargs|parallel)$/.test(baseName(name?.value ?? ''));
}

/** True if git gets another name for a command: `git -c alias.x='!rm y' x`. */
export function hasAliases([name, ...words]: readonly GivenWord[]): boolean {
	return baseName(name?.value ?? '') === 'git' && words.some(({value}) => /^(?:-c|--config-env=)?alias\./i.test(value));
}

/** Returns the texts that a program runs because of a variable, and those that `alias` gives a name. */
export function shellTexts({prefix, name, args}: Command): readonly string[] {
	const isAlias = baseName(name?.value ?? '') === 'alias';
	return [...prefix, ...(isAlias ? args : [])].flatMap(item => {
		if (item.type === 'Word') {
			return /^[^=]+=(.+)$/s.exec(item.value)?.[1] ?? [];
		}

		const isText = item.type === 'Assignment' && item.value.type === 'Word';
		return isText && (isAlias || commandVariable.test(item.name)) ? [item.value.value] : [];
	});
}

/** True if a shell of a pipeline runs what no word says: `base64 -d x | sh`. */
export function readsUnknown({commands}: Pipeline): boolean {
	const parts = commands.map(part => (part.type === 'Command' ? wordsOf(part) : undefined));
	const shell = parts.findIndex((words, index) => index > 0 && words !== undefined && readsInput(words));
	return shell > 0 && !parts.slice(0, shell).every(words => words !== undefined && printsWords(words));
}

/** True for a shell without a script, also behind a program that runs it. */
function readsInput(words: readonly GivenWord[]): boolean {
	const shell = words.findIndex(({value}, index) => (index === 0 || runsOthers(words)) && shells.has(baseName(value)));
	const first = words[shell + 1]?.value;
	return shell >= 0 && (first === undefined || /^(?:-[^c]*$|--|\/dev\/)/.test(first));
}

/** True for a command that prints its words, or passes on what was printed before. */
function printsWords([name, ...words]: readonly GivenWord[]): boolean {
	switch (baseName(name?.value ?? '')) {
		case 'echo':
		case 'printf':
			return words.every(({value, start}) => start === undefined && !/[\\%]/.test(value));
		case 'cat':
			return words.length === 0;
		default:
			return baseName(name?.value ?? '') === 'tee';
	}
}

/** Returns the words of a command as a rule that denies is compared with them. */
export function wordsOf({name, args}: Command): readonly GivenWord[] {
	return [name, ...args].flatMap(item => (item?.type === 'Word' ? [givenWord(item)] : []));
}

function givenWord({value, text}: Word): GivenWord {
	const read = readWord(text);
	if (read && read.pattern === undefined) {
		return {value};
	}

	// A variable without quotes may become several words.
	const isOneWord = /^"[^"]*"$/.test(text) || !/[$`]/.test(text);
	return {value, start: isOneWord ? (/^"?([\w./:=@%+,-]*)/.exec(text)?.[1] ?? '') : ''};
}

/** Returns the name of a program without its folder, as a case-insensitive file system takes it. */
export function baseName(word: string): string {
	return word.slice(word.lastIndexOf('/') + 1).toLowerCase();
}
