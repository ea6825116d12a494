import type {ProviderName} from '../core/provider-rows.ts';

/** Most tools in one request, where the vendor's API has no limit that we know: that of OpenAI, which most hosts copy. */
const usual = 128;
const ofVendor: Partial<Record<ProviderName, number>> = {anthropic: 1000, google: 512};

/** What hosts said since the program started, by their base URL and `provider/model-name`: two hosts may run one model. */
const learned = new Map<string, number>();

const keyOf = (modelId: string, baseUrl: string | undefined) => `${baseUrl}\n${modelId}`;

/** Returns the most tools that a request to a model, `provider/model-name`, at a host may carry. */
export function toolLimitOf(modelId: string, baseUrl: string | undefined): number {
	const vendor = modelId.slice(0, modelId.indexOf('/')) as ProviderName;
	return learned.get(keyOf(modelId, baseUrl)) ?? ofVendor[vendor] ?? usual;
}

/** Keeps the lowest limit that a host has named for a model. */
export function learnToolLimit(modelId: string, baseUrl: string, limit: number): void {
	const key = keyOf(modelId, baseUrl);
	learned.set(key, Math.min(limit, learned.get(key) ?? limit));
}
