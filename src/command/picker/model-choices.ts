import {resolveKey} from '../../config/provider-keys.ts';
import {reportError} from '../../core/error.ts';
import {formatCount} from '../../core/format.ts';
import {demoModel, parseModelId} from '../../core/model.ts';
import {registry} from '../../providers/registry.ts';
import type {Choice} from '../../store/view-slice.ts';
import type {CommandContext} from '../context.ts';

/** Returns the choices of `/model`: models that are ready come first; the others say what is missing. */
export async function modelChoices({
	models,
	config,
	env,
	signal,
	interact,
}: CommandContext): Promise<readonly Choice[]> {
	const {models: known, priceOf} = await models.catalog();
	const data = config.read();
	const usable = (id: string) => {
		const {provider} = parseModelId(id);
		return resolveKey(provider, {data, env, row: registry[provider]}) !== undefined;
	};

	const choices = known.map(({id, contextWindow}) => {
		const price = priceOf(id);
		const missing = usable(id) ? [] : ['needs a key'];
		const facts = [
			...(contextWindow ? [`${formatCount(contextWindow)} context`] : []),
			...(price ? [`$${price.input} in, $${price.output} out per million`] : []),
		];
		return {ready: missing.length === 0, choice: {id, label: id, detail: [...missing, ...facts].join(' · ')}};
	});
	const ids = await models.hostModels(signal).catch(error => {
		signal.throwIfAborted();
		interact.say(reportError(error).message);
		return [];
	});
	const ofHosts = ids.map(id => ({id, label: id}));
	const demo = {id: demoModel, label: demoModel, detail: 'demo model, no AI'};
	const [ready, others] = [true, false].map(state =>
		choices.filter(choice => choice.ready === state).map(({choice}) => choice),
	);
	return [...(ready ?? []), ...(ofHosts.length > 0 ? ofHosts : [demo]), ...(others ?? [])];
}
