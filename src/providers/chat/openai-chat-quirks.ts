import {type ChatQuirks, type ProviderName, providerRows} from '../../core/provider-rows.ts';
import type {Vendor} from '../failure.ts';

/** How a host differs from the others that speak Chat Completions, and who it is. */
export type Quirks = Vendor & ChatQuirks;

const usual: ChatQuirks = {
	asksForUsage: false,
	maxTokensField: 'max_tokens',
	callId: /^.{1,64}$/,
	takesReasoning: false,
	marksCache: false,
	answersBeforeUser: false,
};

/** Returns the quirks of a provider: the usual ones but for what its row says. */
export function quirksOf(name: ProviderName): Quirks {
	const {label, quirks} = providerRows[name];
	return {...usual, ...quirks, name, label};
}
