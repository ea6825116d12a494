import {isUtf8} from 'node:buffer';
import {fstatSync, readdirSync, readFileSync, readlinkSync, statSync} from 'node:fs';
import process from 'node:process';
import type {StdinMode} from '../command/flags.ts';
import {AppError} from '../core/error.ts';
import {formatBytes} from '../core/format.ts';
import type {Losses} from './losses.ts';

type Input = NodeJS.ReadableStream & {readonly fd?: number; readonly isTTY?: boolean};

type Options = {
	/** True if there is a prompt without it. */
	readonly optional: boolean;
	readonly mode?: StdinMode | undefined;
	/** Gets what is not read, or not as it is. */
	readonly warn: Losses['warn'];
	/** Gets what makes an answer without it doubtful; `warn` by default. */
	readonly doubt?: Losses['doubt'];
	/** Called once if the input keeps us waiting. */
	readonly onWait?: () => void;
	/** Returns what a descriptor is. */
	readonly origin?: (descriptor: number) => StdinOrigin;
	/** True if a command writes to the pipe of a descriptor. */
	readonly isWritten?: (descriptor: number) => boolean;
};

const maxBytes = 16 * 1024 * 1024;
/** How long a pipe of unknown use may stay silent before a prompt is sent without it. */
const silenceTimeoutMs = 5000;
/** Shorter waits are not mentioned (SAFETY 21). */
const silentWaitMs = 2000;

/**
 * Reads standard input to its end. A pipe that a command writes to is waited for, however long that takes; beside a prompt,
 * any other is given up after 5 s of silence. Returns '' for a terminal. What is not read, or not as it is, becomes a loss. Throws
 * AppError("usage") for too much input, and for data that are no text.
 */
export async function readInput(
	input: Input,
	{
		optional,
		mode = 'auto',
		warn,
		doubt = warn,
		onWait = () => undefined,
		origin = originOf,
		isWritten = hasWriter,
	}: Options,
): Promise<string> {
	const losses = {warn, doubt};
	if (mode === 'ignore') {
		return '';
	}

	// A stream of a program in this process has no descriptor.
	const from = input.isTTY ? 'none' : input.fd === undefined ? 'program' : origin(input.fd);
	const isExpected = optional && mode === 'wait';
	if (from === 'none' || from === 'folder' || from === 'device') {
		sayUnread(from, isExpected, losses);
		return '';
	}

	const isBounded = optional && mode === 'auto' && (from === 'program' || from === 'unknown');
	const mayEnd = isBounded ? () => input.fd === undefined || !isWritten(input.fd) : undefined;
	const read = await collect(input, {mayEnd, onWait});
	if (read.isGivenUp) {
		losses.warn('stdin stayed silent for 5 s, so the prompt is sent without it.', waitHint);
		return '';
	}

	if (read.failure !== undefined) {
		const size = formatBytes(read.bytes.length);
		losses.doubt(`stdin broke off after ${size} (${read.failure}).`, 'Run it again, or pipe in a file.');
	} else if (read.bytes.length === 0 && optional) {
		sayEmpty(from, isExpected, losses);
	}

	return decodeInput(read.bytes, warn);
}

const waitHint = 'Wait for it with --stdin wait, or pass --stdin ignore if nothing comes.';
const emptyHint = 'If nothing is to come, pass --stdin ignore.';

function sayUnread(
	from: 'none' | 'folder' | 'device',
	isExpected: boolean,
	losses: Pick<Losses, 'warn' | 'doubt'>,
): void {
	if (isExpected) {
		losses.doubt('Nothing was read from stdin, which is no pipe and no file.', emptyHint);
	} else if (from !== 'none') {
		losses.warn(`stdin is a ${from}, which isn't read.`, 'Pipe in text, or mention a path in the prompt with @.');
	}
}

/** A command that wrote nothing has probably failed; a program that wrote nothing had nothing to write. */
function sayEmpty(from: StdinOrigin, isExpected: boolean, losses: Pick<Losses, 'warn' | 'doubt'>): void {
	if (isExpected || from === 'command') {
		losses.doubt('Nothing came from stdin: the answer is to the prompt alone.', emptyHint);
	} else if (from !== 'program') {
		losses.warn('Nothing came from stdin: the answer is to the prompt alone.', emptyHint);
	}
}

type Read = {
	readonly bytes: Buffer;
	/** Why the input ended early. */
	readonly failure?: string;
	/** True if nothing came in time. */
	readonly isGivenUp?: boolean;
};

type CollectOptions = {
	/** Asked after each 5 s without a byte whether to give up; undefined to wait as long as it takes. */
	readonly mayEnd: (() => boolean) | undefined;
	readonly onWait: () => void;
};

/** Reads a stream to its end. Throws AppError("usage") if it is too long. */
function collect(input: Input, {mayEnd, onWait}: CollectOptions): Promise<Read> {
	const chunks: Buffer[] = [];
	let bytes = 0;
	return new Promise((resolve, reject) => {
		const waiting = setTimeout(onWait, silentWaitMs);
		const silence = mayEnd && setInterval(() => mayEnd() && finish({isGivenUp: true}), silenceTimeoutMs);

		function leave() {
			clearTimeout(waiting);
			clearInterval(silence);
			input.removeAllListeners('data');
			input.pause();
			if ('unref' in input && typeof input.unref === 'function') {
				input.unref();
			}
		}

		function finish(how: Omit<Read, 'bytes'> = {}) {
			leave();
			resolve({bytes: Buffer.concat(chunks), ...how});
		}

		input.on('data', (chunk: Buffer | string) => {
			clearInterval(silence);
			const data = Buffer.from(chunk);
			bytes += data.length;
			chunks.push(data);
			if (bytes > maxBytes) {
				leave();
				reject(
					new AppError('usage', 'stdin is longer than 16 MB.', {
						hint: 'Pipe in less, or let the agent read the file.',
					}),
				);
			}
		});
		input.on('end', () => finish());
		input.on('error', error => finish({failure: 'code' in error ? String(error.code) : error.message}));
	});
}

/**
 * Returns what was piped in as text: UTF-8 by default, UTF-16 with its mark, both without the mark. Bytes that are no UTF-8
 * become U+FFFD and a loss. Throws AppError("usage") for data that are no text.
 */
function decodeInput(bytes: Buffer, warn: Losses['warn']): string {
	const utf16 = markOf(bytes);
	if (utf16) {
		return new TextDecoder(utf16).decode(bytes);
	}

	if (isUtf8(bytes)) {
		return new TextDecoder().decode(bytes);
	}

	if (bytes.includes(0)) {
		throw new AppError('usage', "stdin is binary, which the model can't read as text.", {
			hint: 'Save it to a file, and mention that in the prompt: `$ -p "Describe @picture.png"`',
		});
	}

	const text = new TextDecoder().decode(bytes);
	warn(
		'stdin is not valid UTF-8: the bytes that are not were replaced by “\uFFFD”.',
		'Convert it first, such as with iconv -f latin1 -t utf-8.',
	);
	return text;
}

/** Returns the encoding that a byte order mark names (Unicode 16, section 23.8); undefined for UTF-8 and for none. */
function markOf(bytes: Buffer): 'utf-16le' | 'utf-16be' | undefined {
	const mark = bytes.subarray(0, 2).toString('hex');
	return mark === 'fffe' ? 'utf-16le' : mark === 'feff' ? 'utf-16be' : undefined;
}

/**
 * What standard input is. `command`: a pipe that a shell made between another command and us. `program`: one that a program
 * made, and may never write to or close (CI, cron, ssh, `subprocess.PIPE`), or passed on to us. `unknown`: a pipe between
 * commands that a shell passed on, as in a loop of a script, or one of which nothing can be found out.
 */
export type StdinOrigin = 'none' | 'file' | 'folder' | 'device' | 'command' | 'program' | 'unknown';

const shells: ReadonlySet<string> = new Set([
	'sh',
	'bash',
	'dash',
	'zsh',
	'ash',
	'busybox',
	'ksh',
	'ksh93',
	'mksh',
	'oksh',
	'yash',
	'fish',
	'tcsh',
	'csh',
	'nu',
	'elvish',
	'osh',
	'pwsh',
]);

/** Programs that run another one with their own input, and read nothing of it. */
const runners: ReadonlySet<string> = new Set(
	'timeout time sudo doas su runuser unshare nsenter strace ltrace bwrap'.split(' '),
);

type Place = {
	/** Where Linux lists processes; elsewhere a pipe is `unknown`. */
	readonly processes: string;
	readonly own: number;
	readonly parent: number;
};

const here = (): Place => ({processes: '/proc', own: process.pid, parent: process.ppid});

/** Returns what a descriptor is. */
export function originOf(descriptor: number, place = here()): StdinOrigin {
	try {
		const stats = fstatSync(descriptor);
		if (stats.isFIFO() || stats.isSocket()) {
			return makerOf(descriptor, place);
		}

		if (stats.isFile() || stats.isDirectory()) {
			return stats.isFile() ? 'file' : 'folder';
		}

		return stats.isCharacterDevice() && stats.rdev === statSync('/dev/null').rdev ? 'none' : 'device';
	} catch {
		// It is closed.
		return 'none';
	}
}

/** Finds out who made a pipe: the nearest ancestor with another input made it, those below were given it. */
function makerOf(descriptor: number, {processes, own, parent}: Place): StdinOrigin {
	try {
		const pipe = readlinkSync(`${processes}/${own}/fd/${descriptor}`);
		const given: string[] = [];
		for (let next = parent; next > 0; next = parentOf(next, processes)) {
			const name = readFileSync(`${processes}/${next}/comm`, 'utf8').trim().replace(/^-/, '');
			const isShell = shells.has(name);
			const input = isShell ? readlinkSync(`${processes}/${next}/fd/0`) : linkOf(`${processes}/${next}/fd/0`);
			if (input !== pipe) {
				return isShell ? originBetween(given) : 'program';
			}

			given.push(name);
		}

		return 'unknown';
	} catch {
		return 'unknown';
	}
}

/** Returns what a pipe of a shell is that these programs were given, the one that started us first. */
function originBetween(given: readonly string[]): StdinOrigin {
	const [first = ''] = given;
	const isPassedOn = first !== '' && !shells.has(first) && !runners.has(first);
	return isPassedOn ? 'program' : given.every(name => runners.has(name)) ? 'command' : 'unknown';
}

/**
 * True if a command that runs beside us writes to the pipe: its output is that pipe. What started us may hold the other end
 * without ever writing, so that our ancestors don't count. False where it can't be found out.
 */
export function hasWriter(descriptor: number, {processes, own} = here()): boolean {
	try {
		const pipe = readlinkSync(`${processes}/${own}/fd/${descriptor}`);
		const ancestors = ancestorsOf(own, processes);
		const others = readdirSync(processes).filter(name => /^\d+$/.test(name) && !ancestors.has(Number(name)));
		// The two ends of a socket have numbers of their own.
		return (
			pipe.startsWith('pipe:') && others.some(id => [1, 2].some(fd => linkOf(`${processes}/${id}/fd/${fd}`) === pipe))
		);
	} catch {
		return false;
	}
}

/** Returns a process and its ancestors. */
function ancestorsOf(id: number, processes: string): ReadonlySet<number> {
	const found = new Set<number>();
	for (let next = id; next > 0 && !found.has(next); next = parentOf(next, processes)) {
		found.add(next);
	}

	return found;
}

/** Returns the parent of a process (proc(5), `/proc/pid/stat`: the name may contain anything); 0 for none. */
function parentOf(id: number, processes: string): number {
	const stat = readFileSync(`${processes}/${id}/stat`, 'utf8');
	return Number(/\) \S (\d+)[^)]*$/.exec(stat)?.[1] ?? 0);
}

/** Returns what a link points to; undefined for a process that has ended, and for one of another user. */
function linkOf(path: string): string | undefined {
	try {
		return readlinkSync(path);
	} catch {
		return undefined;
	}
}
