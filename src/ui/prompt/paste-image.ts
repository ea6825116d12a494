import {execFile} from 'node:child_process';
import {closeSync, constants, fstatSync, openSync, readSync} from 'node:fs';
import {announcedType} from '../../agent/images/read-image.ts';
import type {Program} from '../../command/program.ts';
import {splitWords} from '../../command/words.ts';
import type {Environment} from '../../core/environment.ts';
import {mentionOf} from '../../core/mention.ts';
import {searchPath} from '../../core/search-path.ts';
import {attach} from '../../editor/editor-edit.ts';
import type {AppStore} from '../../store/store.ts';

/** Most characters of a paste that may be paths of dragged files. */
const maxPaths = 8192;

/**
 * Returns mentions for a paste that is nothing but absolute paths of images and PDFs, as terminals paste files that are
 * dragged into them: quoted, escaped, or as a `file:` URL. Undefined for any other paste, which is text.
 */
export function mentionsOfDragged(pasted: string): string | undefined {
	const text = pasted.trim();
	if (text.length > maxPaths || text.includes('\n') || !/^(?:['"]?\/|file:\/\/\/)/.test(text)) {
		return undefined;
	}

	const paths = pathsIn(text);
	return paths.length > 0 && paths.every(isMedia) ? `${paths.map(mentionOf).join(' ')} ` : undefined;
}

function pathsIn(text: string): readonly string[] {
	try {
		// A path with spaces may also come unquoted.
		const words = isMedia(text) ? [text] : splitWords(text);
		return words.map(word => (word.startsWith('file://') ? decodeURIComponent(new URL(word).pathname) : word));
	} catch {
		return [];
	}
}

/** True for a regular file that begins as an image or a PDF. A pipe or a device is never waited for. */
function isMedia(path: string): boolean {
	let file: number | undefined;
	try {
		file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
		const start = Buffer.alloc(16);
		return fstatSync(file).isFile() && announcedType(start.subarray(0, readSync(file, start))) !== undefined;
	} catch {
		return false;
	} finally {
		if (file !== undefined) {
			closeSync(file);
		}
	}
}

type Dependencies = {
	readonly store: AppStore;
	readonly env: Environment;
	readonly keepImage: Program['prompts']['keepImage'];
	/** Prints an error above the prompt. */
	readonly tell: (error: unknown) => void;
};

const noProgram = `Install ${process.platform === 'darwin' ? 'pngpaste' : 'wl-paste or xclip'} to paste images, or type @ and a path.`;

/** Inserts the image in the clipboard into the prompt as one unit. A toast says what is missing. */
export async function pasteImage({store, env, keepImage, tell}: Dependencies): Promise<void> {
	const image = await readClipboardImage(env);
	if (typeof image === 'string') {
		store.getState().setToast(image === 'none' ? 'There is no image in the clipboard.' : noProgram);
		return;
	}

	try {
		const {mention, label} = await keepImage(image.bytes);
		const {composer, setComposer} = store.getState();
		const isApart = /(?:^|\s)$/.test(composer.text.slice(0, composer.caret));
		setComposer(attach(composer, {label, text: `${isApart ? '' : ' '}${mention} `}));
	} catch (error) {
		tell(error);
	}
}

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
function clipboardReaders(env: Environment, platform: NodeJS.Platform): readonly Reader[] {
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
