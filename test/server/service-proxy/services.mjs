// The services of a sandbox: a web server that does what it is told, one that breaks HTTP, and one of another protocol.
import {createHash} from 'node:crypto';
import {createServer} from 'node:http';
import {createServer as createRawServer} from 'node:net';

const streams = new Set();
let produced = 0;

const web = createServer(async (request, response) => {
	const url = new URL(request.url, 'http://service');
	switch (url.pathname) {
		case '/events': {
			response.writeHead(200, {'content-type': 'text/event-stream'});
			response.write('data: first\n\n');
			streams.add(response);
			return;
		}
		case '/next': {
			for (const stream of streams) {
				stream.end('data: second\n\n');
			}
			response.end('sent');
			return;
		}
		case '/big': {
			const piece = Buffer.alloc(64 * 1024, 'x');
			let wake;
			response.on('drain', () => wake?.()).once('close', () => wake?.());
			response.writeHead(200, {'content-type': 'application/octet-stream'});
			for (produced = 0; produced < Number(url.searchParams.get('bytes')) && !response.destroyed; ) {
				produced += piece.length;
				if (!response.write(piece)) {
					await new Promise(resolve => {
						wake = resolve;
					});
				}
			}
			response.end();
			return;
		}
		case '/produced': {
			response.end(String(produced));
			return;
		}
		case '/answer': {
			const {status = 200, headers} = JSON.parse(url.searchParams.get('with'));
			response.writeHead(status, headers.flat()).end('answered');
			return;
		}
		default: {
			const hash = createHash('sha256');
			let bytes = 0;
			for await (const chunk of request) {
				bytes += chunk.length;
				hash.update(chunk);
			}
			const {method, rawHeaders} = request;
			response.end(JSON.stringify({method, url: request.url, rawHeaders, bytes, sha256: hash.digest('hex')}));
		}
	}
});
web.on('upgrade', (request, socket, head) => {
	const key = `${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
	const accept = createHash('sha1').update(key).digest('base64');
	socket.on('error', () => socket.destroy());
	switch (request.url) {
		case '/refuses': {
			socket.end('HTTP/1.1 403 Forbidden\r\ncontent-length: 2\r\n\r\nno');
			return;
		}
		case '/wrong-key': {
			socket.write(
				'HTTP/1.1 101 Go\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-accept: x\r\n\r\nHTTP/1.1 200 OK\r\n\r\n',
			);
			return;
		}
		case '/other-protocol': {
			socket.write('HTTP/1.1 101 Go\r\nupgrade: h2c\r\nconnection: upgrade\r\n\r\nHTTP/1.1 200 OK\r\n\r\n');
			return;
		}
		default: {
			socket.write(
				`HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-accept: ${accept}\r\nset-cookie: a=b\r\nx-other: 1\r\n\r\nhello`,
			);
			socket.write(head);
			socket.pipe(socket);
		}
	}
});
web.listen(Number(process.env.WEB_PORT), '127.0.0.1');

const head = 'HTTP/1.1 200 OK\r\n';
const answers = {
	'/length-and-chunks': `${head}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n`,
	'/two-lengths': `${head}content-length: 5\r\ncontent-length: 50\r\n\r\nhello`,
	'/bad-chunk': `${head}transfer-encoding: chunked\r\n\r\nzz\r\nhello\r\n0\r\n\r\n`,
	'/two-answers': `${head}content-length: 5\r\n\r\nhelloHTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nevil`,
	'/bare-line': `${head}x-a: b\nset-cookie: evil=1\r\ncontent-length: 5\r\n\r\nhello`,
	'/strange-status': 'HTTP/1.1 999 What\r\ncontent-length: 5\r\n\r\nhello',
	'/no-http': 'SSH-2.0-OpenSSH\r\n\r\n',
	'/switches': 'HTTP/1.1 101 Go\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\nevil',
	'/short': `${head}content-length: 50\r\n\r\nhello`,
	'/trailer': `${head}transfer-encoding: chunked\r\ntrailer: set-cookie\r\n\r\n5\r\nhello\r\n0\r\nset-cookie: evil=1\r\n\r\n`,
	'/many-hints': `${'HTTP/1.1 103 Early Hints\r\nlink: </a>; rel=preload\r\n\r\n'.repeat(50)}${head}content-length: 5\r\n\r\nhello`,
};
createRawServer(socket => {
	socket.on('error', () => socket.destroy());
	socket.once('data', data => {
		const [, path] = data.toString('latin1').split(' ');
		if (path === '/endless-headers') {
			socket.write(head);
			const more = () => {
				while (socket.write(`x-${'a'.repeat(1000)}: b\r\n`)) {
					// Until the socket is full.
				}
			};
			socket.on('drain', more);
			more();
			return;
		}
		if (path === '/silent') {
			return;
		}
		socket.end(answers[path] ?? `${head}content-length: 2\r\n\r\nok`, 'latin1');
	});
}).listen(Number(process.env.RAW_PORT), '127.0.0.1');

createRawServer(socket => socket.end()).listen(Number(process.env.OTHER_PORT), '127.0.0.1');
