import {connect, type Socket} from 'node:net';
import {setTimeout as sleep} from 'node:timers/promises';
import {atEnd} from '../net/servers.ts';
import {bearer, send, serve} from '../server/serve.ts';
import {createRandom, createTally, eachOf, type Fault} from './fault.ts';

/** What a client sends on a connection that it then keeps, in pieces that come slowly. */
const beginnings: readonly (readonly string[])[] = [
	[],
	['G'],
	['GET /api/v1/user/preferences HTTP/1.1\r\n', 'host: ', '127.0.0.1'],
	['POST /api/v1/user/api-keys HTTP/1.1\r\ncontent-length: 1000\r\n', 'content-type: application/json\r\n\r\n', '{'],
	['POST /api/v1/user/api-keys HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n', 'f', 'f'],
];

/** How many others are served meanwhile. */
const requests = 40;

export const idleSockets: Fault = {
	name: 'thousands of clients that connect and send nothing, a part of a request, or its bytes slowly: others are answered meanwhile',
	rules: [21],
	// Each takes two descriptors, of which a process has 20,000 where this was measured.
	amounts: {test: 150, full: 6000},
	async run({seed, amount}) {
		const random = createRandom(seed);
		const tally = createTally();
		const {url, bugs} = await serve();
		const {host, port} = new URL(url);
		const open = new Set<Socket>();
		atEnd(() => {
			for (const socket of open) {
				socket.destroy();
			}
		});
		await eachOf([...Array(amount).keys()], 100, async index => {
			const socket = connect(Number(port), '127.0.0.1').on('error', () => undefined);
			open.add(socket);
			await tally.attempt(
				`connection ${index}`,
				() =>
					new Promise((resolve, reject) => {
						socket.once('connect', resolve).once('error', reject);
					}),
			);
			for (const piece of random.pick(beginnings)) {
				socket.write(piece);
				await sleep(1);
			}
		});
		for (let index = 0; index < requests; index += 1) {
			await tally.attempt(`request ${index} beside ${open.size} connections`, async () => {
				const {status, text} = await send(url, {path: '/api/v1/user/preferences', headers: {...bearer, host}});
				if (status !== 200) {
					throw new Error(`${status} ${text}`);
				}
			});
		}

		tally.add(
			0,
			bugs.map(entry => JSON.stringify(entry)),
		);
		return tally.figure();
	},
};
