import {type ChatQuirks, type ProviderName, providerRows} from '../../core/provider-rows.ts';
import type {Vendor} from '../failure.ts';

/** A host of Chat Completions, and how it differs from others. */
export type Quirks = Vendor & ChatQuirks;

const defaults: ChatQuirks = {
	asksForUsage: false,
	maxTokensField: 'max_tokens',
	callId: /^.{1,64}$/,
	takesReasoning: false,
	marksCache: false,
	answersBeforeUser: false,
};

/** Returns the quirks of a provider: those of its row, and the defaults. */
export function quirksOf(name: ProviderName): Quirks {
	const {label, quirks} = providerRows[name];
	return {...defaults, ...quirks, name, label};
}
