import {AppError} from '../core/error.ts';
import type {JsonObject} from '../core/json.ts';
import type {Transport} from '../net/transport.ts';
import {type Call, openChunks} from './chunks.ts';
import {refusalText, type Vendor} from './failure.ts';
import type {ProviderEvent, ProviderRequest} from './provider.ts';

/** A field of a request that some hosts refuse, and that isn't essential. */
export type OptionalField = {
	readonly name: string;
	/** True if the text of a refusal is about this field. */
	readonly isRefused: (refusal: string) => boolean;
	readonly without: (body: JsonObject) => JsonObject;
	/** Returns the message for the user; left out if the user doesn't need to know. */
	readonly notice?: (model: string) => string;
};

/** The names of the fields that a host and model refused, for each transport. */
const refusedBy = new WeakMap<Transport, Map<string, ReadonlySet<string>>>();

/**
 * Sends a request like `openChunks` and returns its chunks; yields notices for the user. If a host refuses an optional
 * field, the request is sent again without it, as are later ones of its transport. That isn't a retry: a refusal costs nothing.
 */
export async function* openWithout(
	request: ProviderRequest,
	vendor: Vendor,
	{body, ...call}: Call,
	fields: readonly OptionalField[],
): AsyncGenerator<ProviderEvent, Awaited<ReturnType<typeof openChunks>>> {
	const host = `${request.baseUrl}\n${request.model}`;
	const refused = refusedBy.get(request.transport) ?? new Map<string, ReadonlySet<string>>();
	refusedBy.set(request.transport, refused);
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

/** Creates an optional field for the top level of the body. `pattern` matches a refusal of it. */
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

/** Tools, which small models and many hosts don't support. */
export const optionalTools: OptionalField = {
	...optionalField('tools', /$^/, model => `${model} doesn't support tools. Continuing without them.`),
	isRefused: refusal => toolRefusals.some(pattern => pattern.test(refusal)),
};
