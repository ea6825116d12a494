import type {Places} from '../agent/policy/protected-places.ts';
import type {Config} from '../config/config.ts';
import type {Keychain} from '../config/keychain.ts';
import type {UserSettings} from '../config/settings/user-settings.ts';
import type {Environment} from '../core/environment.ts';
import {AppError} from '../core/error.ts';
import type {Origin} from '../core/origin.ts';
import type {Transport} from '../net/transport.ts';
import type {Home} from '../storage/home.ts';
import {type Check, fault, good, note} from './check.ts';
import {checkClipboard} from './check-clipboard.ts';
import {type ConfiguredHost, checkHosts, checkNetworkSettings, checkServer} from './check-network.ts';
import {checkSandbox} from './check-sandbox.ts';
import {checkKeychain, checkKeys} from './check-secrets.ts';
import {checkState, type HomeFault} from './check-state.ts';
import {checkTerminal, type TerminalFacts} from './check-terminal.ts';

export type Patient = {
	readonly version: string;
	readonly env: Environment;
	readonly terminal: TerminalFacts;
	readonly home: Pick<Home, 'path'>;
	/** Why that folder can't be opened. */
	readonly homeFault?: HomeFault | undefined;
	readonly config: Config;
	readonly settings: Pick<UserSettings, 'faults'>;
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

/** Returns a fault for values that are left out because they are invalid; nothing if there are none. */
function checkSettings(settings: Patient['settings']): readonly Check[] {
	const faults = settings.faults();
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
