import {type EnvironmentState, isOver} from '../../contract/resources/environment.ts';
import {rejectField} from '../kit/http-error.ts';
import {assertSameMachine, orProviderFault} from './provider-fault.ts';
import type {SandboxServices} from './sandboxing.ts';

type Where = {readonly sandboxId: string; readonly machine: string; readonly state: EnvironmentState};

type RequestContext = {
	readonly request: Request;
	/** Headers to add to the response. */
	readonly headers: Headers;
};

/**
 * Returns the log of a sandbox, with everything needed to tail it exactly: `?after=<offset>`, `X-Log-Offset` (after the
 * last byte of `logs`, so the next `after`), `X-Log-Start` (of its first byte: more than `after` if a part is gone, any
 * value for a new log), and `ETag` with `If-None-Match`. `X-Log-Ended` is the state of an environment that has ended.
 */
export async function respondWithLog(
	services: SandboxServices,
	{sandboxId, machine, state}: Where,
	{request, headers}: RequestContext,
): Promise<{logs: string} | Response> {
	const after = readAfter(new URL(request.url).searchParams.get('after'));
	const {provider} = services.sandboxes;
	await assertSameMachine(services, machine, 'show its log');
	const window = await orProviderFault(services, provider.readLog(sandboxId, {after}));
	// Before the first step there is no log.
	const {text, start, offset} = window ?? {text: '', start: 0, offset: 0};
	const tag = `"${start}-${offset}"`;
	headers.set('etag', tag);
	headers.set('x-log-start', String(start));
	headers.set('x-log-offset', String(offset));
	if (isOver(state)) {
		headers.set('x-log-ended', state);
	}

	return matchesTag(request.headers.get('if-none-match'), tag)
		? new Response(null, {status: 304, headers})
		: {logs: text};
}

function readAfter(text: string | null): number | undefined {
	if (text === null) {
		return undefined;
	}

	const after = Number(text);
	if (!/^\d+$/.test(text) || !Number.isSafeInteger(after)) {
		const msg = 'must be an offset in bytes, as X-Log-Offset gave it';
		rejectField(['query', 'after'], msg, 'invalid_offset');
	}

	return after;
}

/** `If-None-Match` uses weak comparison (RFC 9110, section 13.1.2). */
function matchesTag(list: string | null, tag: string): boolean {
	const tags = (list ?? '').split(',').map(part => part.trim().replace(/^W\//, ''));
	return tags.includes('*') || tags.includes(tag);
}
