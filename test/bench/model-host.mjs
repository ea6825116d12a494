import {once} from 'node:events';
import {createServer} from 'node:http';
import {performance} from 'node:perf_hooks';

const words =
	'the server keeps a list of every session and **writes** each record before `append` returns so nothing is lost'.split(
		' ',
	);

/** Returns the text of a token: words in paragraphs of Markdown, with lists and code between them. */
function token(index) {
	const place = index % 120;
	if (place === 0) {
		return '\n\n';
	}

	if (place > 70 && place < 90) {
		return place % 6 === 5 ? '\n- ' : `${words[index % words.length]} `;
	}

	if (place === 90) {
		return '\n\n```ts\n';
	}

	if (place > 90 && place < 112) {
		return place % 7 === 0 ? ';\n' : `const value${place} = `;
	}

	return place === 112 ? '\n```\n\n' : `${words[index % words.length]} `;
}

/** The answers by name, each a list of tokens. */
const answers = {
	/** An answer of 30 lines. */
	turn: () =>
		Array.from({length: 30}, (_, line) => `Line ${line} of an answer with **some** \`code\` and a few words.\n\n`),
	lines: () => Array.from({length: 2000}, (_, line) => `Line ${line} with **some** words.${line % 8 ? '\n' : '\n\n'}`),
	stream: () => Array.from({length: 2000}, (_, index) => token(index)),
	burst: () => Array.from({length: 20_000}, (_, index) => token(index)),
};

/** How long a token of the answer `stream` takes: 200 a second. */
const tokenMs = 5;

/** Starts a provider with a Chat Completions API. The last word of a message names the answer. */
export async function startModelHost() {
	let [askedAt, endedAt] = [0, 0];
	const server = createServer(async (request, response) => {
		// Other programs ask for more than answers when they start, such as a list of models.
		if (!request.url.endsWith('/chat/completions')) {
			request.resume();
			response.writeHead(404).end();
			return;
		}

		askedAt = performance.now();
		const name = nameOf(await textOf(request));
		const tokens = answers[name]?.() ?? ['Nothing'];
		response.writeHead(200, {'content-type': 'text/event-stream'});
		const events = [...tokens.map(content => event({content})), event({content: '\n\nTHE END'})];
		await (name === 'stream' ? paced(response, events) : write(response, events.join('')));
		response.end(`${event({}, 'stop')}data: [DONE]\n\n`, () => {
			endedAt = performance.now();
		});
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	const origin = `http://127.0.0.1:${server.address().port}`;
	return {
		origin,
		env: {CUSTOM_BASE_URL: `${origin}/v1`, CUSTOM_API_KEY: 'bench'},
		/** Returns the time at which the last request arrived. */
		askedAt: () => askedAt,
		/** Returns the time at which the last answer was sent. */
		endedAt: () => endedAt,
		close() {
			server.closeAllConnections();
			server.close();
		},
	};
}

async function textOf(request) {
	let text = '';
	for await (const chunk of request) {
		text += chunk;
	}

	return text;
}

/** Returns the last word of the last message of the user. */
function nameOf(body) {
	const message = JSON.parse(body).messages.findLast(({role}) => role === 'user');
	const text = typeof message.content === 'string' ? message.content : message.content.map(part => part.text).join(' ');
	return text.trim().split(/\s+/).at(-1);
}

function event(delta, finish) {
	return `data: ${JSON.stringify({choices: [{index: 0, delta, ...(finish && {finish_reason: finish})}]})}\n\n`;
}

/** Writes each event at its time: after a late timer several at once. */
async function paced(response, events) {
	const startedAt = performance.now();
	for (let next = 0; next < events.length; ) {
		const due = Math.min(events.length, Math.floor((performance.now() - startedAt) / tokenMs) + 1);
		await write(response, events.slice(next, due).join(''));
		next = due;
		await new Promise(resolve => setTimeout(resolve, tokenMs));
	}
}

async function write(response, text) {
	if (text && !response.write(text)) {
		await once(response, 'drain');
	}
}
