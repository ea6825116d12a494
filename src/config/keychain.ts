import {fileURLToPath} from 'node:url';
import type {Environment} from '../core/environment.ts';
import {AppError} from '../core/error.ts';
import {isJsonObject, parseJson} from '../core/json.ts';
import {isOfThisBuild} from '../storage/built-script.ts';
import {withoutGaps} from '../storage/inherited-descriptors.ts';

/**
 * The keychain of the user's session: texts by name. Every call throws AppError("failed") with the reason as one sentence
 * if the keychain fails; none takes longer than `timeoutMs`.
 */
export type Keychain = {
	/** Returns the text of an entry; undefined if there is none. */
	readonly get: (entry: string) => Promise<string | undefined>;
	readonly set: (entry: string, text: string) => Promise<void>;
	/** Does nothing if there is no such entry. */
	readonly remove: (entry: string) => Promise<void>;
};

/** A request to the child process: one line of JSON. */
export type KeychainRequest =
	| {readonly action: 'get' | 'remove'; readonly entry: string}
	| {readonly action: 'set'; readonly entry: string; readonly text: string};

/** Its response: one line of JSON. `none` means that there is no keychain, `missing` that its module is not installed. */
export type KeychainAnswer =
	| {readonly kind: 'done'; readonly text?: string}
	| {readonly kind: 'none' | 'missing'}
	| {readonly kind: 'refused'; readonly why: string};

type Options = {
	readonly env: Environment;
	/** The bundled `keychain-child.ts`. */
	readonly script: URL;
	readonly timeoutMs?: number;
};

const maxBytes = 256 * 1024;

/** The variables that the child needs to find the session's keychain; it gets no other (SAFETY 15). */
const passedVariables = [
	'PATH',
	'HOME',
	'USER',
	'LOGNAME',
	'LANG',
	'TMPDIR',
	'DBUS_SESSION_BUS_ADDRESS',
	'XDG_RUNTIME_DIR',
	'DISPLAY',
	'WAYLAND_DISPLAY',
	'XAUTHORITY',
	'SYSTEMROOT',
	'USERPROFILE',
	'APPDATA',
	'LOCALAPPDATA',
	'TEMP',
];

/**
 * Returns the keychain of macOS, Windows, or a Linux desktop; with `SERVICE_KEYCHAIN=off` every call throws. Each call
 * starts a child process: a locked keychain blocks a thread until the user answers its window, and a process with a
 * blocked thread can neither time out nor exit, but a child can be killed. A child of another build is not started.
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
		if (!(await isOfThisBuild(script))) {
			throw new AppError('failed', 'service was changed on disk while it was running, for example by an update.', {
				hint: 'Your session is saved. Quit, then continue it with `$ --continue`.',
			});
		}

		const answer = await askChild(request, {env, script, timeoutMs});
		switch (answer.kind) {
			case 'done':
				return answer.text;
			case 'none':
				throw fault('No system keychain found.');
			case 'missing':
				throw fault('The optional package @napi-rs/keyring is not installed.');
			default:
				throw fault(`The keychain refused access: ${answer.why.replace(/[.\s]+$/, '')}.`);
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

/** Sends the secret through pipes, never through arguments or the environment, which other users may read. */
async function askChild(
	request: KeychainRequest,
	{env, script, timeoutMs}: Required<Options>,
): Promise<KeychainAnswer> {
	const {spawn} = await import('node:child_process');
	return new Promise((resolve, reject) => {
		const args = [fileURLToPath(script)];
		const child = withoutGaps(['pipe', 'pipe', 'ignore'], stdio =>
			spawn(process.execPath, args, {
				env: Object.fromEntries(Object.entries(env).filter(([name]) => passedVariables.includes(name.toUpperCase()))),
				stdio,
				windowsHide: true,
			}),
		);
		let written = '';
		let isTimedOut = false;
		const timer = setTimeout(() => {
			isTimedOut = true;
			child.kill('SIGKILL');
		}, timeoutMs);
		child.stdin?.on('error', () => {
			// The child exited before it read; `close` handles that.
		});
		child.stdout?.setEncoding('utf8').on('data', (text: string) => {
			written += text;
			if (written.length > maxBytes) {
				child.kill('SIGKILL');
			}
		});
		child.on('error', error => {
			clearTimeout(timer);
			reject(fault(`Couldn't reach the keychain: ${error.message}.`));
		});
		child.on('close', () => {
			clearTimeout(timer);
			const answer = readAnswer(written);
			if (answer) {
				resolve(answer);
			} else {
				const timedOut = `The keychain didn't answer within ${timeoutMs / 1000} seconds.`;
				reject(fault(isTimedOut ? timedOut : "Couldn't reach the keychain."));
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
