import {type ChatQuirks, type ProviderName, providerRows} from '../../core/provider-rows.ts';
import type {Vendor} from '../failure.ts';

/** A host of Chat Completions, and how it differs from others. */
export type Quirks = Vendor & ChatQuirks;

const defaults: ChatQuirks = {
	asksForUsage: false,
	maxTokensField: 'max_tokens',
	// OpenAI's own limit, which Azure and Copilot have too.
	callId: /^.{1,40}$/,
	takesReasoning: false,
	marksCache: false,
	answersBeforeUser: false,
};

const made = new Map<ProviderName, Quirks>();

/** Returns the quirks of a provider: those of its row, and the defaults. They are the same object each time. */
export function quirksOf(name: ProviderName): Quirks {
	const {label, quirks} = providerRows[name];
	const own = made.get(name) ?? {...defaults, ...quirks, name, label};
	made.set(name, own);
	return own;
}
