import {closeSync, constants, fstatSync, openSync, readSync} from 'node:fs';
import {announcedType} from '../../agent/images/read-image.ts';
import type {Program} from '../../command/program.ts';
import {splitWords} from '../../command/words.ts';
import type {Environment} from '../../core/environment.ts';
import {mentionOf} from '../../core/mention.ts';
import {attach} from '../../editor/editor-edit.ts';
import type {AppStore} from '../../store/store.ts';
import {type ClipboardImage, readClipboardImage} from '../../terminal/clipboard-image.ts';

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

/** Returns why nothing is inserted. */
function whyNot(image: Exclude<ClipboardImage, {readonly bytes: Buffer}>): string {
	switch (image) {
		case 'none':
			return 'There is no image in the clipboard.';
		case 'no program':
			return noProgram;
		case 'too large':
			return 'The image in the clipboard is over 64 MB. Save it smaller, then type @ and its path.';
		default:
			return 'late' in image
				? `${image.late} didn't answer within 5 s. Save the image, then type @ and its path.`
				: `Models don't read ${image.type}. Save it as PNG, then type @ and its path.`;
	}
}

/** Inserts the image in the clipboard into the prompt as one unit. A toast says what is missing. */
export async function pasteImage({store, env, keepImage, tell}: Dependencies): Promise<void> {
	const image = await readClipboardImage(env);
	if (typeof image === 'string' || !('bytes' in image)) {
		store.getState().setToast(whyNot(image));
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
