import {request as ask, createServer} from 'node:http';
import {connect} from 'node:net';
import {join} from 'node:path';
import {onTestFinished} from 'vitest';
import {answerFault, type EngineFault} from '../providers/engine-fault.ts';
import {temporaryFolder} from '../sandbox.ts';

/** Starts a socket that passes requests on to an engine, or has what `faultOf` returns happen to them. */
export async function engineProxy(
	socketPath: string,
	faultOf: (name: string) => EngineFault | undefined,
): Promise<string> {
	const server = createServer((request, response) => {
		const {method = '', url: path = '', headers} = request;
		const fault = faultOf(`${method} ${path.replace(/^\/v1\.\d+/, '').split('?')[0]}`);
		if (answerFault(fault, request, response)) {
			return;
		}

		if (fault?.status !== undefined) {
			response.writeHead(fault.status, {'content-type': 'application/json'});
			response.end(JSON.stringify({message: 'no space left on device'}));
			return;
		}

		const passed = ask({socketPath, method, path, headers}, answer => {
			if (fault?.break === 'after') {
				answer.resume().once('end', () => request.socket.destroy());
				return;
			}

			response.writeHead(answer.statusCode ?? 500, answer.headers);
			answer.pipe(response);
		});
		passed.once('error', () => response.destroy());
		response.once('close', () => passed.destroy());
		request.pipe(passed);
	});
	server.on('upgrade', (request, client) => {
		const engine = connect(socketPath, () => {
			const head = request.rawHeaders.map((each, index) => `${each}${index % 2 === 0 ? ': ' : '\r\n'}`).join('');
			engine.write(`${request.method} ${request.url} HTTP/1.1\r\n${head}\r\n`);
			client.pipe(engine).pipe(client);
		});
		engine.on('error', () => client.destroy());
		client.on('error', () => engine.destroy());
	});
	const path = join(await temporaryFolder(), 'engine.sock');
	await new Promise<void>(resolve => server.listen(path, resolve));
	onTestFinished(async () => {
		server.closeAllConnections();
		await new Promise(resolve => server.close(resolve));
	});
	return path;
}
