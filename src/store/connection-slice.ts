import type {StateCreator} from 'zustand/vanilla';
import type {CompletionValues} from '../config/completion-values.ts';
import type {Effort} from '../core/effort.ts';
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
	/** The model that the user selected last; another object each time, also for the same model. */
	readonly modelChoice: {readonly model: string | undefined};
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
	/** The reasoning effort of each model that has one. */
	readonly efforts: Readonly<Record<string, Effort>>;
	/** The effort for whichever model this run selects, from the command line. */
	readonly runEffort: Effort | undefined;

	/** Selects a model for the user, who agrees to where that is now. */
	setModel: (model: string | undefined) => void;
	/** Sets what is known at the start. */
	setEfforts: (efforts: Readonly<Record<string, Effort>>, runEffort?: Effort) => void;
	/** Sets the effort of a model; undefined for its own default. */
	setEffort: (model: string, effort: Effort | undefined) => void;
	setCatalog: (catalog: {readonly priceOf: PriceOf; readonly infoOf: (model: string) => ModelInfo | undefined}) => void;
	setValuesOf: (valuesOf: CompletionValues) => void;
};

export const localConnection: Connection = {profile: 'local', server: 'local', state: 'starting'};

/** Returns the reasoning effort of a model; undefined for its own default. */
export function effortOf(
	{efforts, runEffort}: Pick<ConnectionSlice, 'efforts' | 'runEffort'>,
	model: string | undefined,
): Effort | undefined {
	return runEffort ?? (model === undefined ? undefined : efforts[model]);
}

export const createConnectionSlice: StateCreator<ConnectionSlice> = set => ({
	connection: localConnection,
	previousConnection: undefined,
	model: undefined,
	modelChoice: {model: undefined},
	priceOf: () => undefined,
	infoOf: () => undefined,
	valuesOf: () => [],
	ownSandboxes: 0,
	efforts: {},
	runEffort: undefined,

	setOwnSandboxes(ownSandboxes) {
		set({ownSandboxes});
	},
	setConnection(connection) {
		set(({connection: before}) => ({
			connection,
			// One that failed without a reason was ready: its server doesn't answer now.
			...(before.state !== 'starting' &&
				!before.detail &&
				before.profile !== connection.profile && {previousConnection: before.profile}),
		}));
	},
	dropConnection(profile) {
		set(({connection}) =>
			connection.profile === profile ? {connection: {...connection, state: 'failed', detail: 'logged out'}} : {},
		);
	},
	setModel(model) {
		set({model, modelChoice: {model}});
	},
	setEfforts(efforts, runEffort) {
		set({efforts, runEffort});
	},
	setEffort(model, effort) {
		set(({efforts}) => {
			const {[model]: _, ...others} = efforts;
			return {efforts: effort ? {...others, [model]: effort} : others, runEffort: undefined};
		});
	},
	setCatalog({priceOf, infoOf}) {
		set({priceOf, infoOf});
	},
	setValuesOf(valuesOf) {
		set({valuesOf});
	},
});
