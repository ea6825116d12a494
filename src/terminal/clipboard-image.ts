import {execFile} from 'node:child_process';
import type {Environment} from '../core/environment.ts';
import {searchPath} from '../core/search-path.ts';

/** A program that prints the image in the clipboard, and how its output is read. */
type Reader = {
	readonly command: string;
	readonly args: readonly string[];
	readonly decode?: (output: Buffer) => Buffer;
};

/** The image in the clipboard; `none` if there is no image in it, `no program` if nothing can read it here. */
type ClipboardImage = {readonly bytes: Buffer} | 'none' | 'no program';

const maxBytes = 64 * 1024 * 1024;
const timeoutMs = 5000;

/** The environment variables that these programs need; no other is passed on (SAFETY 15). */
const passed = ['DISPLAY', 'HOME', 'WAYLAND_DISPLAY', 'XAUTHORITY', 'XDG_RUNTIME_DIR', 'USER', 'LANG'];

const png = ['image/png'];

/** Returns the programs that may read the clipboard, the best first. */
export function clipboardReaders(env: Environment, platform: NodeJS.Platform = process.platform): readonly Reader[] {
	if (platform === 'darwin') {
		return [
			{command: 'pngpaste', args: ['-']},
			{command: 'osascript', args: ['-e', 'get the clipboard as «class PNGf»'], decode: fromAppleScript},
		];
	}

	return [
		...(env['WAYLAND_DISPLAY'] ? [{command: 'wl-paste', args: ['--no-newline', '--type', ...png]}] : []),
		...(env['DISPLAY'] ? [{command: 'xclip', args: ['-selection', 'clipboard', '-t', ...png, '-o']}] : []),
	];
}

/** AppleScript prints bytes as `«data PNGf89504E47…»`. */
function fromAppleScript(output: Buffer): Buffer {
	const [, hex = ''] = /PNGf([\da-f]+)/i.exec(output.toString('utf8')) ?? [];
	return Buffer.from(hex, 'hex');
}

/** Reads the image in the clipboard with the first program that is installed. Never throws. */
export async function readClipboardImage(env: Environment, platform = process.platform): Promise<ClipboardImage> {
	let isRead = false;
	for (const reader of clipboardReaders(env, platform)) {
		const output = await run(reader, env);
		if (output === undefined) {
			continue;
		}

		isRead = true;
		if (output.length > 0) {
			return {bytes: output};
		}
	}

	return isRead ? 'none' : 'no program';
}

/** Returns what the program prints, nothing if it fails; undefined if it isn't installed. */
function run({command, args, decode = output => output}: Reader, env: Environment): Promise<Buffer | undefined> {
	const variables = Object.fromEntries(passed.flatMap(name => (env[name] === undefined ? [] : [[name, env[name]]])));
	const options = {
		...({encoding: 'buffer', maxBuffer: maxBytes, timeout: timeoutMs, windowsHide: true} as const),
		env: {...variables, PATH: searchPath(env['PATH'] ?? '')},
	};
	return new Promise(resolve => {
		execFile(command, args, options, (error, stdout) => {
			resolve(
				error && 'code' in error && error.code === 'ENOENT' ? undefined : error ? Buffer.alloc(0) : decode(stdout),
			);
		});
	});
}
