import type {Config} from '../config/config.ts';
import type {Environment} from '../core/environment.ts';
import type {AppStore} from '../store/store.ts';
import type {Interaction} from './interaction.ts';
import type {Platform} from './platform.ts';
import type {ServerFlags} from './server-flags.ts';

/** The part of a command's context that login and connections need. */
export type AccessContext = {
	readonly program: {
		readonly store: AppStore;
		readonly local: {readonly config: Config; readonly env: Environment};
		readonly servers: {readonly platform: Platform};
	};
	readonly ui: {
		readonly interact: Interaction;
		/** The session on screen; undefined in a shell. */
		readonly live: object | undefined;
	};
	readonly flags: ServerFlags;
	readonly signal: AbortSignal;
};
