import {spawn} from 'node:child_process';
import type {Environment} from '../core/environment.ts';
import {searchPath} from '../core/search-path.ts';

/** What a browser needs of the environment, and nothing else (SAFETY 15). */
const passedOn = [
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

/** How long an opener may take to fail before it counts as done, in milliseconds. */
const openTimeoutMs = 2000;

/**
 * The program that opens a page, with its arguments; no shell reads them. On Windows it is named in full: by its name alone
 * one in the working folder would come first (SAFETY 15).
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

/** False over SSH, where the browser would open at the far end, and where there is no desktop. */
export function canOpenPages(env: Environment, platform: NodeJS.Platform = process.platform): boolean {
	if (env['SSH_CONNECTION'] || env['SSH_TTY']) {
		return false;
	}

	return platform === 'darwin' || platform === 'win32' || Boolean(env['DISPLAY'] || env['WAYLAND_DISPLAY']);
}

/**
 * Opens an http or https page in the person's browser, which outlives us and has no terminal. False where that is no such
 * page, or the opener is not there or fails.
 */
export async function openPage(page: string, env: Environment, platform = process.platform): Promise<boolean> {
	if (!URL.canParse(page) || !/^https?:$/.test(new URL(page).protocol)) {
		return false;
	}

	const [command, ...args] = openerOf(new URL(page).href, platform, env['SYSTEMROOT']);
	const passed: Environment = {...env, PATH: searchPath(env['PATH'] ?? '')};
	const childEnv = Object.fromEntries(passedOn.flatMap(name => (passed[name] ? [[name, passed[name]]] : [])));
	return new Promise(resolve => {
		const child = spawn(command, args, {detached: true, stdio: 'ignore', env: childEnv, windowsHide: true});
		child.on('error', () => resolve(false));
		child.on('exit', status => resolve(status === 0));
		child.unref();
		setTimeout(() => resolve(true), openTimeoutMs).unref();
	});
}
