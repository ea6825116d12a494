import {modelChoices, modelGroups} from '../../commands/model.ts';
import type {CommandContext} from '../command/context.ts';
import type {Program} from '../command/program.ts';
import {efforts} from '../core/effort.ts';
import {AppError} from '../core/error.ts';
import {parseModelId} from '../core/model.ts';
import {type ApprovalMode, approvalModes} from '../core/session/approval.ts';
import {modeEffects} from '../store/approval-slice.ts';
import {effortOf} from '../store/connection-slice.ts';
import type {AppStore} from '../store/store.ts';
import type {SessionConfigOption, SessionConfigSelectOption, SessionModeState} from './protocol.ts';

/** The options of a session, by the ids that editors keep. */
const ids = {mode: 'mode', model: 'model', effort: 'effort'} as const;

/** How a model that decides itself how much it thinks is named. */
const ownEffort = 'default';

const modeNames: Readonly<Record<ApprovalMode, string>> = {ask: 'Ask', edits: 'Edits', plan: 'Plan', all: 'All'};

const modes = approvalModes.map(id => ({id, name: modeNames[id], description: modeEffects[id]}));

/** Returns the modes of approval, and the one that is selected. */
export function modeState({getState}: AppStore): SessionModeState {
	return {currentModeId: getState().approvalMode, availableModes: modes};
}

/** Returns the mode of an id. Throws AppError("usage") for an unknown one. */
export function modeOf(id: string): ApprovalMode {
	const mode = approvalModes.find(each => each === id);
	if (mode === undefined) {
		throw new AppError('usage', `Unknown mode “${id}”.`, {hint: `Use one of ${approvalModes.join(', ')}.`});
	}

	return mode;
}

/** What an editor sets in a session. */
export type SessionOptions = {
	/** Returns all options with their values. */
	readonly list: () => Promise<SessionConfigOption[]>;
	/** Selects a model or an effort. Throws AppError("usage") for what isn't offered. */
	readonly set: (id: string, value: unknown) => Promise<void>;
};

/** The longest wait for the models that hosts list. Without an answer, the selected one alone is offered. */
const listTimeoutMs = 1500;

/** Creates the options of a session. `setMode` selects a mode, after the question that it needs. */
export function createSessionOptions(
	{program, contextFor}: {readonly program: Program; readonly contextFor: (signal: AbortSignal) => CommandContext},
	setMode: (mode: ApprovalMode) => Promise<void>,
): SessionOptions {
	const {store} = program;
	let known: readonly string[] | undefined;

	const models = async (): Promise<readonly string[]> => {
		// A host has keys of its own: there, `/model` selects among them.
		known ??= program.session.hosted ? [] : await usableModels(contextFor(AbortSignal.timeout(listTimeoutMs)));
		const {model} = store.getState();
		return model === undefined || known.includes(model) ? known : [model, ...known];
	};

	const list = async (): Promise<SessionConfigOption[]> => {
		const {approvalMode, model} = store.getState();
		const offered = await models();
		const effort = await effortOption(store, model);
		return [
			select(
				ids.mode,
				'Mode',
				approvalMode,
				modes.map(({id: value, name, description}) => ({value, name, description})),
			),
			...(offered.length > 0
				? [
						select(
							ids.model,
							'Model',
							model ?? '',
							offered.map(value => ({value, name: value})),
							'model',
						),
					]
				: []),
			...(effort ? [effort] : []),
		];
	};

	return {
		list,
		async set(id, value) {
			const option = (await list()).find(each => each.id === id);
			if (option?.type !== 'select') {
				throw new AppError('usage', `Unknown option “${id}”.`, {hint: `Use one of ${Object.values(ids).join(', ')}.`});
			}

			const values = option.options.flatMap(each => ('value' in each ? [each.value] : []));
			if (typeof value !== 'string' || !values.includes(value)) {
				throw new AppError('usage', `${option.name} can't be “${String(value)}”.`, {
					hint: 'Select one of the values that the session offers.',
				});
			}

			if (id === ids.mode) {
				await setMode(modeOf(value));
			} else if (id === ids.model) {
				store.getState().setModel(value);
			} else {
				store.getState().setEffort(
					store.getState().model ?? '',
					efforts.find(each => each === value),
				);
			}
		},
	};
}

function select(
	id: string,
	name: string,
	currentValue: string,
	options: SessionConfigSelectOption[],
	category = id,
): SessionConfigOption {
	return {type: 'select', id, name, category, currentValue, options};
}

/** Returns the option for how much a model thinks; undefined for a model that has none. */
async function effortOption(store: AppStore, model: string | undefined): Promise<SessionConfigOption | undefined> {
	if (model === undefined) {
		return undefined;
	}

	const {provider, name} = parseModelId(model);
	const {takesEffort} = await import('../providers/effort.ts');
	if (provider === 'demo' || !takesEffort(provider, name)) {
		return undefined;
	}

	const values = [ownEffort, ...efforts].map(value => ({value, name: value}));
	return select(ids.effort, 'Effort', effortOf(store.getState(), model) ?? ownEffort, values, 'thought_level');
}

/** Returns the models that need no further key. Never throws. */
async function usableModels(context: CommandContext): Promise<readonly string[]> {
	const choices = await modelChoices(context).catch(() => []);
	return choices.flatMap(({id, group}) => (group === modelGroups.ready ? [id] : []));
}
