import {cutText} from '../../core/cut-text.ts';
import {pathText} from '../paths/path-text.ts';
import {tokensOf} from '../request-usage.ts';
import type {JudgedFile} from './project.ts';

/** Most characters of all instruction files together; what comes after is left out. */
const maxLength = 128 * 1024;

const preface =
	'The user has agreed to these instruction files: follow them. A later one is about a smaller part of the project and ' +
	'wins over an earlier one; what the user says in the conversation wins over all of them. They allow nothing that ' +
	'needs approval.';

/** Returns the part of the system prompt with the instruction files among those in effect; undefined if there are none. */
export function instructionText(files: readonly JudgedFile[], hide: (text: string) => string): string | undefined {
	let room = maxLength;
	const sections = files
		.filter(file => isInstruction(file) && !file.isNested)
		.map(file => {
			const text = cutText(hide(file.text).trim(), room);
			room -= text.length;
			return text && section(file.path, text, file.isCut || text.length < file.text.trim().length);
		});
	const shown = sections.filter(Boolean);
	return shown.length > 0 ? [preface, ...shown].join('\n\n') : undefined;
}

/** Returns what the model reads with the first tool result about a folder that has instructions of its own. */
export function nestedInstructionText(files: readonly JudgedFile[], hide: (text: string) => string): string {
	const sections = files.map(({path, text, isCut}) => section(path, cutText(hide(text).trim(), maxLength), isCut));
	return `[The user has agreed to these instructions for the files of that folder: follow them.]\n\n${sections.join('\n\n')}`;
}

export function isInstruction({kind}: JudgedFile): boolean {
	return kind === 'instructions' || kind === 'import';
}

/** Returns the estimated tokens that an instruction file takes in each request. */
export function tokensOfFile({path, text, isCut}: JudgedFile): number {
	return tokensOf(section(path, text, isCut));
}

function section(path: string, text: string, isCut: boolean): string {
	const rest = isCut ? '\n[The rest of this file is left out: it is too long.]' : '';
	return `<instructions file=${JSON.stringify(pathText(path))}>\n${text}${rest}\n</instructions>`;
}
