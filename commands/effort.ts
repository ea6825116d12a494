import * as z from 'zod/mini';
import {command} from '../src/command/command.ts';
import type {CommandContext} from '../src/command/context.ts';
import {unchanged} from '../src/command/result.ts';
import {saveSettings} from '../src/config/settings/saved-settings.ts';
import {efforts} from '../src/core/effort.ts';
import {AppError} from '../src/core/error.ts';
import {parseModelId} from '../src/core/model.ts';
import {effortOf} from '../src/store/connection-slice.ts';

const levels = [...efforts, 'default'] as const;

export default command({
	name: 'effort',
	summary: 'Select how much the model thinks before it answers',
	args: z.object({level: z.optional(z.enum(levels))}),
	positional: ['level'],
	describe: {level: 'low, medium, high, max, or default for what the model does by itself; omit it to select one'},
	examples: ['effort high', 'effort default'],
	whileRunning: true,

	async run({level}, context) {
		const {
			program: {
				store,
				local: {config},
			},
			ui: {interact},
		} = context;
		if (store.getState().agent) {
			const {setInAgent} = await import('../src/command/views/agent-options.ts');
			const inAgent = await setInAgent('effort', level, context);
			if (inAgent) {
				return inAgent;
			}
		}

		const model = await selectedModel(context);
		const stored = config.read().settings.efforts ?? {};
		const current = effortOf(store.getState(), model) ?? stored[model] ?? 'default';
		const chosen =
			level ??
			(await interact.choose({
				title: `How much ${model} thinks`,
				choices: levels.map(each => ({id: each, label: each, detail: meanings[each]})),
				current,
			}));
		const effort = efforts.find(each => each === chosen);
		if (chosen === undefined) {
			return unchanged;
		}

		const {[model]: _, ...others} = stored;
		await saveSettings(config, {efforts: effort ? {...others, [model]: effort} : others});
		store.getState().setEffort(model, effort);
		const text = effort
			? `${model} now thinks with ${effort} effort.`
			: `${model} now decides itself how much it thinks.`;
		return {kind: 'text', text, data: {model, effort: effort ?? null}};
	},
});

const meanings: Readonly<Record<(typeof levels)[number], string>> = {
	low: 'fast and cheap',
	medium: 'for most work',
	high: 'for hard problems',
	max: 'all that it can, slow and expensive',
	default: 'as the model decides',
};

/** Returns the selected model. Throws AppError("usage") if there is none, or if it is known to have no effort. */
async function selectedModel({program}: CommandContext): Promise<string> {
	const {takesEffort} = await import('../src/providers/effort.ts');
	const model = program.store.getState().model ?? program.local.config.read().settings.model;
	if (model === undefined) {
		throw new AppError('usage', 'No model selected.', {hint: 'Select one: `model use`'});
	}

	const {provider, name} = parseModelId(model);
	if (provider === 'demo' || !takesEffort(provider, name)) {
		throw new AppError('usage', `${model} has no reasoning effort.`, {
			hint: 'Select a model that reasons: `model use`',
		});
	}

	return model;
}
