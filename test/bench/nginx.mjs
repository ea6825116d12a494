import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {writeFileSync} from 'node:fs';
import {connect, createServer} from 'node:net';
import {join} from 'node:path';
import {setTimeout as sleep} from 'node:timers/promises';

/** Starts nginx in front of servers, which it asks whatever they answered before, and returns its process when it listens. */
export async function startNginx(home, port, hosts) {
	const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
		name => `${name}_temp_path ${home}/${name};`,
	);
	const upstream = hosts.map(host => `server ${host} max_fails=0;`).join(' ');
	writeFileSync(
		join(home, 'nginx.conf'),
		`pid ${home}/pid; error_log stderr; daemon off; master_process off; worker_rlimit_nofile 16384;
		events { worker_connections 8192; }
		http { access_log off; ${folders.join(' ')} upstream all { ${upstream} keepalive 64; }
			server { listen 127.0.0.1:${port} backlog=4096; location / { proxy_pass http://all; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_set_header Host $http_host; } } }`,
	);
	const child = spawn('nginx', ['-p', home, '-c', join(home, 'nginx.conf')], {stdio: 'ignore'});
	while (child.exitCode === null && !(await listens(port))) {
		await sleep(20);
	}

	return child;
}

function listens(port) {
	return new Promise(resolve => {
		const socket = connect(port, '127.0.0.1');
		const answer = is => {
			socket.destroy();
			resolve(is);
		};
		socket.once('connect', () => answer(true)).once('error', () => answer(false));
	});
}

/** Returns a port that nothing listens on. */
export async function freePort() {
	const server = createServer().listen(0, '127.0.0.1');
	await once(server, 'listening');
	const {port} = server.address();
	server.close();
	return port;
}
