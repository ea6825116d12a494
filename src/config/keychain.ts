import {fileURLToPath} from 'node:url';
import type {Environment} from '../core/environment.ts';
import {AppError} from '../core/error.ts';
import {isJsonObject, parseJson} from '../core/json.ts';
import {withoutGaps} from '../storage/inherited-descriptors.ts';

/**
 * The keychain of the user's session: texts by name. Every call throws `AppError` (`failed`) whose message is one sentence
 * that says why it could not be done; none takes longer than a few seconds.
 */
export type Keychain = {
	/** Undefined where there is no such entry. */
	readonly get: (entry: string) => Promise<string | undefined>;
	readonly set: (entry: string, text: string) => Promise<void>;
	/** Nothing happens where there is no such entry. */
	readonly remove: (entry: string) => Promise<void>;
};

/** What the child is asked: one line of JSON. */
export type KeychainRequest =
	| {readonly action: 'get' | 'remove'; readonly entry: string}
	| {readonly action: 'set'; readonly entry: string; readonly text: string};

/** What it answers: one line of JSON. `none` says that there is no keychain, `missing` that its module is not installed. */
export type KeychainAnswer =
	| {readonly kind: 'done'; readonly text?: string}
	| {readonly kind: 'none' | 'missing'}
	| {readonly kind: 'refused'; readonly why: string};

type Options = {
	readonly env: Environment;
	/** The bundled `keychain-child.ts`. */
	readonly script: URL;
	/** Longest time of a call, in milliseconds. */
	readonly timeoutMs?: number;
};

const mostBytes = 256 * 1024;

/** What the child needs to find the session's keychain; no other part of the environment is its business (SAFETY 15). */
const passedOn = [
	...['PATH', 'HOME', 'USER', 'LOGNAME', 'LANG', 'TMPDIR', 'DBUS_SESSION_BUS_ADDRESS', 'XDG_RUNTIME_DIR'],
	...['DISPLAY', 'WAYLAND_DISPLAY', 'XAUTHORITY', 'SYSTEMROOT', 'USERPROFILE', 'APPDATA', 'LOCALAPPDATA', 'TEMP'],
];

/**
 * The keychain of macOS, Windows, or a Linux desktop; `SERVICE_KEYCHAIN=off` leaves it alone. Each call is a child process
 * of its own: a locked keychain blocks a thread until somebody answers its window, and a process with a blocked thread can
 * neither give up nor end, while a child can be killed.
 */
export function createKeychain({env, script, timeoutMs = 3000}: Options): Keychain {
	if (env['SERVICE_KEYCHAIN']?.trim().toLowerCase() === 'off') {
		const off = async () => {
			throw new AppError('failed', 'SERVICE_KEYCHAIN is off.', {
				hint: 'Unset SERVICE_KEYCHAIN, or store the secret again.',
			});
		};
		return {get: off, set: off, remove: off};
	}

	const ask = async (request: KeychainRequest) => {
		const answer = await askChild(request, {env, script, timeoutMs});
		switch (answer.kind) {
			case 'done':
				return answer.text;
			case 'none':
				throw fault('This machine has no keychain.');
			case 'missing':
				throw fault('The optional package @napi-rs/keyring is not installed.');
			default:
				throw fault(`The keychain refused: ${answer.why.replace(/[.\s]+$/, '')}.`);
		}
	};

	return {
		get: entry => ask({action: 'get', entry}),
		async set(entry, text) {
			await ask({action: 'set', entry, text});
		},
		async remove(entry) {
			await ask({action: 'remove', entry});
		},
	};
}

/** The secret goes and comes through pipes, never through arguments or the environment, which others may read. */
async function askChild(
	request: KeychainRequest,
	{env, script, timeoutMs}: Required<Options>,
): Promise<KeychainAnswer> {
	const {spawn} = await import('node:child_process');
	return new Promise((resolve, reject) => {
		const args = [fileURLToPath(script)];
		const child = withoutGaps(['pipe', 'pipe', 'ignore'], stdio =>
			spawn(process.execPath, args, {
				env: Object.fromEntries(Object.entries(env).filter(([name]) => passedOn.includes(name.toUpperCase()))),
				stdio,
				windowsHide: true,
			}),
		);
		let written = '';
		let late = false;
		const timer = setTimeout(() => {
			late = true;
			child.kill('SIGKILL');
		}, timeoutMs);
		child.stdin?.on('error', () => {
			// It ended before it read; `close` says so.
		});
		child.stdout?.setEncoding('utf8').on('data', (text: string) => {
			written += text;
			if (written.length > mostBytes) {
				child.kill('SIGKILL');
			}
		});
		child.on('error', error => {
			clearTimeout(timer);
			reject(fault(`The keychain could not be asked: ${error.message}.`));
		});
		child.on('close', () => {
			clearTimeout(timer);
			const answer = readAnswer(written);
			if (answer) {
				resolve(answer);
			} else {
				const waited = `The keychain did not answer within ${timeoutMs / 1000} seconds.`;
				reject(fault(late ? waited : 'The keychain could not be asked.'));
			}
		});
		child.stdin?.end(`${JSON.stringify(request)}\n`);
	});
}

function readAnswer(line: string): KeychainAnswer | undefined {
	const answer = parseJson(line);
	if (!isJsonObject(answer)) {
		return undefined;
	}

	const {kind, text, why} = answer;
	switch (kind) {
		case 'done':
			return {kind, ...(typeof text === 'string' && {text})};
		case 'none':
		case 'missing':
			return {kind};
		case 'refused':
			return {kind, why: String(why)};
		default:
			return undefined;
	}
}

function fault(message: string): AppError {
	return new AppError('failed', message, {
		hint: 'Unlock the keychain and try again, or store the secret again with SERVICE_KEYCHAIN=off.',
	});
}
