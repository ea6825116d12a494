import {spawn} from 'node:child_process';
import type {Environment} from '../core/environment.ts';
import {searchPath} from '../core/search-path.ts';

/** The environment variables that a browser needs; no other is passed on (SAFETY 15). */
const passedVariables = [
	'BROWSER',
	'DBUS_SESSION_BUS_ADDRESS',
	'DESKTOP_SESSION',
	'DISPLAY',
	'HOME',
	'LANG',
	'PATH',
	'SYSTEMROOT',
	'USER',
	'USERPROFILE',
	'WAYLAND_DISPLAY',
	'XAUTHORITY',
	'XDG_CURRENT_DESKTOP',
	'XDG_DATA_DIRS',
	'XDG_RUNTIME_DIR',
];

/** How long an opener may take to fail before it counts as successful. */
const openTimeoutMs = 2000;

/**
 * Returns the program that opens a page, with its arguments, to run without a shell. On Windows it is a full path: a
 * bare name would find a program in the working folder first (SAFETY 15).
 */
export function openerOf(
	page: string,
	platform: NodeJS.Platform,
	systemRoot = 'C:\\Windows',
): readonly [command: string, ...args: string[]] {
	switch (platform) {
		case 'darwin':
			return ['open', page];
		case 'win32':
			return [`${systemRoot}\\System32\\rundll32.exe`, 'url.dll,FileProtocolHandler', page];
		default:
			return ['xdg-open', page];
	}
}

/** False over SSH, where the browser would open on the remote machine, and without a desktop. */
export function canOpenPages(env: Environment, platform: NodeJS.Platform = process.platform): boolean {
	if (env['SSH_CONNECTION'] || env['SSH_TTY']) {
		return false;
	}

	return platform === 'darwin' || platform === 'win32' || Boolean(env['DISPLAY'] || env['WAYLAND_DISPLAY']);
}

/**
 * Opens an http or https page in the user's browser, which outlives us and has no terminal. Returns false for another
 * URL, or if the opener is missing or fails.
 */
export async function openPage(page: string, env: Environment, platform = process.platform): Promise<boolean> {
	if (!URL.canParse(page) || !/^https?:$/.test(new URL(page).protocol)) {
		return false;
	}

	const [command, ...args] = openerOf(new URL(page).href, platform, env['SYSTEMROOT']);
	const passed: Environment = {...env, PATH: searchPath(env['PATH'] ?? '')};
	const childEnv = Object.fromEntries(passedVariables.flatMap(name => (passed[name] ? [[name, passed[name]]] : [])));
	return new Promise(resolve => {
		const child = spawn(command, args, {detached: true, stdio: 'ignore', env: childEnv, windowsHide: true});
		child.on('error', () => resolve(false));
		child.on('exit', status => resolve(status === 0));
		child.unref();
		setTimeout(() => resolve(true), openTimeoutMs).unref();
	});
}
