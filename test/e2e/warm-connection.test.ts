import {once} from 'node:events';
import {createServer} from 'node:https';
import type {AddressInfo, Socket} from 'node:net';
import {expect, onTestFinished, test} from 'vitest';
import {selfSigned} from '../net/certificate.ts';
import {apiKey, connectedTo} from './chat.ts';
import {folderWith} from './program.ts';
import {startTerminal} from './terminal.ts';

test('the host is connected with TLS while the user types, and the prompt is sent on that connection', async () => {
	const certificate = selfSigned('localhost');
	const connections: Socket[] = [];
	const requests: {readonly connection: number; readonly authorization: string | undefined}[] = [];
	const server = createServer(certificate, ({socket, headers}, response) => {
		requests.push({connection: connections.indexOf(socket), authorization: headers.authorization});
		const text = 'Hello over TLS.';
		response.writeHead(200, {'content-type': 'text/event-stream'});
		response.write(
			`data: ${JSON.stringify({choices: [{index: 0, delta: {content: text}, finish_reason: 'stop'}]})}\n\n`,
		);
		response.end('data: [DONE]\n\n');
	}).on('secureConnection', socket => connections.push(socket));
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	onTestFinished(() => {
		server.closeAllConnections();
		server.close();
	});
	const authorities = `${folderWith({'ca.pem': certificate.cert})}/ca.pem`;
	const {args, env} = connectedTo({baseUrl: `https://localhost:${(server.address() as AddressInfo).port}/v1`});
	const terminal = startTerminal({args, env: {...env, NODE_EXTRA_CA_CERTS: authorities}});
	await terminal.waitFor('Ask something');
	expect(connections.length).toBe(0);

	const connected = once(server, 'secureConnection');
	terminal.type('Hi');
	await connected;
	await terminal.waitFor('❯ Hi');
	expect([connections.length, requests]).toEqual([1, []]);
	terminal.press('enter');
	await terminal.waitFor('Hello over TLS.');
	expect([connections.length, requests[0]]).toEqual([1, {connection: 0, authorization: `Bearer ${apiKey}`}]);
});
