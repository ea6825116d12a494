import {createFetchUrl, type FetchUrlOptions} from '../../../../src/agent/tools/fetch-url.ts';
import type {Environment} from '../../../../src/core/environment.ts';
import type {JsonObject} from '../../../../src/core/json.ts';
import type {Approval, ApprovalAnswer} from '../../../../src/core/session/approval.ts';
import {createWebRequests, type Resolve} from '../../../../src/net/web/web-request.ts';
import {toolContext} from '../workspace.ts';

type Options = Partial<FetchUrlOptions> & {
	readonly answer?: (request: Approval) => ApprovalAnswer;
	readonly env?: Environment;
	readonly signal?: AbortSignal;
	/** The addresses of names; no name has any by default. */
	readonly names?: Readonly<Record<string, readonly string[]>>;
};

/** Creates the tool over real sockets. Every request is allowed by default. */
export function openFetch({answer = () => ({allowed: true}), env = {}, names = {}, signal, ...options}: Options = {}) {
	const asked: Approval[] = [];
	const resolved: string[] = [];
	const resolve: Resolve = async hostname => {
		resolved.push(hostname);
		return (names[hostname] ?? []).map(address => ({address, family: address.includes(':') ? 6 : 4}));
	};
	const tool = createFetchUrl({
		send: createWebRequests({env, userAgent: 'service/test', resolve}),
		sandboxAt: () => undefined,
		insecureHttp: false,
		hide: text => text,
		...options,
	});
	const context = {
		...toolContext(),
		...(signal && {signal}),
		workspace: '/',
		async approve(request: Approval) {
			asked.push(request);
			return answer(request);
		},
	};
	return {asked, resolved, fetch: (args: JsonObject) => tool.run(args, context)};
}
