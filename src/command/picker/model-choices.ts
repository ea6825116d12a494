import {resolveKey} from '../../config/provider-keys.ts';
import {reportError} from '../../core/error.ts';
import {formatCount} from '../../core/format.ts';
import {demoModel, parseModelId} from '../../core/model.ts';
import type {Choice} from '../../core/question.ts';
import type {Price} from '../../core/session/usage.ts';
import {registry} from '../../providers/registry.ts';
import type {CommandContext} from '../context.ts';

/** What the details of a model are, and what it needs. */
const groups = {
	ready: 'Ready · context, $ per million tokens in and out',
	needsKey: 'These need an API key',
} as const;

/** Returns the size of the context window and the prices, in columns. */
function factsOf(contextWindow: number | undefined, price: Price | undefined): string {
	const size = contextWindow ? formatCount(contextWindow) : '';
	// Two decimals, or three: the points stand below each other.
	const dollars = (value: number) => `$${value.toFixed(3).replace(/0$/, ' ')}`.padStart(8);
	const prices = price ? ` ${dollars(price.input)} ${dollars(price.output)}` : '';
	return `${size.padStart(5)}${prices}`.trimEnd();
}

/** Returns the choices of `/model`: models that can be used now come first, those that need an API key after them. */
export async function modelChoices({program, signal, ui: {interact}}: CommandContext): Promise<readonly Choice[]> {
	const {models: known, priceOf} = await program.models.catalog();
	const data = program.local.config.read();
	const usable = (id: string) => {
		const {provider} = parseModelId(id);
		return (
			provider === 'demo' || resolveKey(provider, {data, env: program.local.env, row: registry[provider]}) !== undefined
		);
	};

	const choices = known.map(({id, contextWindow}) => {
		const isReady = usable(id);
		const detail = factsOf(contextWindow, priceOf(id));
		return {isReady, choice: {id, label: id, detail, group: isReady ? groups.ready : groups.needsKey}};
	});
	const configured = await program.models.hostModels(signal).catch(error => {
		signal.throwIfAborted();
		const report = reportError(error);
		// Nothing of a build that was replaced can go on.
		if (report.code === 'failed') {
			throw error;
		}

		interact.say(report.message);
		return [];
	});
	// A local program at its usual address needs no configuration.
	const ids = configured.length > 0 ? configured : await program.models.foundModels(signal).catch(() => []);
	const ofHosts = ids.map(id => ({id, label: id, group: groups.ready}));
	const demo = {id: demoModel, label: demoModel, detail: 'demo model, no AI', group: groups.ready};
	const [ready, others] = [true, false].map(state =>
		choices.filter(({isReady}) => isReady === state).map(({choice}) => choice),
	);
	return [...(ready ?? []), ...(ofHosts.length > 0 ? ofHosts : [demo]), ...(others ?? [])];
}
