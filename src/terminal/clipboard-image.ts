import {execFile} from 'node:child_process';
import type {Environment} from '../core/environment.ts';
import {searchPath} from '../core/search-path.ts';

/** A program that prints the image in the clipboard, and how its output is read. */
type Reader = {
	readonly command: string;
	readonly args: readonly string[];
	readonly decode?: (output: Buffer) => Buffer;
	/** How the program lists the types of what was copied, and prints one of them. */
	readonly types?: {readonly list: readonly string[]; readonly read: (type: string) => readonly string[]};
};

/**
 * The image in the clipboard, or why there is none: no image, no program that can read it here, one that no model reads, or a
 * reader that failed.
 */
export type ClipboardImage =
	| {readonly bytes: Buffer}
	| 'none'
	| 'no program'
	| 'too large'
	| {readonly late: string}
	| {readonly type: string};

const maxBytes = 64 * 1024 * 1024;
const timeoutMs = 5000;

/** The environment variables that these programs need; no other is passed on (SAFETY 15). */
const passed = ['DISPLAY', 'HOME', 'WAYLAND_DISPLAY', 'XAUTHORITY', 'XDG_RUNTIME_DIR', 'USER', 'LANG'];

const png = 'image/png';
/** Other types that models read, the best first. */
const others = ['image/jpeg', 'image/webp', 'image/gif'];

/** Returns the programs that may read the clipboard, the best first. */
export function clipboardReaders(env: Environment, platform: NodeJS.Platform = process.platform): readonly Reader[] {
	if (platform === 'darwin') {
		return [
			{command: 'pngpaste', args: ['-']},
			{command: 'osascript', args: ['-e', 'get the clipboard as «class PNGf»'], decode: fromAppleScript},
		];
	}

	const wayland = (type: string) => ['--no-newline', '--type', type];
	const x11 = (type: string) => ['-selection', 'clipboard', '-t', type, '-o'];
	return [
		...(env['WAYLAND_DISPLAY']
			? [{command: 'wl-paste', args: wayland(png), types: {list: ['--list-types'], read: wayland}}]
			: []),
		...(env['DISPLAY'] ? [{command: 'xclip', args: x11(png), types: {list: x11('TARGETS'), read: x11}}] : []),
	];
}

/** AppleScript prints bytes as `«data PNGf89504E47…»`. */
function fromAppleScript(output: Buffer): Buffer {
	const [, hex = ''] = /PNGf([\da-f]+)/i.exec(output.toString('utf8')) ?? [];
	return Buffer.from(hex, 'hex');
}

/** Reads the image in the clipboard with the first program that is installed. Never throws. */
export async function readClipboardImage(env: Environment, platform = process.platform): Promise<ClipboardImage> {
	let fault: ClipboardImage = 'no program';
	for (const reader of clipboardReaders(env, platform)) {
		const found = await readWith(reader, env);
		if (typeof found === 'object' && 'bytes' in found) {
			return found;
		}

		fault = found === 'no program' ? fault : found;
	}

	return fault;
}

async function readWith({command, args, decode, types}: Reader, env: Environment): Promise<ClipboardImage> {
	const output = await run(command, args, env);
	if (!Buffer.isBuffer(output)) {
		return output;
	}

	const bytes = decode?.(output) ?? output;
	if (bytes.length > 0 || !types) {
		return bytes.length > 0 ? {bytes} : 'none';
	}

	// Programs offer an image in several types, or in one that isn't PNG.
	const listed = await run(command, types.list, env);
	const offered = Buffer.isBuffer(listed) ? listed.toString('latin1').split(/\r?\n/) : [];
	const type = others.find(other => offered.includes(other));
	if (type === undefined) {
		const unread = offered.find(each => /^image\/[\w.+-]{1,40}$/.test(each));
		return unread === undefined ? 'none' : {type: unread};
	}

	const other = await run(command, types.read(type), env);
	return Buffer.isBuffer(other) ? {bytes: other} : other;
}

/** Returns what the program prints, nothing if it fails; or why there is no output. */
function run(
	command: string,
	args: readonly string[],
	env: Environment,
): Promise<Buffer | 'no program' | 'too large' | {readonly late: string}> {
	const variables = Object.fromEntries(passed.flatMap(name => (env[name] === undefined ? [] : [[name, env[name]]])));
	const options = {
		...({encoding: 'buffer', maxBuffer: maxBytes, timeout: timeoutMs, windowsHide: true} as const),
		env: {...variables, PATH: searchPath(env['PATH'] ?? '')},
	};
	return new Promise(resolve => {
		execFile(command, args, options, (error, stdout) => {
			const code = error && 'code' in error ? error.code : undefined;
			if (code === 'ENOENT') {
				resolve('no program');
			} else if (String(code) === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') {
				resolve('too large');
			} else {
				resolve(error?.killed ? {late: command} : error ? Buffer.alloc(0) : stdout);
			}
		});
	});
}
