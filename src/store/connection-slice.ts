import type {StateCreator} from 'zustand/vanilla';
import type {CompletionValues} from '../config/completion-values.ts';
import type {ModelInfo} from '../core/model.ts';
import type {PriceOf} from '../core/session/usage.ts';

/** The server that the platform's commands use. */
export type Connection = {
	/** The profile's name; `local` for the embedded server. */
	readonly profile: string;
	/** The server's origin; `local` until the embedded server listens, which starts when something needs it. */
	readonly server: string;
	readonly state: 'starting' | 'ready' | 'failed';
	/** Why it failed, for the user. */
	readonly detail?: string;
};

export type ConnectionSlice = {
	readonly connection: Connection;
	/** The profile that was connected before this one, if it was ready. */
	readonly previousConnection: string | undefined;
	/** `provider/model-name`; undefined until the user selects one. */
	readonly model: string | undefined;
	/** Prices and facts of models, from the price table and from servers; loaded after the first frame. */
	readonly priceOf: PriceOf;
	readonly infoOf: (model: string) => ModelInfo | undefined;
	/** Values that completion offers for arguments; none before the configuration is read. */
	readonly valuesOf: CompletionValues;

	/** The number of running sandboxes of the embedded server, which end with the app. */
	readonly ownSandboxes: number;

	setOwnSandboxes: (running: number) => void;
	setConnection: (connection: Connection) => void;
	/** Marks the connection as logged out if it uses this profile. */
	dropConnection: (profile: string) => void;
	setModel: (model: string | undefined) => void;
	setCatalog: (catalog: {readonly priceOf: PriceOf; readonly infoOf: (model: string) => ModelInfo | undefined}) => void;
	setValuesOf: (valuesOf: CompletionValues) => void;
};

export const localConnection: Connection = {profile: 'local', server: 'local', state: 'starting'};

export const createConnectionSlice: StateCreator<ConnectionSlice> = set => ({
	connection: localConnection,
	previousConnection: undefined,
	model: undefined,
	priceOf: () => undefined,
	infoOf: () => undefined,
	valuesOf: () => [],
	ownSandboxes: 0,

	setOwnSandboxes(ownSandboxes) {
		set({ownSandboxes});
	},
	setConnection(connection) {
		set(({connection: before}) => ({
			connection,
			...(before.state === 'ready' && before.profile !== connection.profile && {previousConnection: before.profile}),
		}));
	},
	dropConnection(profile) {
		set(({connection}) =>
			connection.profile === profile ? {connection: {...connection, state: 'failed', detail: 'logged out'}} : {},
		);
	},
	setModel(model) {
		set({model});
	},
	setCatalog({priceOf, infoOf}) {
		set({priceOf, infoOf});
	},
	setValuesOf(valuesOf) {
		set({valuesOf});
	},
});
