import * as z from 'zod/mini';
import type {SandboxAddress} from '../../client/sandbox-services.ts';
import {AppError} from '../../core/error.ts';
import {isLoopback, isWithin} from '../../core/origin.ts';
import type {Approval} from '../../core/session/approval.ts';
import type {Tool, ToolContext} from '../../core/session/tool.ts';
import {type AddressKind, kindOfHost} from '../../net/web/address-kind.ts';
import type {SendWeb, WebResponse} from '../../net/web/web-request.ts';
import {cutResult, isTooLong} from '../answer-call.ts';
import {refusal} from '../policy/rules/rule.ts';
import {defineTool} from './define-tool.ts';
import description from './fetch-url.md';
import {describeResponse} from './web/response-text.ts';
import {assertAllowed, readTarget, readUrl, type WebTarget} from './web/web-target.ts';

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

type FetchOptions = {
	readonly send: SendWeb;
	/** Returns the sandbox of the user with a service at this URL. */
	readonly sandboxAt: (url: string) => SandboxAddress | undefined | Promise<SandboxAddress | undefined>;
	/** True if requests to other machines go through a proxy, which resolves their names itself. */
	readonly isProxied?: boolean;
	/** Allows plain HTTP to other machines (SAFETY 9). */
	readonly insecureHttp: boolean;
	/** How long one request may take, with its whole body. */
	readonly timeoutMs: number;
	readonly maxBytes: number;
};

const maxRedirects = 3;
/** Most addresses of a host that the user is asked about. */
const maxAddresses = 3;
const redirects: readonly number[] = [301, 302, 303, 307, 308];

/** Headers that go to another host after a redirect. All others may hold what was meant for the first one (SAFETY 7). */
const portable: readonly string[] = ['accept', 'accept-language'];

type Context = Pick<ToolContext, 'approve' | 'signal'>;

/**
 * Sends a request that the user allows, and follows the redirects of one that reads: up to three, asking again for another
 * host (SAFETY 16). Throws `AppError` if the user refuses, and as `SendWeb`.
 */
async function fetchPage(
	target: WebTarget,
	context: Context,
	options: FetchOptions,
): Promise<{readonly url: URL; readonly method: string; readonly response: WebResponse}> {
	await ask(await requestFor(target, options), context);
	let current = target;
	for (let followed = 0; ; followed++) {
		const {url, method} = current;
		const response = await sendAllowed(current, context, options);
		const location = redirects.includes(response.status) ? response.headers['location'] : undefined;
		if (location === undefined || !isReading(method)) {
			return {url, method, response};
		}

		if (followed >= maxRedirects) {
			throw new AppError('network', `${url.host} redirected more than ${maxRedirects} times in a row.`);
		}

		current = await follow(current, location, context, options);
	}
}

function isReading(method: string): boolean {
	return method === 'GET' || method === 'HEAD';
}

async function follow(from: WebTarget, location: string, context: Context, options: FetchOptions): Promise<WebTarget> {
	const url = readUrl(location, options.insecureHttp, from.url);
	const isUpgraded = url.host === from.url.host && url.protocol === 'https:';
	if (url.origin === from.url.origin || isUpgraded) {
		return {...from, url};
	}

	const headers = Object.fromEntries(Object.entries(from.headers).filter(([name]) => portable.includes(name)));
	const target = {...from, url, headers};
	const request = await requestFor(target, options);
	await ask({...request, facts: [['Redirected from', from.url.href], ...(request.facts ?? [])]}, context);
	return target;
}

/** Sends an allowed request. If its host leads elsewhere than its name tells, the user is asked about that address first. */
async function sendAllowed(target: WebTarget, context: Context, options: FetchOptions): Promise<WebResponse> {
	const {url} = target;
	const {timeoutMs, maxBytes, send, sandboxAt} = options;
	const sandbox = trustedSandbox(url, await sandboxAt(url.href));
	const credential = sandbox?.credentials.find(({origin}) => isWithin(url, origin));
	const kind = kindOfHost(url.hostname) ?? 'internet';
	const agreed: string[] = [];
	for (;;) {
		const signal = AbortSignal.any([context.signal, AbortSignal.timeout(timeoutMs)]);
		const response = await send({...target, credential, kind, agreed, maxBytes, signal});
		if (!('elsewhere' in response)) {
			return response;
		}

		const {elsewhere, address} = response;
		assertAllowed(elsewhere, `${url.hostname} leads to ${address}, which`);
		if (agreed.length >= maxAddresses) {
			throw new AppError('network', `${url.hostname} leads elsewhere each time.`);
		}

		await ask(requestAt(target, address, elsewhere), context);
		agreed.push(address);
	}
}

async function ask(request: Approval, {approve}: Context): Promise<void> {
	const permission = await approve(request);
	if (!permission.allowed) {
		throw refusal('The user did not allow this request. Nothing was sent.', permission.reason);
	}
}

const unchecked = ['Proxy', 'it resolves the name; where that leads can’t be checked here'] as const;

/** Returns the question for a request, with the exact bytes that are sent. */
async function requestFor(target: WebTarget, {sandboxAt, isProxied = false}: FetchOptions): Promise<Approval> {
	const {method, url} = target;
	const sandbox = trustedSandbox(url, await sandboxAt(url.href));
	// A name leads where the proxy says, which may differ from what this machine finds.
	const proxy = isProxied && kindOfHost(url.hostname) === undefined ? [unchecked] : [];
	const where = sandbox ? ` in your sandbox ${sandbox.name}` : placeOf(kindOfHost(url.hostname));
	const verb = method === 'GET' ? 'Fetch' : `Send ${method} to`;
	return {
		act: {kind: 'fetch', url: url.href, method},
		summary: `${verb} ${shortUrl(url)}${where}?`,
		// All services of a sandbox are one question: whatever is sent there stays in it.
		subject: sandbox
			? `fetch the services of sandbox ${sandbox.environment}: ${sandbox.origins.join(' ')}`
			: subjectOf(target),
		keepsSubject: sandbox !== undefined,
		facts: [...factsOf(target), ...proxy, ...(sandbox ? factsOfSandbox(sandbox) : [])],
	};
}

function factsOfSandbox({origins, credentials}: SandboxAddress): ReadonlyArray<readonly [string, string]> {
	const token = credentials.length > 0 ? [['Header', 'x-api-key: the execute token of the sandbox'] as const] : [];
	return [...token, ['Services', origins.join(' ')]];
}

/** Returns the sandbox with this service. A server elsewhere can't name addresses of the user's machine or network. */
function trustedSandbox({hostname, origin}: URL, sandbox: SandboxAddress | undefined) {
	const kind = kindOfHost(hostname);
	const isNear = kind === 'machine' || kind === 'network';
	const server = sandbox && new URL(sandbox.server);
	return server && (!isNear || isLoopback(server) || server.origin === origin) ? sandbox : undefined;
}

/** Returns the question for a host that leads to the user's machine or network. Rules for its name don't cover that. */
function requestAt(target: WebTarget, address: string, kind: AddressKind): Approval {
	const {method, url} = target;
	const actual = new URL(url);
	actual.hostname = address.includes(':') ? `[${address}]` : address;
	return {
		act: {kind: 'fetch', url: actual.href, method},
		summary: `${url.hostname} is ${address}${placeOf(kind)}. Continue?`,
		subject: `${subjectOf(target)}\nat ${address}`,
		facts: factsOf(target),
	};
}

function placeOf(kind: AddressKind | undefined): string {
	switch (kind) {
		case 'machine':
			return ' on your own machine';
		case 'network':
			return ' on your own network';
		default:
			return '';
	}
}

const maxSummaryUrl = 120;

function shortUrl({href}: URL): string {
	return href.length > maxSummaryUrl ? `${href.slice(0, maxSummaryUrl)}…` : href;
}

function factsOf({method, url, headers, body}: WebTarget): ReadonlyArray<readonly [string, string]> {
	return [
		['Request', `${method} ${url.href}`],
		...Object.entries(headers).map(([name, value]) => ['Header', `${name}: ${value}`] as const),
		...(body === undefined ? [] : [['Body', body] as const]),
	];
}

function subjectOf({method, url, headers, body}: WebTarget): string {
	return `fetch ${JSON.stringify([method, url.href, headers, body ?? null])}`;
}
