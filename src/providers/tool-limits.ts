import type {ProviderName} from '../core/provider-rows.ts';

/** Most tools in one request, where the vendor's API has no limit that we know: that of OpenAI, which most hosts copy. */
const usual = 128;
const ofVendor: Partial<Record<ProviderName, number>> = {anthropic: 1000, google: 512};

/** What hosts said, by `provider/model-name`, since the program started. */
const learned = new Map<string, number>();

/** Returns the most tools that a request to a model, `provider/model-name`, may carry. */
export function toolLimitOf(modelId: string): number {
	const vendor = modelId.slice(0, modelId.indexOf('/')) as ProviderName;
	return learned.get(modelId) ?? ofVendor[vendor] ?? usual;
}

/** Keeps the lowest limit that a host has named for a model. */
export function learnToolLimit(modelId: string, limit: number): void {
	learned.set(modelId, Math.min(limit, learned.get(modelId) ?? limit));
}
