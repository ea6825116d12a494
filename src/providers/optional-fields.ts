import {AppError} from '../core/error.ts';
import type {JsonObject} from '../core/json.ts';
import {type Call, openChunks} from './chunks.ts';
import {refusalText, type Vendor} from './failure.ts';
import type {ProviderEvent, ProviderRequest} from './provider.ts';

/** A part of a request that some hosts refuse, and that an answer can do without. */
export type OptionalField = {
	readonly name: string;
	/** Whether the host's refusal, as it was sent, is about this part. */
	readonly isRefused: (refusal: string) => boolean;
	readonly without: (body: JsonObject) => JsonObject;
	/** What the user is told; nothing where nobody would miss it. */
	readonly notice?: (model: string) => string;
};

/** By host and model, the names of the parts that it has refused while this program runs. */
const refused = new Map<string, ReadonlySet<string>>();

/**
 * Sends a request as `openChunks` does and gives its chunks; yields what the user has to know. A host that refuses a part of it is asked once more without that part, and not
 * sent it again; a refusal has cost nothing, and the same question without it is another request, not a retry.
 */
export async function* openWithout(
	request: ProviderRequest,
	vendor: Vendor,
	{body, ...call}: Call,
	fields: readonly OptionalField[],
): AsyncGenerator<ProviderEvent, Awaited<ReturnType<typeof openChunks>>> {
	const host = `${request.baseUrl}\n${request.model}`;
	for (;;) {
		const names = refused.get(host) ?? new Set();
		const sent = fields.filter(({name}) => names.has(name)).reduce((rest, field) => field.without(rest), body);
		try {
			return await openChunks(request, vendor, {...call, body: sent});
		} catch (error) {
			const text = error instanceof AppError && error.code !== 'auth' ? refusalText(error) : '';
			const field = fields.find(
				({name, isRefused, without}) => text !== '' && !names.has(name) && isRefused(text) && without(sent) !== sent,
			);
			if (!field) {
				throw error;
			}

			refused.set(host, new Set([...names, field.name]));
			if (field.notice) {
				yield {type: 'notice', level: 'warning', text: field.notice(request.model)};
			}
		}
	}
}

/** A field of the body's top level that is left out where the refusal names it. */
export function optionalField(name: string, pattern: RegExp, notice?: OptionalField['notice']): OptionalField {
	return {
		name,
		isRefused: refusal => pattern.test(refusal),
		without(body) {
			const {[name]: value, ...rest} = body;
			return value === undefined ? body : rest;
		},
		...(notice && {notice}),
	};
}

const lacking = "(?:not|n't|un)[ -]?(?:support|allow|permit|enabled|available|implemented)";
const tool = String.raw`\b(?:tools?\b|tool[ _-]?(?:use|calls?|calling|choice)\b|function[ _-]call(?:s|ing)?\b)`;
const toolRefusals = [
	new RegExp(String.raw`${lacking}[^.\n]{0,60}${tool}`, 'i'),
	new RegExp(String.raw`${tool}[^.\n]{0,60}${lacking}`, 'i'),
	/(?:unknown|unrecognized|unexpected|extra)[^.\n]{0,60}\btools\b/i,
	/no endpoints found that support tool|tool[ _]choice[^.\n]{0,40}requires|tools param requires/i,
];

/** Tools, which small models and the hosts of many others do not know. */
export const optionalTools: OptionalField = {
	...optionalField('tools', /$^/, model => `${model} doesn’t support tools. Continuing without them.`),
	isRefused: refusal => toolRefusals.some(pattern => pattern.test(refusal)),
};
