import {randomInt} from 'node:crypto';
import {once} from 'node:events';
import {createServer} from 'node:net';

/**
 * Returns a port of loopback where nothing listens. The system gives it to nobody in the meantime, as it does with one that it
 * gave to a server before: it is below those that Linux, macOS and Windows give.
 */
export async function freePort(): Promise<number> {
	for (;;) {
		const port = randomInt(20_000, 30_000);
		const server = createServer().listen(port, '127.0.0.1');
		const isFree = await once(server, 'listening').then(
			() => true,
			() => false,
		);
		server.close();
		if (isFree) {
			await once(server, 'close');
			return port;
		}
	}
}
