import {existsSync} from 'node:fs';
import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import type {Places} from '../agent/policy/protected-places.ts';
import {findSandbox} from '../agent/sandbox/find-sandbox.ts';
import type {Config} from '../config/config.ts';
import type {Keychain} from '../config/keychain.ts';
import {listKeys} from '../config/provider-keys.ts';
import type {UserSettings} from '../config/settings/user-settings.ts';
import type {Environment} from '../core/environment.ts';
import {AppError} from '../core/error.ts';
import type {Origin} from '../core/origin.ts';
import {searchFolders} from '../core/search-path.ts';
import type {Secret} from '../core/secrets/secret.ts';
import type {Transport} from '../net/transport.ts';
import {registry} from '../providers/registry.ts';
import type {Home} from '../storage/home.ts';
import {charsetOf, insertsLines, localeOf, printsCodes, wantsColor, wantsLinear} from '../terminal/abilities.ts';
import {clipboardSupport} from '../terminal/clipboard.ts';
import {clipboardReaders} from '../terminal/clipboard-image.ts';
import {isLikeXterm} from '../terminal/terminal-kind.ts';
import {colorDepth} from '../terminal/theme/color-depth.ts';
import {type Check, fault, good, note} from './check.ts';
import {type ConfiguredHost, checkHosts, checkNetworkSettings, checkServer} from './check-network.ts';
import {checkState, type HomeFault} from './check-state.ts';

type Patient = {
	readonly version: string;
	readonly env: Environment;
	readonly terminal: TerminalFacts;
	readonly home: Pick<Home, 'path'>;
	/** Why that folder can't be opened. */
	readonly homeFault?: HomeFault | undefined;
	readonly config: Config;
	readonly settings: UserSettings;
	readonly keychain: Keychain | undefined;
	/** The working folder, a real path. */
	readonly workspace: string;
	readonly places: Places;
	/** Returns the server that is connected; undefined for the embedded one. Throws AppError for an invalid setting. */
	readonly server: () => Origin | undefined;
	/** Returns the other hosts that the user configured: profiles, providers, MCP servers. */
	readonly hosts: () => Promise<readonly ConfiguredHost[]>;
	/** Opens a transport without a credential. */
	readonly openTransport: () => Promise<Transport>;
	/** Removes credentials from a text. */
	readonly hide: (text: string) => string;
	readonly signal: AbortSignal;
};

/**
 * Checks everything that the program stands on, at the same time, and changes nothing. Returns the checks in the order shown,
 * without credentials. A check that throws is a fault. Throws the signal's reason.
 */
export async function diagnose(patient: Patient): Promise<readonly Check[]> {
	const {version, env, terminal, home, homeFault, config, settings, keychain, hide, signal} = patient;
	const checks: ReadonlyArray<readonly [name: string, () => Promise<readonly Check[]> | readonly Check[]]> = [
		['Program', () => [good('Program', `service ${version}, Node ${process.version}, ${system()}.`)]],
		['Terminal', () => checkTerminal(env, terminal, process.platform)],
		['Clipboard', () => [checkClipboard(env)]],
		['State folder', () => [checkState(home, homeFault)]],
		['Settings', () => checkSettings(settings)],
		['Models', () => [checkKeys(config, env)]],
		['Keychain', async () => [await checkKeychain(config, keychain)]],
		['Sandbox', async () => [await checkSandbox(patient)]],
		['Network', () => checkNetworkSettings(env, signal)],
		['Server', () => server(patient)],
		['Host', () => hosts(patient)],
	];
	const found = await Promise.all(
		checks.map(async ([name, check]) => {
			try {
				return await check();
			} catch (error) {
				signal.throwIfAborted();
				return [failed(name, error)];
			}
		}),
	);
	return found.flat().map(({finding, ...check}) => ({...check, finding: hide(finding)}));
}

/** Returns a fault for a file or values that are left out because they are invalid; nothing if there are none. */
function checkSettings(settings: Patient['settings']): readonly Check[] {
	const broken = settings.isBroken() ? [`${settings.file} is not used: it is not valid JSON in UTF-8.`] : [];
	const faults = [...broken, ...settings.faults()];
	return faults.length > 0
		? [fault('Settings', faults.join(' '), 'Correct it, or remove it with `config unset <setting>`.')]
		: [];
}

function failed(name: string, error: unknown): Check {
	const why = error instanceof Error ? error.message : String(error);
	const fix = error instanceof AppError ? error.hint : undefined;
	return fault(name, why, fix ?? 'Report this, with what `doctor --json` prints.');
}

function system(): string {
	return `${process.platform} ${process.arch}`;
}

async function hosts({hosts: listHosts, openTransport, env, signal}: Patient): Promise<readonly Check[]> {
	const configured = await listHosts();
	return configured.length > 0 ? checkHosts({hosts: configured, transport: await openTransport(), env, signal}) : [];
}

async function server({server: selected, openTransport, env, signal}: Patient): Promise<readonly Check[]> {
	const origin = selected();
	return origin
		? checkServer({server: origin, transport: await openTransport(), env, signal, now: Date.now})
		: [note('Server', 'The embedded one, which starts when something needs it.')];
}

/** Checks the ways to the clipboard. Nothing is copied. */
export function checkClipboard(env: Environment): Check {
	const {PATH = ''} = env;
	const reader = clipboardReaders(env).find(({command}) =>
		searchFolders(PATH).some(folder => existsSync(join(folder, command))),
	)?.command;
	const pastes = reader ? ` Images are pasted with ${reader}.` : '';
	switch (clipboardSupport(env)) {
		case 'tmux':
			return note(
				'Clipboard',
				`Copying goes through tmux, whose buffer has what you copy.${pastes}`,
				'If the clipboard of the terminal stays empty, in ~/.tmux.conf: set -g set-clipboard on',
			);
		case 'no':
			return note(
				'Clipboard',
				`This terminal doesn't copy with OSC 52.${pastes}`,
				'Copies are kept in a file instead.',
			);
		case 'yes':
			return good('Clipboard', `This terminal copies with OSC 52.${pastes}`);
		default:
			return note('Clipboard', `Copying uses OSC 52, if this terminal allows it.${pastes}`);
	}
}

type Options = {readonly workspace: string; readonly places: Places; readonly env: Environment};

/** Starts an empty command as the agent's commands are started, to see whether they are contained here (SAFETY 15). */
async function checkSandbox({workspace, places, env}: Options): Promise<Check> {
	const temporary = await mkdtemp(join(tmpdir(), 'service-doctor-'));
	try {
		const found = await findSandbox({workspace, places, temporary, path: env['PATH'] ?? '', hasNetwork: false});
		return found.kind === 'bubblewrap'
			? good(
					'Sandbox',
					`The agent's commands run in ${found.bubblewrap.program}${found.bubblewrap.takesFilter ? '' : ', without a call filter'}.`,
				)
			: note(
					'Sandbox',
					`The agent's commands are not contained, so that each is asked for: ${found.why}`,
					'Install or allow bubblewrap, or work in a folder of its own.',
				);
	} finally {
		await rm(temporary, {recursive: true, force: true});
	}
}

/** Checks that there is a key for a model. Shows no part of a key. */
function checkKeys(config: Config, env: Environment): Check {
	const keys = listKeys({config, env, rows: registry});
	const names = [...new Set(keys.map(({provider}) => provider))];
	return names.length > 0
		? good('Models', `Keys for ${names.join(', ')}.`)
		: note(
				'Models',
				'No key for a model; the demo model answers.',
				'Run `keys set <provider>`, or `login` to a server.',
			);
}

/** Checks that the keychain works, by reading an entry that nobody stores. */
async function checkKeychain(config: Config, keychain: Keychain | undefined): Promise<Check> {
	const name = 'Keychain';
	if (!keychain) {
		return note(name, 'Not used; secrets are in the configuration file, readable by you alone.');
	}

	try {
		await keychain.get('doctor');
		return good(name, 'It answers.');
	} catch (error) {
		if (!(error instanceof AppError)) {
			throw error;
		}

		const held = heldSecrets(config).filter(secret => secret.keychainEntry !== undefined).length;
		return held > 0
			? fault(name, `${error.message} It holds ${held} of your secrets.`, error.hint ?? 'Unlock the keychain.')
			: note(name, `${error.message} Secrets stay in the configuration file, readable by you alone.`);
	}
}

function heldSecrets(config: Config): readonly Secret[] {
	const {keys, profiles} = config.read();
	return [
		...Object.values(keys).map(({key}) => key),
		...Object.values(profiles).flatMap(({apiKey, accessToken, refreshToken}) => [apiKey, accessToken, refreshToken]),
	].filter(secret => secret !== undefined);
}

type TerminalFacts = {
	readonly isTTY: boolean;
	readonly columns: number | undefined;
	readonly rows: number | undefined;
};

/** The least window in which everything is drawn. */
const least = {columns: 20, rows: 5};

/** Checks what the program draws on: type, size, colour, and the encoding of text. `platform` is that of Node. */
export function checkTerminal(env: Environment, facts: TerminalFacts, platform: string): readonly Check[] {
	const {isTTY, columns = 0, rows = 0} = facts;
	const terminal = isTTY ? window(env, columns, rows) : note('Terminal', 'Output goes to a file or a pipe.');
	return [terminal, encoding(env, platform)];
}

function window(env: Environment, columns: number, rows: number): Check {
	const {TERM = '', TERM_PROGRAM, TMUX, SSH_CONNECTION} = env;
	const depth = colorDepth(env);
	const most = depth === 'rgb' ? 'full colour' : `${depth} colours`;
	const color = wantsColor({isTTY: true}, env) ? most : 'no colour';
	const where = [TMUX && 'in tmux', SSH_CONNECTION && 'over SSH'].filter(Boolean).join(' ');
	const type = [TERM || 'unknown type', TERM_PROGRAM].filter(Boolean).join(', ');
	const finding = `${type}, ${columns}x${rows}, ${color}${where && `, ${where}`}.`;
	if (columns < least.columns || rows < least.rows) {
		return fault('Terminal', finding, `Make the window at least ${least.columns}x${least.rows}.`);
	}

	if (wantsLinear(env)) {
		const byLine = `${finding} The app writes line by line.`;
		const fix = 'For the full screen set TERM, such as TERM=xterm-256color.';
		return TERM ? note('Terminal', byLine, printsCodes(env) ? fix : undefined) : fault('Terminal', byLine, fix);
	}

	if (TERM && insertsLines(env) && !isLikeXterm(env) && !TERM.startsWith('linux')) {
		const limits = 'We don’t know this type: its window gets no title.';
		return note('Terminal', `${finding} ${limits}`, 'If it is like xterm, set TERM=xterm-256color.');
	}

	return good('Terminal', finding);
}

/** How text is drawn, by the locale and the type of the terminal. */
function encoding(env: Environment, platform: string): Check {
	const {name, value: locale, isUtf8} = localeOf(env);
	const charset = charsetOf(env, platform);
	const fix = `Set ${name}=C.UTF-8.`;
	if (charset === 'ascii') {
		return fault('Text', `${name}=${locale} isn't UTF-8: signs are drawn in ASCII, other text as “?”.`, fix);
	}

	if (charset === 'no signs') {
		return locale && !isUtf8
			? fault('Text', `${name}=${locale} isn't UTF-8: signs are drawn in ASCII.`, fix)
			: note('Text', 'The font of this console lacks signs: they are drawn in ASCII.');
	}

	if (isUtf8) {
		return good('Text', `UTF-8 (${locale}).`);
	}

	return locale
		? fault('Text', `${name}=${locale} isn't UTF-8; other programs may garble text.`, fix)
		: note('Text', 'No locale is set; UTF-8 is written.', 'Set LANG=C.UTF-8 so that other programs do too.');
}
