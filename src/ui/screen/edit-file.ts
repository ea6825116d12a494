import {spawn} from 'node:child_process';
import {basename} from 'node:path';
import type {Environment} from '../../core/environment.ts';
import {AppError} from '../../core/error.ts';
import type {TerminalSession} from '../../terminal/terminal-session.ts';
import type {FullScreen} from './full-screen.ts';

type Dependencies = {
	readonly env: Environment;
	readonly session: Pick<TerminalSession, 'lend'>;
	readonly fullScreen: Pick<FullScreen, 'close'>;
};

/** Variables that hold a credential; an editor and its plugins need none (SAFETY 8). */
const secret = /(?:^|_)(?:API_KEY|TOKEN|SECRET|PASSWORD)$/i;

/** The editor of a user who set none. */
const usualEditor = process.platform === 'win32' ? 'notepad' : 'vi';

/** The statuses of a shell that couldn't start a program. */
const notStarted: readonly (number | null)[] = [126, 127];

/**
 * Returns a function that opens a file in the editor of `$VISUAL` or `$EDITOR`, else in vi, as git does. It has the terminal
 * until it ends. Throws AppError("not-found") if it can't be started, AppError("failed") if it fails.
 */
export function createFileEditor({env, session, fullScreen}: Dependencies) {
	return async (path: string): Promise<void> => {
		const editor = (env['VISUAL'] || env['EDITOR'] || '').trim() || usualEditor;
		fullScreen.close();
		const {status, signal} = await session.lend(() => runEditor(editor, path, env));
		if (notStarted.includes(status)) {
			throw new AppError('not-found', `Couldn't start the editor “${editor}”.`, {
				hint: 'Set $VISUAL or $EDITOR to a program that is installed.',
			});
		}

		if (status !== 0) {
			const how = status === null ? `was ended by ${signal}` : `ended with status ${status}`;
			throw new AppError('failed', `The editor ${how}.`, {hint: `What it saved is in ${basename(path)}.`});
		}
	};
}

type Ended = {readonly status: number | null; readonly signal: NodeJS.Signals | null};

/** Runs the editor as git does: its variable may have arguments, which the user's shell reads; the path is one word. */
function runEditor(editor: string, path: string, env: Environment): Promise<Ended> {
	const passed = Object.fromEntries(Object.entries(env).filter(([name]) => !secret.test(name)));
	return new Promise((resolve, reject) => {
		const child =
			process.platform === 'win32'
				? spawn(`${editor} "${path}"`, {stdio: 'inherit', shell: true, env: passed})
				: spawn('/bin/sh', ['-c', `${editor} "$@"`, editor, path], {stdio: 'inherit', env: passed});
		child.once('error', error => reject(new AppError('failed', `Couldn't start the editor: ${error.message}.`)));
		child.once('close', (status, signal) => resolve({status, signal}));
	});
}
