import {createServer} from 'node:http';
import {setTimeout as sleep} from 'node:timers/promises';

/**
 * Serves the exchanges of a recording on this machine, each once and in order, under `/<provider>`. With `isFast` it
 * skips the recorded pauses. Returns its URL.
 */
export async function startReplayHost(exchanges, {isFast = false} = {}) {
	const waiting = [...exchanges];
	const server = createServer(async (request, response) => {
		request.resume();
		const {pathname} = new URL(request.url, 'http://replay');
		const next = waiting.findIndex(
			({provider, path}) => pathname.startsWith(`/${provider}/`) && pathname.endsWith(path),
		);
		if (request.method === 'POST' && next !== -1) {
			const [exchange] = waiting.splice(next, 1);
			await answer(response, exchange, isFast);
			return;
		}

		const isList = request.method === 'GET' && pathname.endsWith('/models');
		response.writeHead(isList ? 200 : 404, {'content-type': 'application/json'});
		response.end(JSON.stringify(isList ? listOf(exchanges) : {error: {message: 'The recording has no more answers.'}}));
	});
	await new Promise(resolve => server.listen(0, '127.0.0.1', resolve));
	return {
		url: `http://127.0.0.1:${server.address().port}`,
		close() {
			server.closeAllConnections();
			return new Promise(resolve => server.close(resolve));
		},
	};
}

async function answer(response, {status, headers, chunks, isCut}, isFast) {
	const startedAt = performance.now();
	response.writeHead(status, headers);
	response.flushHeaders();
	for (const [atMs, text] of chunks) {
		const pauseMs = isFast ? 0 : atMs - (performance.now() - startedAt);
		if (pauseMs > 0) {
			await sleep(pauseMs);
		}

		response.write(text);
	}

	if (isCut) {
		response.socket?.destroySoon();
	} else {
		response.end();
	}
}

function listOf(exchanges) {
	return {object: 'list', data: [...new Set(exchanges.map(({model}) => model))].map(id => ({id, object: 'model'}))};
}

/** Returns the environment that sends the program's model requests to `url`. */
export function replayEnvironment(exchanges, url, providerRows) {
	const providers = [...new Set(exchanges.map(({provider}) => provider))];
	return Object.fromEntries(
		providers.flatMap(provider => {
			const {keyVariables, baseVariable, defaultBaseUrl = 'http://custom/v1'} = providerRows[provider];
			const below = new URL(defaultBaseUrl).pathname.replace(/\/$/, '');
			return [[baseVariable, `${url}/${provider}${below}`], ...keyVariables.slice(0, 1).map(name => [name, 'replay'])];
		}),
	);
}
