import {once} from 'node:events';
import {createServer} from 'node:http';
import {performance} from 'node:perf_hooks';
import {wireFormats} from './wire-formats.mjs';

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

/** The answers by name, each a list of tokens; an unknown one is empty but for its end. */
const answers = {
	/** An answer of 30 lines. */
	turn: () =>
		Array.from({length: 30}, (_, line) => `Line ${line} of an answer with **some** \`code\` and a few words.\n\n`),
	lines: () => Array.from({length: 2000}, (_, line) => `Line ${line} with **some** words.${line % 8 ? '\n' : '\n\n'}`),
	stream: () => Array.from({length: 2000}, (_, index) => token(index)),
	burst: () => Array.from({length: 20_000}, (_, index) => token(index)),
	/** A short answer that comes as most do: its first piece, 40 more at a pace, and its end. */
	pieces: () => Array.from({length: 40}, (_, index) => token(index + 1)),
};

/** How long a token of the answers that come at a pace takes: 200 and 50 a second. */
const tokenMs = {stream: 5, pieces: 20};

/** Returns the last word of an answer: Cyrillic, so that no cell of it was there before. Some programs draw only what changed. */
const endOf = answer => String.fromCodePoint('А'.codePointAt(0) + (answer % 32)).repeat(9);

/** Returns the first word of an answer, in Greek. */
const beginningOf = answer => String.fromCodePoint('Α'.codePointAt(0) + (answer % 16)).repeat(9);

/**
 * Starts a provider that speaks the formats of `wireFormats`. The last `answer-` in a request names the answer. A request
 * without tools, such as for the title of a session, gets a word.
 */
export async function startModelHost() {
	let [askedAt, begunAt, endedAt, answered] = [0, 0, 0, 0];
	const server = createServer(async (request, response) => {
		const [path] = request.url.split('?', 1);
		const open = Object.entries(wireFormats).find(([end]) => path.endsWith(end))?.[1];
		// Other programs ask for more than answers when they start, such as a list of models.
		if (!open || request.method !== 'POST') {
			request.resume();
			response.writeHead(404).end();
			return;
		}

		const arrivedAt = performance.now();
		const body = await textOf(request);
		const name = JSON.parse(body).tools?.length > 0 ? [...body.matchAll(/answer-(\w+)/g)].at(-1)?.[1] : undefined;
		askedAt = name ? arrivedAt : askedAt;
		const first = name === 'pieces' ? [`${beginningOf(answered)} `] : [];
		const tokens = name ? [...first, ...(answers[name]?.() ?? []), `\n\n${endOf(answered++)}`] : ['Nothing'];
		const stream = open();
		response.writeHead(200, {'content-type': 'text/event-stream'});
		const [piece, ...pieces] = tokens.map(stream.piece);
		const events = [stream.begin + piece, ...pieces];
		begunAt = name ? performance.now() : begunAt;
		await (tokenMs[name] ? paced(response, events, tokenMs[name]) : write(response, events.join('')));
		response.end(stream.end, () => {
			endedAt = name ? performance.now() : endedAt;
		});
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	const origin = `http://127.0.0.1:${server.address().port}`;
	return {
		origin,
		env: {CUSTOM_BASE_URL: `${origin}/v1`, CUSTOM_API_KEY: 'bench'},
		/** Returns the word that the next answer ends with. */
		nextEnd: () => endOf(answered),
		/** Returns the word that the next answer begins with, if it comes in pieces. */
		nextBeginning: () => beginningOf(answered),
		/** Returns the time at which the first piece of the last answer was sent. */
		begunAt: () => begunAt,
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

/** Writes each event at its time: after a late timer several at once. */
async function paced(response, events, tokenMs) {
	const startedAt = performance.now();
	for (let next = 0; next < events.length; ) {
		const due = Math.min(events.length, Math.floor((performance.now() - startedAt) / tokenMs) + 1);
		await write(response, events.slice(next, due).join(''));
		next = due;
		if (next < events.length) {
			await new Promise(resolve => setTimeout(resolve, tokenMs));
		}
	}
}

async function write(response, text) {
	if (text && !response.write(text)) {
		await once(response, 'drain');
	}
}
