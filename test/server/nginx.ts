import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {existsSync, writeFileSync} from 'node:fs';
import {connect} from 'node:net';
import {join} from 'node:path';
import {setTimeout} from 'node:timers/promises';
import {onTestFinished} from 'vitest';
import {temporaryFolder} from '../storage/temporary.ts';

/** Where nginx is; undefined if it isn't installed. */
export const nginx = ['/usr/sbin/nginx', '/usr/bin/nginx'].find(existsSync);

/** Starts nginx with these lines of `http`, among them a server on that port, until the test ends. */
export async function startNginx(http: string, port: number): Promise<void> {
	const folder = temporaryFolder();
	const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
		name => `${name}_temp_path ${folder}/${name};`,
	);
	writeFileSync(
		join(folder, 'nginx.conf'),
		`pid ${folder}/pid; error_log stderr; daemon off; master_process off;
		events {}
		http { access_log off; ${paths.join(' ')} ${http} }`,
	);
	const running = spawn(nginx ?? '', ['-p', folder, '-c', join(folder, 'nginx.conf')], {stdio: 'ignore'});
	const ended = once(running, 'exit');
	onTestFinished(async () => {
		running.kill();
		await ended;
	});
	await untilListening(port, ended);
}

async function untilListening(port: number, ended: Promise<unknown>): Promise<void> {
	let isRunning = true;
	void ended.then(() => {
		isRunning = false;
	});
	while (isRunning) {
		const socket = connect(port, '127.0.0.1');
		const isOpen = await once(socket, 'connect').then(
			() => true,
			() => false,
		);
		socket.destroy();
		if (isOpen) {
			return;
		}

		await setTimeout(20);
	}

	throw new Error('nginx does not start.');
}
