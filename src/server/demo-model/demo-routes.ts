import type {InferenceInfo} from '../../contract/resources/preferences.ts';
import {parseModelId, servedDemoModel} from '../../core/model.ts';
import {readJsonBody} from '../kit/body.ts';
import {errorResponse} from '../kit/http-error.ts';
import type {RouteRequest, ServerRoute} from '../kit/route.ts';
import {chatSchema} from './chat.ts';
import {streamCompletion, wholeCompletion} from './completion.ts';

/** The demo model as listed in the catalog. It needs no key and is free. */
export const demoModelInfo: InferenceInfo = {
	id: servedDemoModel,
	name: 'Demo model, no AI',
	provider: 'custom',
	has_required_keys: true,
	required_api_keys: [],
	is_system_model: true,
	capabilities: ['tools', 'reasoning'],
	context_window: 32_000,
	cost_input: 0,
	cost_output: 0,
	modalities_input: ['text'],
	modalities_output: ['text'],
};

/** Its name in this server's list of models, without its provider. */
const {name} = parseModelId(servedDemoModel);

export type DemoOptions = {
	/** The speed relative to a real model, 1 by default; Infinity for no delay. */
	readonly speed?: number;
};

/** The routes of the demo model, compatible with OpenAI's Chat Completions. */
export function demoRoutes(options: DemoOptions): readonly ServerRoute[] {
	return [
		{
			method: 'GET',
			path: '/v1/models',
			auth: 'credential',
			handle: () =>
				Response.json({object: 'list', data: [{id: name, object: 'model', created: 0, owned_by: 'service'}]}),
		},
		{method: 'POST', path: '/v1/chat/completions', auth: 'credential', handle: request => complete(request, options)},
	];
}

async function complete({request, url}: RouteRequest, options: DemoOptions): Promise<Response> {
	const parsed = chatSchema.safeParse(await readJsonBody(request));
	if (!parsed.success) {
		const places = parsed.error.issues.map(({path}) => ['body', ...path].join('.'));
		return errorResponse(
			url,
			400,
			`This is not a valid chat request. Check ${[...new Set(places)].slice(0, 5).join(', ')}.`,
		);
	}

	const chat = parsed.data;
	if (chat.model !== name) {
		return errorResponse(url, 404, `Model not found: “${chat.model.slice(0, 100)}”. This server has “${name}”.`);
	}

	return chat.stream
		? eventStream(signal => streamCompletion(chat, options, signal))
		: Response.json(wholeCompletion(chat));
}

/**
 * Streams texts as server-sent events. The body is pulled, so a slow reader slows the generator down. When the reader
 * disconnects, the generator's `signal` aborts and its `finally` runs.
 */
export function eventStream(start: (signal: AbortSignal) => AsyncGenerator<string>): Response {
	const stop = new AbortController();
	const events = start(stop.signal);
	const encoder = new TextEncoder();
	const body = new ReadableStream<Uint8Array>(
		{
			async pull(controller) {
				const next = await events.next();
				if (next.done) {
					controller.close();
				} else {
					controller.enqueue(encoder.encode(`data: ${next.value}\n\n`));
				}
			},
			async cancel() {
				stop.abort();
				await events.return(undefined);
			},
		},
		{highWaterMark: 0},
	);
	return new Response(body, {headers: {'content-type': 'text/event-stream', 'cache-control': 'no-store'}});
}
