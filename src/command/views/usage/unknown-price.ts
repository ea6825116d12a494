import {costOfMessage, type PriceOf, type Spent} from '../../../core/session/usage.ts';
import {shellWord} from '../../../core/shell-word.ts';

/** Returns the models of requests whose cost is unknown, each once. */
export function unpricedModels(requests: Iterable<Spent>, priceOf: PriceOf): readonly string[] {
	const unpriced = [...requests].filter(request => costOfMessage(request, priceOf) === null);
	return [...new Set(unpriced.map(({model}) => model))];
}

/** Returns how to set the price of a model. */
export function setPriceNote(model: string): string {
	return `Set US dollars per million tokens, in and out: \`config set ${shellWord(`prices.${model}`)} 3,15\``;
}
