import type {Seal} from '../accounts/seal.ts';
import type {ArtifactStore} from '../artifacts/artifact-store.ts';
import type {ServerCatalog} from './catalog.ts';
import type {Database} from '../database/tables.ts';
import type {Log} from './log.ts';
import type {Sandboxing} from '../sandboxes/sandboxing.ts';

/** What the operations of the server stand on. */
export type Services = {
	readonly database: Database;
	readonly now: () => Date;
	/** Where browsers and clients reach this server: an origin, without a slash at the end. */
	readonly publicUrl: () => string;
	readonly catalog: ServerCatalog;
	readonly log: Log;
	readonly artifacts: ArtifactStore;
	readonly seal: Seal;
	readonly sandboxes: Sandboxing;
	/** Most bytes of spans and artifacts that an organization may store. */
	readonly storageLimit: number;
};
