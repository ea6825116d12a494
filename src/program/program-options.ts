import type {LoginClock} from '../client/device-flow.ts';
import type {ComposeOptions} from '../command/program.ts';
import type {Keychain} from '../config/keychain.ts';
import type {Environment} from '../core/environment.ts';
import type {HomeFault} from '../doctor/check-state.ts';
import type {DebugLog} from '../storage/debug-log.ts';
import type {AppStore} from '../store/store.ts';

/** What the program is built from. */
export type ProgramOptions = ComposeOptions & {
	readonly store: AppStore;
	/** Why the state folder can't be opened, and where it would be; that of `env` doesn't exist then. */
	readonly homeFault?: HomeFault;
	readonly env: Environment;
	/** The folder that the program works in. */
	readonly folder: string;
	/** The bundled worker of the embedded server. */
	readonly workerUrl: URL;
	readonly version: string;
	/** Stores secrets; without it they stay in the configuration file. */
	readonly keychain?: Keychain;
	/** The clock of a login through a browser; that of the machine by default. */
	readonly loginClock?: LoginClock;
	/** Gets an entry for each request and record. */
	readonly debug?: DebugLog | undefined;
};
