import * as z from 'zod/mini';
import {AppError} from '../../core/error.ts';
import type {Tool} from '../../core/session/tool.ts';
import {cutResult, isTooLong} from '../answer-call.ts';
import {defineTool} from './define-tool.ts';
import description from './fetch-url.md';
import {type FetchOptions, fetchPage} from './web/fetch-page.ts';
import {describeResponse} from './web/response-text.ts';
import {readTarget} from './web/web-target.ts';

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;
const limits = {timeoutMs: 30_000, maxBytes: 5 * 1024 * 1024};

export type FetchUrlOptions = Omit<FetchOptions, keyof typeof limits> &
	Partial<typeof limits> & {
		/** Masks the credentials of the user. A request that has one is never sent (SAFETY 6). */
		readonly hide: (text: string) => string;
		/** Keeps a long text in a file that read_file may read. Returns its path; undefined if that is not possible. */
		readonly keep?: (text: string) => Promise<string | undefined>;
	};

/** Creates the tool that fetches a URL, after asking (SAFETY 16). */
export function createFetchUrl({hide, keep, ...options}: FetchUrlOptions): Tool {
	return defineTool({
		name: 'fetch_url',
		description,
		readOnly: false,
		readOn: 'Fetch a more specific page.',
		arguments: z.strictObject({
			url: z.string().check(z.minLength(1), z.describe('Absolute https URL.')),
			method: z.optional(z.enum(methods).check(z.describe(`One of ${methods.join(', ')}; GET by default.`))),
			headers: z.optional(
				z.record(z.string(), z.string()).check(z.describe('Request headers, an object of name to value.')),
			),
			body: z.optional(z.string().check(z.describe('Request body; not for GET and HEAD.'))),
		}),

		async run({url, method = 'GET', headers = {}, body}, context) {
			const target = readTarget({url, method, headers, body}, options.insecureHttp);
			const sent = [target.url.href, ...Object.values(target.headers), body ?? ''];
			if (sent.some(text => hide(text) !== text)) {
				throw new AppError('failed', 'This request has a credential in it. Nothing was sent.', {
					hint: 'Leave it out, or tell the user to send it.',
				});
			}

			const text = await describeResponse(await fetchPage(target, context, {...limits, ...options}), context);
			const path = isTooLong(text) ? await keep?.(text) : undefined;
			return path === undefined ? text : cutResult(text, `All of it: ${path} (use read_file with offset and limit).`);
		},
	});
}
